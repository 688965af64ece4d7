import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { outputs, type Operation } from '../../shared/kit/operation';
import { unanswered, v11, type Endpoint } from '../../shared/model/endpoint';
import { isDoneBefore } from '../../shared/transport/errors';
import { askSession, isRefusedToken, secretText } from './ask';

const token: INodeProperties = {
  displayName: 'Token',
  name: 'token',
  type: 'string',
  typeOptions: { password: true },
  default: '',
  required: true,
  description: "The user's token, as Log In returns it. Use an expression, so that it is not saved here.",
};

type Details = Omit<Operation, 'run' | 'endpoints' | 'parameters'>;

/** The output for a token that the service refuses; undefined where that is an error. */
type Refused = (error: unknown) => IDataObject | undefined;

const ofToken = (details: Details, endpoint: Endpoint, refused: Refused): Operation => ({
  ...details,
  endpoints: [endpoint],
  parameters: [token],
  async run(item) {
    const secret = secretText(item, 'token');
    const asked = askSession(item, endpoint, { secrets: [secret], token: secret, kind: 'token' });
    return outputs(
      await asked.catch((error: unknown) => {
        const output = isRefusedToken(error) ? refused(error) : undefined;
        if (output) return output;
        throw error;
      }),
    );
  },
});

export const getStatus = ofToken(
  {
    name: 'getStatus',
    displayName: 'Get Status',
    action: 'Get the status of a session',
    description: 'Tell whether a token is still valid, and for how long',
  },
  v11('POST /auth/status', 'read'),
  () => ({ valid: false }),
);

export const logout = ofToken(
  {
    name: 'logout',
    displayName: 'Log Out',
    action: 'Log a user out',
    description: 'Make a token invalid',
  },
  unanswered(v11('POST /auth/logout', 'idempotent')),
  (error) => (isDoneBefore(error, 401) ? {} : undefined),
);
