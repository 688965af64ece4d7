import type { IDataObject } from 'n8n-workflow';
import { authEndpoints } from '../../client/endpoints/catalogue';
import type { Endpoint } from '../../client/endpoints/endpoint';
import { isAlreadyDone } from '../../client/errors/apiError';
import { InputError } from '../../client/input/inputError';
import type { Item } from '../../n8n/operation/item';
import { type Operation, toOutputs } from '../../n8n/operation/operation';
import { defineParameter } from '../../n8n/parameters/parameter';
import { callSession, isRefusedToken } from './callSession';

const token = defineParameter({
  displayName: 'Token',
  name: 'token',
  type: 'string',
  typeOptions: { password: true },
  default: '',
  required: true,
  description:
    "The user's token, which Log In returns. Use an expression, so that the workflow does not store it.",
});

/** Reads the token without the prefix "Bearer ", which a token copied from a header has. @throws InputError */
function readToken(item: Item): string {
  const text = item
    .read(token)
    .trim()
    .replace(/^Bearer\s+/i, '');
  if (/^[\x21-\x7e]+$/.test(text)) return text;
  throw new InputError(
    'Token is not plain text',
    'Give the token as Log In returns it. An expression may have returned another value.',
  );
}

type TokenOperationDetails = Omit<Operation, 'run' | 'parameters'>;

/** Returns the output for a token that the service refuses, or undefined to throw the error. */
type RefusedTokenHandler = (error: unknown) => IDataObject | undefined;

const createTokenOperation = (
  details: TokenOperationDetails,
  endpoint: Endpoint,
  refused: RefusedTokenHandler,
): Operation => ({
  ...details,
  parameters: [token],
  async run(item) {
    const secret = readToken(item);
    const asked = callSession(item, endpoint, { secrets: [secret], token: secret, kind: 'token' });
    return toOutputs(
      await asked.catch((error: unknown) => {
        const output = isRefusedToken(error) ? refused(error) : undefined;
        if (output) return output;
        throw error;
      }),
    );
  },
});

export const getStatus = createTokenOperation(
  {
    name: 'getStatus',
    displayName: 'Get Status',
    action: 'Get status of session',
    description: 'Get whether a token is still valid, and for how long',
  },
  authEndpoints.getStatus,
  () => ({ valid: false }),
);

export const logout = createTokenOperation(
  {
    name: 'logout',
    displayName: 'Log Out',
    action: 'Log user out',
    description: 'Invalidate a token',
    writes: true,
  },
  authEndpoints.logout,
  (error) => (isAlreadyDone(error, 401) ? {} : undefined),
);
