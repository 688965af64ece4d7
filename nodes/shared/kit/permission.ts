import { v1 } from '../model/endpoint';
import { isLog, lacking, permissionFor } from '../model/permissions';
import { statusSchema } from '../model/responses';
import type { Client } from '../transport/client';
import { ApiFailure } from '../transport/errors';
import type { Operation } from './operation';

const status = v1('GET /status');

type Flags = Record<string, boolean>;

/** One look per execution, however many items are refused. */
const looks = new WeakMap<Client, Promise<Flags | undefined>>();

async function look(client: Client): Promise<Flags | undefined> {
  const answer = await client.call(status).catch(() => undefined);
  return statusSchema.safeParse(answer?.body).data?.permissions;
}

function flagsOf(client: Client): Promise<Flags | undefined> {
  const flags = looks.get(client) ?? look(client);
  looks.set(client, flags);
  return flags;
}

const explained = (failure: ApiFailure, message: string, description: string): ApiFailure =>
  new ApiFailure({ message, description }, failure.status, failure.attempts, failure.outcomeUnknown);

/**
 * A refusal for want of a permission, with the permission named: `GET /status` tells which ones the key has
 * (spec: API status record). Anything else is handed back as it is.
 */
export async function withPermission(
  client: Client,
  operation: Operation,
  thrown: unknown,
): Promise<unknown> {
  if (!(thrown instanceof ApiFailure) || thrown.status !== 403) return thrown;
  const { endpoints } = operation;
  const needed = endpoints.flatMap((endpoint) => permissionFor(endpoint) ?? []);
  if (needed.length === 0) return thrown;
  const flags = await flagsOf(client);
  if (!flags) return thrown;
  const { description } = thrown.explanation;
  const missing = lacking(endpoints, flags);
  if (missing.length > 0) {
    const names = missing.map(({ name, controls }) => `${name} (${controls})`).join(' and ');
    return explained(thrown, `The API key lacks the permission ${names}`, description);
  }
  // The status record has no word for it (spec: API key permissions).
  const hint = endpoints.some(isLog)
    ? 'The log endpoints also need allow_api_access, which the status of the key does not show: enable it in the service.'
    : 'The key itself has the permission, so a rule of the page, the component or the user forbids it.';
  return explained(thrown, 'The service does not permit this', `${hint} ${description}`);
}
