import type { ICredentialDataDecryptedObject, IHttpRequestHelper } from 'n8n-workflow';
import { explain } from '../model/serviceError';
import { keyHeaders, keysOf, sealToken, secretsOf, type Keys } from './keys';
import { segment } from './path';
import { redact } from './redact';

/** Code of the error that a failed login throws; n8n carries it through to `send`. */
export const LOGIN_FAILED = 'LOGIN_FAILED';

/** `POST /auth/login` as plain request parts, for n8n's pre-authentication and the credential's test. */
export const loginRequest = (keys: Keys) => ({
  url: `${keys.baseUrl}/api/v1.1/${segment('App ID', keys.appId)}/auth/login`,
  headers: keyHeaders(keys),
  body: { email: keys.email, password: keys.password, remember: keys.remember },
});

function loginError(keys: Keys, status: number, body: unknown): Error {
  const { message, description } = explain(status, body);
  const text = `The login of ${keys.email || 'the user'} failed. ${message}. ${description}`;
  return Object.assign(new Error(redact(text, secretsOf(keys))), { code: LOGIN_FAILED });
}

/** Reads the token from a login answer (spec: User authentication). @throws Error with code LOGIN_FAILED */
export function tokenIn(keys: Keys, status: number, body: unknown): string {
  const { token } = (typeof body === 'object' && body !== null ? body : {}) as { token?: unknown };
  if (status !== 200 || typeof token !== 'string' || token === '') throw loginError(keys, status, body);
  return token;
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
  const answer = (await helpers.httpRequest({
    ...loginRequest(keys),
    method: 'POST',
    json: true,
    returnFullResponse: true,
    ignoreHttpStatusErrors: true,
    disableFollowRedirect: true,
  })) as { statusCode: number; body: unknown };
  return { sessionToken: sealToken(keys, tokenIn(keys, answer.statusCode, answer.body)) };
}
