import type { Endpoint } from '../../model/endpoints/endpoint';
import { findJobEntry, type JobEntry } from '../../model/responses/jobState';
import type { CallOptions } from '../../transport/call';
import { ApiError } from '../../transport/errors/apiError';
import type { Item } from '../operation/item';

const isNotFound = ({ status }: ApiError): boolean => status === 404;

/** Reads one run. Returns undefined if the service answers that the run does not exist (`isGone`). */
export async function fetchUnlessGone(
  item: Item,
  endpoint: Endpoint,
  call: CallOptions = {},
  isGone = isNotFound,
): Promise<unknown> {
  const found = await item.client.call(endpoint, call).catch((error: unknown) => error);
  if (found instanceof ApiError && isGone(found)) return undefined;
  if (found instanceof Error) throw found;
  return (found as { body: unknown }).body;
}

/** Finds a run in a list of runs. The endpoint of a single run may answer 404 after the run has ended. */
export const findListedJob = async (item: Item, list: Endpoint, id: string): Promise<JobEntry | undefined> =>
  findJobEntry(await fetchUnlessGone(item, list), id, false);
