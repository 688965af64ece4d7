/** What a 403 means for the permissions of the key: `explainForbidden`. */
import { apiKeyEndpoints } from '../endpoints/catalogue';
import { ApiError } from '../errors/apiError';
import { formatFieldErrors } from '../errors/serviceErrors';
import { memory } from '../memory/memory';
import { parsePermissionFlags } from '../responses/schemas';
import type { Client } from './client';

/**
 * Adds the missing permission to a 403 error. The permissions of the key come from `GET /status` (spec: API
 * status record), which is read once for each client. Any other error is returned unchanged.
 * @example
 * throw await explainForbidden(client, error);
 */
export async function explainForbidden(client: Client, thrown: unknown): Promise<unknown> {
  if (!(thrown instanceof ApiError) || thrown.status !== 403 || !thrown.endpoint) return thrown;
  // Checks the permission of the refused call only, because the operation may make other calls.
  const needed = thrown.endpoint.permission;
  const flags = needed && (await fetchPermissionFlags(client));
  // When the status does not contain the flag, the permission is unknown.
  if (!flags || flags[needed.flag] === undefined) return thrown;
  if (flags[needed.flag] === false) {
    const { name, controls } = needed;
    return thrown.explain({ message: `The API key lacks the permission ${name} (${controls})` });
  }
  const hint = needed.alsoNeeded
    ? `This call also needs ${needed.alsoNeeded}, which the status of the key does not show: enable it in the service.`
    : 'The key itself has the permission, so a rule of the page, the component or the user forbids it.';
  const fields = formatFieldErrors(thrown.fieldErrors);
  return thrown.explain({
    message: `The service does not permit this${fields && ` (${fields})`}`,
    description: `${hint} ${thrown.description}`,
  });
}

/** Sends one request for each client. Returns undefined when the status cannot be read. */
const fetchPermissionFlags = memory.perClient(
  'permissions',
  { holds: 'the permissions of the key, after an error 403' },
  async (client: Client) => {
    const response = await client.call(apiKeyEndpoints.getStatus).catch(() => undefined);
    return response && parsePermissionFlags(response.body);
  },
);
