import type { Permission } from '../endpoints/endpoint';
import { ApiError } from '../errors/apiError';
import { CALL_FORBIDDEN } from '../errors/serviceErrors';
import type { Explanation } from '../input/inputError';
import type { Client } from './client';

/**
 * Explains a 403: names the permission that the key lacks (spec: API status record), or says what else may forbid the
 * call. Returns any other error unchanged.
 * @example
 * throw await explainForbidden(client, error);
 */
export async function explainForbidden(client: Client, thrown: unknown): Promise<unknown> {
  if (!(thrown instanceof ApiError) || thrown.status !== 403 || !thrown.endpoint) return thrown;
  // The permission for the refused call. Other calls of the operation may need other permissions.
  const needed = thrown.endpoint.permission;
  if (!needed) return thrown;
  const flag = (await client.readPermissions())[needed.flag];
  // Without the flag, the status of the key does not show whether the key has the permission.
  if (typeof flag !== 'boolean') return thrown;
  const { message, description } = flag ? explainOtherRefusal(needed) : explainMissingPermission(needed);
  // The rest of the message stays: it may name the record and fields.
  return thrown.copyWith({
    message: thrown.message.replace(CALL_FORBIDDEN.message, () => message),
    description: thrown.description.replace(CALL_FORBIDDEN.description, () => description),
  });
}

const explainMissingPermission = ({ name, controls }: Permission): Explanation => ({
  ...CALL_FORBIDDEN,
  message: `The API key lacks the permission ${name} (${controls})`,
});

const explainOtherRefusal = ({ alsoNeeded }: Permission): Explanation => ({
  message: 'The service does not permit this',
  description: alsoNeeded
    ? `This call also needs ${alsoNeeded}, which the status of the key does not show: enable it in the service.`
    : 'The key itself has the permission, so a rule of the page, the component or the user forbids it. Change the rule in the service, or use a credential that may do this.',
});
