import type { ICredentialDataDecryptedObject, IHttpRequestHelper } from 'n8n-workflow';
import { objectIn, statusMeant } from '../model/answer';
import { explain, type Explanation } from '../model/serviceError';
import { explainFault } from './errors';
import { keyHeaders, keysOf, sealToken, secretsOf, type Keys } from './keys';
import { segment } from './path';
import { redact } from './redact';

/** Codes of the errors that a failed login throws; n8n carries them through to `send`. The service refused it … */
export const LOGIN_FAILED = 'LOGIN_FAILED';

/** … or could not be asked just now. Either way the call that needed the login was not sent. */
export const LOGIN_DELAYED = 'LOGIN_DELAYED';

/** These pass, as does a failure of the server. Whoever is refused in another way will be in a moment as well. */
const PASSING = [408, 425];
const TOO_MANY = 429;

const isPassing = (status: number) => status >= 500 || PASSING.includes(status);

/** `POST /auth/login` as plain request parts, for n8n's pre-authentication and the credential's test. */
export const loginRequest = (keys: Keys) => ({
  url: `${keys.baseUrl}/api/v1.1/${segment('App ID', keys.appId)}/auth/login`,
  headers: keyHeaders(keys),
  body: { email: keys.email, password: keys.password, remember: keys.remember },
});

function loginError(keys: Keys, code: string, { message, description }: Explanation): Error {
  const text = `The login of ${keys.email || 'the user'} failed. ${message}. ${description}`;
  return Object.assign(new Error(redact(text, secretsOf(keys))), { code });
}

/** Reads the token from a login answer (spec: User authentication). @throws Error with one of the two codes */
export function tokenIn(keys: Keys, httpStatus: number, body: unknown): string {
  const { token } = objectIn(body);
  const status = statusMeant(httpStatus, body);
  if (status === 200 && typeof token === 'string' && token !== '') return token;
  throw loginError(keys, isPassing(status) ? LOGIN_DELAYED : LOGIN_FAILED, explain(status, body));
}

interface LoginAnswer {
  statusCode: number;
  headers: object;
  body: unknown;
}

/** A login refused for the limit of requests: `send` takes it for the answer to the call, and it is waited out as one. */
const limited = ({ statusCode: status, headers, body: data }: LoginAnswer): Error =>
  Object.assign(new Error('Too many requests'), { response: { status, headers, data } });

/** A network fault of the login says nothing of the call, which must not look as if it had been sent. */
function unreached(keys: Keys, error: unknown): Error {
  const { code = 'UNKNOWN', message } = error as Error & { code?: string };
  return loginError(keys, LOGIN_DELAYED, explainFault(code, message, keys.baseUrl));
}

/**
 * n8n calls this when the credential holds no token yet, or when a call was answered with 401.
 * With keys alone there is nothing to log in.
 */
export async function logIn(
  { helpers }: IHttpRequestHelper,
  data: ICredentialDataDecryptedObject,
): Promise<{ sessionToken?: string }> {
  const keys = keysOf(data);
  if (!keys.userLogin) return {};
  const answer = (await helpers
    .httpRequest({
      ...loginRequest(keys),
      method: 'POST',
      json: true,
      returnFullResponse: true,
      ignoreHttpStatusErrors: true,
      disableFollowRedirect: true,
    })
    .catch((error: unknown) => {
      throw unreached(keys, error);
    })) as LoginAnswer;
  if (answer.statusCode === TOO_MANY) throw limited(answer);
  return { sessionToken: sealToken(keys, tokenIn(keys, answer.statusCode, answer.body)) };
}
