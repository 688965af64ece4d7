import type { Endpoint } from '../endpoints/endpoint';
import { ApiError, type ApiErrorOptions } from '../errors/apiError';
import { REFUSED_BY_PROXY } from '../errors/serviceErrors';
import { asThrown, type Explanation } from '../input/inputError';
import type { Client } from './client';
import { NO_AUTHORIZATION } from './credential';
import { PASSWORDLESS_FORBIDDEN } from './userSession';

/** A call that logs a user in or out, or checks a token. The credential's own user login is not sent with the call. */
interface SessionRequest {
  body?: object;
  /** Without a token, only the API keys are sent. */
  token?: string;
  /** Values that are removed from error messages. */
  secrets?: string[];
  /** What the service checks: a password, a token, or a user who logs in without a password. */
  kind: 'password' | 'token' | 'passwordless';
}

/**
 * Sends a call about a user, with the user's token or with the API keys alone.
 * @example
 * const body = { email, password, remember: false };
 * await callForUser(client, authEndpoints.login, { body, secrets: [password], kind: 'password' }); // { token, … }
 * @throws ApiError that explains what is wrong about the user. The code is 'refusedToken' for an invalid token
 */
export async function callForUser(
  client: Client,
  endpoint: Endpoint,
  { body, token, secrets, kind }: SessionRequest,
): Promise<unknown> {
  const Authorization = token === undefined ? NO_AUTHORIZATION : `Bearer ${token}`;
  const call = client.call(endpoint, { body, secrets, headers: { Authorization } });
  const response = await call.catch((error: unknown) => {
    throw asThrown(explainSessionError(error, kind));
  });
  return response.body;
}

const INVALID_TOKEN = {
  code: 'refusedToken',
  message: 'The token is not valid, or has expired',
  description: 'Log the user in again with Log In, and use the new token.',
} as const;

const WRONG_LOGIN: Explanation = {
  message: 'The e-mail or password of the user is wrong',
  description: "Check both in this node. The credential's own login is not used here.",
};

const UNKNOWN_USER: Explanation = {
  message: 'No user has this e-mail address or ID',
  description: 'Check it in this node: it must be that of a user of this application.',
};

/** Errors about the user of the request, not of the credential (spec: Authentication, Method 2). */
const USER_ERRORS: Record<SessionRequest['kind'], Record<number, Partial<ApiErrorOptions>>> = {
  password: { 401: WRONG_LOGIN, 404: UNKNOWN_USER, 422: WRONG_LOGIN },
  token: { 401: INVALID_TOKEN },
  passwordless: {
    401: {
      message: 'The service refused to log this user in without a password',
      description:
        'Check the user in this node, and in the service whether the key is set up for auto-login and magic links.',
    },
    403: PASSWORDLESS_FORBIDDEN,
    404: UNKNOWN_USER,
  },
};

/** Messages about the API key, or about the page that a magic link opens, not about the user. */
const NOT_ABOUT_USER_PATTERN = /(API|APP|Page) Not Found|API Disabled/i;

function explainSessionError(error: unknown, kind: SessionRequest['kind']): unknown {
  if (!(error instanceof ApiError) || error.status === undefined) return error;
  if (!error.isFromService) return error.status === 401 ? error.copyWith(REFUSED_BY_PROXY) : error;
  const userError = USER_ERRORS[kind][error.status];
  // An error that names the invalid field, such as a malformed e-mail address, stays: it says more than `userError`.
  const namesField = error.status === 422 && Object.keys(error.fieldErrors).length > 0;
  const isUnrelated = namesField || NOT_ABOUT_USER_PATTERN.test(error.description);
  return userError && !isUnrelated ? error.copyWith(userError) : error;
}
