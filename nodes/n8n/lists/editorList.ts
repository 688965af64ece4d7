/** What all lists of the editor use: requests with a timeout, and a cache. */
import type { ILoadOptionsFunctions, INodePropertyOptions } from 'n8n-workflow';
import { explainForbidden, ApiError, type Client, InputError, memory } from '../../service';
import { createNodeClient } from '../http/port';
import { toNodeError } from '../operation/toNodeError';

/** In a search, the user has typed a text (`filter`) or scrolled to a further page (`paginationToken`). */
export type EditorLoader<R> = (
  context: ILoadOptionsFunctions,
  client: Client,
  filter?: string,
  paginationToken?: string,
) => Promise<R>;

export type OptionsLoader = EditorLoader<INodePropertyOptions[]>;

const MAX_EDITOR_WAIT_MS = 30_000;

/** Loads a list for the editor. Its errors have the same texts as in an operation. */
export async function runForEditor<T>(
  context: ILoadOptionsFunctions,
  load: (client: Client) => Promise<T>,
): Promise<T> {
  const signal = AbortSignal.timeout(MAX_EDITOR_WAIT_MS);
  let client: Client | undefined;
  try {
    client = await createNodeClient(context, { signal });
    return await load(client);
  } catch (error) {
    const cause = signal.aborted
      ? new ApiError({
          message: `The list could not be loaded within ${MAX_EDITOR_WAIT_MS / 1000} seconds`,
          description:
            'The service may be slow, or the request limit of the minute may be used up. Load the list again in a minute. If this does not help, check the Base URL in the credential.',
        })
      : error;
    throw toNodeError(context.getNode(), client ? await explainForbidden(client, cause) : cause);
  }
}

/** Returns '' if nothing is picked. @throws InputError for an expression that has no value yet */
export function getPickedId(context: ILoadOptionsFunctions, name: string): string {
  // Read first without `extractValue`, with which n8n throws for a parameter that the node does not have.
  const given = context.getCurrentNodeParameter(name);
  if (given === undefined || given === null) return '';
  const id = String(context.getCurrentNodeParameter(name, { extractValue: true }) ?? '').trim();
  if (!id.startsWith('=')) return id;
  throw new InputError(
    'This list depends on a field whose expression has no value yet',
    'Run the nodes before this one first, or give the value here as an expression too.',
  );
}

const DROPDOWN_TTL_MS = 60_000;

const dropdownLists = memory.cache<unknown, 'user'>('dropdownLists', {
  per: 'user',
  holds: 'a list for searches in its dropdown; of records the first 100',
  ttlMs: DROPDOWN_TTL_MS,
});

/** Sends a request when a dropdown opens. A search after each typed letter uses the cached list. */
export function readEditorList<T>(
  client: Client,
  name: string,
  isSearch: boolean,
  fetch: () => Promise<T>,
): Promise<T> {
  const since = isSearch ? undefined : performance.now();
  return dropdownLists.get(client, [name], fetch, since) as Promise<T>;
}
