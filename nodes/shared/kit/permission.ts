import { v1 } from '../model/endpoint';
import { isLog, permissionFor } from '../model/permissions';
import { statusSchema } from '../model/responses';
import type { Client } from '../transport/client';
import { ApiFailure } from '../transport/errors';
import { askedOnce } from './askedOnce';

const status = v1('GET /status');

/** One look, however many items are refused; undefined where the service does not tell. */
const flagsOf = askedOnce(async (client) => {
  const answer = await client.call(status).catch(() => undefined);
  return statusSchema.safeParse(answer?.body).data?.permissions;
});

/**
 * A refusal for want of a permission, with the permission named: `GET /status` tells which ones the key has
 * (spec: API status record). Anything else is handed back as it is.
 */
export async function withPermission(client: Client, thrown: unknown): Promise<unknown> {
  if (!(thrown instanceof ApiFailure) || thrown.status !== 403 || !thrown.endpoint) return thrown;
  // Only what the refused call needs: others that the operation may make are not to blame.
  const needed = permissionFor(thrown.endpoint);
  const flags = needed && (await flagsOf(client));
  if (!flags) return thrown;
  const { description } = thrown.explanation;
  if (flags[needed.flag] === false) {
    const { name, controls } = needed;
    const message = `The API key lacks the permission ${name} (${controls})`;
    return thrown.explainedAs({ message, description });
  }
  // The status record has no word for it (spec: API key permissions).
  const hint = isLog(thrown.endpoint)
    ? 'The log endpoints also need allow_api_access, which the status of the key does not show: enable it in the service.'
    : 'The key itself has the permission, so a rule of the page, the component or the user forbids it.';
  return thrown.explainedAs({
    message: 'The service does not permit this',
    description: `${hint} ${description}`,
  });
}
