import type { IDataObject } from 'n8n-workflow';
import type { Item } from '../../shared/kit/item';
import type { Endpoint } from '../../shared/model/endpoint';
import { InputError } from '../../shared/model/inputError';
import type { Explanation } from '../../shared/model/serviceError';
import { ApiFailure, NO_JSON } from '../../shared/transport/errors';
import { NO_LOGIN } from '../../shared/transport/keys';

interface Request {
  body?: IDataObject;
  /** The user's own token; without one the call carries the keys alone. */
  token?: string;
  /** Values that no message may repeat. */
  secrets?: string[];
  kind: 'password' | 'token' | 'passwordless';
}

/** A token without the word that stands before it in a header, from where it may be copied. */
const bareToken = (text: string): string => text.trim().replace(/^Bearer\s+/i, '');

/** A password or token as it was given, also of digits alone. Not `item.text`: its error would show the value. */
export function secretText(item: Item, name: 'password' | 'token'): string {
  const value = item.value<unknown>(name, '');
  const given = typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  const text = name === 'token' ? bareToken(given) : given;
  if (name === 'password' ? text !== '' : /^[\x21-\x7e]+$/.test(text)) return text;
  throw new InputError(
    `The ${name} is missing or no plain text`,
    'Give it as text. An expression here may have found nothing.',
  );
}

const refusedToken: Explanation = {
  message: 'The token is not valid, or has expired',
  description: 'Log the user in again with Log In, and use the new token.',
};

const wrongLogin: Explanation = {
  message: 'The e-mail or password of the user is wrong',
  description: "Check both in this node. The credential's own login has nothing to do with it.",
};

const unknownUser: Explanation = {
  message: 'No user has this e-mail address or ID',
  description: 'Check it in this node: it must be that of a user of this application.',
};

/** What these statuses mean here: it is not the credential that is wrong (spec: Authentication, Method 2). */
const MEANINGS: Record<Request['kind'], Record<number, Explanation>> = {
  password: { 401: wrongLogin, 404: unknownUser, 422: wrongLogin },
  token: { 401: refusedToken },
  passwordless: {
    401: {
      message: 'The service refused to log this user in without a password',
      description:
        'Check the user in this node, and in the service whether the key is set up for auto-login and magic links.',
    },
    403: {
      message: 'The API key is not set up for logins without a password',
      description:
        'Auto-login and magic links need a specially configured key. Allow it for the key in the service, or use a credential whose key has it.',
    },
    404: unknownUser,
  },
};

/** Words of the service about something else: the key itself, or the page to redirect to. */
const ABOUT_OTHERS = /(API|APP|Page) Not Found|API Disabled/i;

/** A 401 of a proxy: neither the user's token nor the credential's login is at fault. */
const fromElsewhere: Explanation = {
  message: 'Something before the service refused the call',
  description: NO_JSON.description,
};

function meant(error: unknown, kind: Request['kind']): unknown {
  if (!(error instanceof ApiFailure) || error.status === undefined) return error;
  if (!error.byService) return error.status === 401 ? error.explainedAs(fromElsewhere) : error;
  const meaning = MEANINGS[kind][error.status];
  // An address that is none: the service names the field itself.
  const isNamed = error.status === 422 && Object.keys(error.fieldErrors).length > 0;
  const isOther = isNamed || ABOUT_OTHERS.test(error.explanation.description);
  return meaning && !isOther ? error.explainedAs(meaning) : error;
}

/** Whether a call failed because of the user's token, and nothing else. */
export const isRefusedToken = (error: unknown): boolean =>
  error instanceof ApiFailure && error.explanation === refusedToken;

/**
 * One call about a user's session, sent with that user's token or the keys alone. n8n logs the credential's own user
 * in first, where it has one and holds no token yet; that login is not sent along.
 */
export async function askSession(
  { client }: Item,
  endpoint: Endpoint,
  { body, token, secrets, kind }: Request,
): Promise<unknown> {
  const Authorization = token === undefined ? NO_LOGIN : `Bearer ${token}`;
  const answer = await client
    .call(endpoint, { body, secrets, headers: { Authorization } })
    .catch((error: unknown) => meant(error, kind));
  if (answer instanceof Error) throw answer;
  return (answer as { body: unknown }).body;
}
