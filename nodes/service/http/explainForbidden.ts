import type { Permission } from '../endpoints/endpoint';
import { ApiError } from '../errors/apiError';
import { FORBIDDEN, formatFieldErrors } from '../errors/serviceErrors';
import type { Client } from './client';

/**
 * Adds the missing permission to a 403 error. The permissions of the key come from `GET /status` (spec: API
 * status record), which is read once for each client. Any other error is returned unchanged.
 * @example
 * throw await explainForbidden(client, error);
 */
export async function explainForbidden(client: Client, thrown: unknown): Promise<unknown> {
  if (!(thrown instanceof ApiError) || thrown.status !== 403 || !thrown.endpoint) return thrown;
  // Only the permission of the refused call is checked, because the operation may make other calls.
  const needed = thrown.endpoint.permission;
  const flags = needed && (await client.readPermissions());
  // When the status does not contain the flag, the permission is unknown.
  if (!flags || flags[needed.flag] === undefined) return thrown;
  const explained =
    flags[needed.flag] === false ? explainMissingPermission(thrown, needed) : explainRefusal(thrown, needed);
  // Only this part of the message is replaced, because the message may begin with the name of the record.
  return explained.explain({ message: thrown.message.replace(FORBIDDEN, () => explained.message) });
}

const explainMissingPermission = (error: ApiError, { name, controls }: Permission): ApiError =>
  error.explain({ message: `The API key lacks the permission ${name} (${controls})` });

function explainRefusal(error: ApiError, { alsoNeeded }: Permission): ApiError {
  const hint = alsoNeeded
    ? `This call also needs ${alsoNeeded}, which the status of the key does not show: enable it in the service.`
    : 'The key itself has the permission, so a rule of the page, the component or the user forbids it.';
  const fields = formatFieldErrors(error.fieldErrors);
  return error.explain({
    message: `The service does not permit this${fields && ` (${fields})`}`,
    description: `${hint} ${error.description}`,
  });
}
