import type { IDataObject } from 'n8n-workflow';
import type { Item } from '../../shared/kit/item';
import type { Endpoint } from '../../shared/model/endpoint';
import { InputError } from '../../shared/model/inputError';
import type { Explanation } from '../../shared/model/serviceError';
import { ApiFailure } from '../../shared/transport/errors';
import { NO_LOGIN } from '../../shared/transport/keys';

interface Request {
  body?: IDataObject;
  /** The user's own token; without one the call carries the keys alone. */
  token?: string;
  /** Values that no message may repeat. */
  secrets?: string[];
  kind: 'password' | 'token' | 'passwordless';
}

/** A password or token as it was given. Not `item.text`: its error would show the value. */
export function secretText(item: Item, name: 'password' | 'token'): string {
  const value = item.value<unknown>(name, '');
  const text = name === 'token' ? String(value ?? '').trim() : value;
  if (typeof text === 'string' && text !== '' && typeof value !== 'object') {
    if (name === 'password' || /^[\x21-\x7e]+$/.test(text)) return text;
  }
  throw new InputError(
    `The ${name} is missing or no plain text`,
    'Give it as text. An expression here may have found nothing.',
  );
}

/** What these failures mean here: it is not the credential that is wrong (spec: Authentication, Method 2). */
const MEANINGS: Record<Request['kind'], { status: number; explain: Explanation }> = {
  password: {
    status: 401,
    explain: {
      message: 'The e-mail or password of the user is wrong',
      description: "Check both in this node. The credential's own login has nothing to do with it.",
    },
  },
  token: {
    status: 401,
    explain: {
      message: 'The token is not valid, or has expired',
      description: 'Log the user in again with Log In, and use the new token.',
    },
  },
  passwordless: {
    status: 403,
    explain: {
      message: 'The API key is not set up for logins without a password',
      description:
        'Auto-login and magic links need a specially configured key. Allow it for the key in the service, or use a credential whose key has it.',
    },
  },
};

/** Words of the service about the key itself: then it is the credential after all. */
const ABOUT_KEY = /API Not Found|APP Not Found|API Disabled/i;

function meant(error: unknown, kind: Request['kind']): unknown {
  const { status, explain } = MEANINGS[kind];
  if (!(error instanceof ApiFailure) || error.status !== status) return error;
  return ABOUT_KEY.test(error.explanation.description)
    ? error
    : new ApiFailure(explain, status, error.attempts, error.outcomeUnknown);
}

/** One call about a user's session, with that user's token and never with the credential's login. */
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
