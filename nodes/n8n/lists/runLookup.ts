import type { ILoadOptionsFunctions } from 'n8n-workflow';
import type { Client } from '../../client';
import { ApiError } from '../../client/errors/apiError';
import { parseRequestTimeout } from '../../client/http/credential';
import { InputError, formatSeconds } from '../../client/input/inputError';
import { CREDENTIAL_TYPE, createNodeClient } from '../http/port';
import { explainForbidden, toNodeError } from '../operation/toNodeError';

/** Milliseconds after which a dropdown stops waiting, including retries, unless the credential has a shorter timeout. */
const MAX_LOOKUP_MS = 30_000;

const createTimeoutError = (timeout: number) =>
  new ApiError({
    code: 'timeout',
    message: `The service did not answer within ${formatSeconds(timeout / 1000)}`,
    description: 'Check the Base URL in the credential, and load the list again.',
  });

/** Reads the time for a list from the credential. An unreadable credential is an error of the client. */
async function readTimeout(context: ILoadOptionsFunctions): Promise<number> {
  const { requestTimeout } = await context
    .getCredentials(CREDENTIAL_TYPE)
    .catch((): { requestTimeout?: unknown } => ({}));
  return Math.min(parseRequestTimeout(requestTimeout), MAX_LOOKUP_MS);
}

/** Runs the requests of a dropdown. Errors have the same text as in an operation. */
export async function runLookup<T>(
  context: ILoadOptionsFunctions,
  find: (client: Client) => Promise<T>,
): Promise<T> {
  let timeout = MAX_LOOKUP_MS;
  let signal: AbortSignal | undefined;
  let client: Client | undefined;
  try {
    timeout = await readTimeout(context);
    signal = AbortSignal.timeout(timeout);
    client = await createNodeClient(context, { timeout, signal });
    return await find(client);
  } catch (error) {
    const cause = signal?.aborted ? createTimeoutError(timeout) : error;
    throw toNodeError(context.getNode(), client ? await explainForbidden(client, cause) : cause);
  }
}

/**
 * The ID in the locator or dropdown `name`; '' if nothing is picked or the node has no such parameter.
 * @throws NodeOperationError for an expression, because it has no value before the node runs
 */
export function getPickedId(context: ILoadOptionsFunctions, name: string): string {
  // `extractValue` throws for a parameter that the node does not have, so check first.
  const given = context.getCurrentNodeParameter(name);
  if (given === undefined || given === null) return '';
  const id = String(context.getCurrentNodeParameter(name, { extractValue: true }) ?? '').trim();
  if (!id.startsWith('=')) return id;
  throw toNodeError(
    context.getNode(),
    new InputError(
      'This list depends on a field whose expression has no value yet',
      'Run the nodes before this one first, or give the value here as an expression too.',
    ),
  );
}
