import { REQUEST_TOO_LONG, explainServiceError } from '../../../../nodes/service/errors/serviceErrors';

const explain = (status: number, body: unknown, named?: Parameters<typeof explainServiceError>[3]) =>
  explainServiceError(status, body, body, named);

const NAMED = { subject: 'run "q1"', table: 'table "t1"', record: 'record "r1"' };
const CREDENTIAL = 'Open the Record Database API credential and';
const TOO_LONG = 'The request is too long for the service';
const SHORTEN =
  'Lists of fields and IDs are sent as part of the address. Shorten them, or leave the fields out.';

/** Spec: Errors, "Messages and their conditions"; status codes that the web server before the service sends. */
test.each<[number, string, string, string]>([
  [
    401,
    'APP Not Found',
    'The App ID is not known to the service',
    `${CREDENTIAL} compare the App ID with the one shown beside the API key. Check the Base URL too: another region has other apps.`,
  ],
  [
    401,
    'API Not Found',
    'The App Key or App Secret is wrong',
    `${CREDENTIAL} paste both again, without spaces. The secret is shown only once, when a key is made: make a new key if it was lost.`,
  ],
  [
    401,
    'API Disabled',
    'This API key is disabled',
    'Enable the key in the service, or put another key into the Record Database API credential.',
  ],
  [
    401,
    'Token expired',
    'The service refused the login',
    `${CREDENTIAL} check the user e-mail and password.`,
  ],
  [
    403,
    'Permission Denied',
    'The API key lacks the permission for this',
    'Give the key the permission in the service, or use a credential whose key has it.',
  ],
  [
    404,
    'Table Not Found',
    'The table "t1" does not exist',
    'Pick the table from the list again: it may have been deleted, or the ID belongs to another app.',
  ],
  [
    404,
    'Record Not Found',
    'The record "r1" does not exist',
    'It may have been deleted. A record ID is the "id" that Get Many returns, not a number shown in the app.',
  ],
  [
    404,
    'Not Found',
    'The run "q1" does not exist',
    'Check the ID: it may belong to another app, or to something that was deleted.',
  ],
  [
    412,
    'Feature not available in your plan',
    "This is not part of the app's plan, or its limit is reached",
    'Upgrade the plan in the service, or remove what is no longer needed (old webhooks, for example).',
  ],
  [414, 'URI Too Long', TOO_LONG, SHORTEN],
  [431, 'Request Header Fields Too Large', TOO_LONG, SHORTEN],
  [
    422,
    'Validation failed',
    'The service did not accept the values',
    'Correct the values named here, and run this item again.',
  ],
  [
    429,
    'Too Many Attempts In Minute',
    'Too many requests in this minute',
    'Another client uses the same key. Run again in a minute, or give this workflow a key of its own.',
  ],
])('%i "%s"', (status, msg, message, remedy) => {
  const expected = { message, description: `${remedy} The service answered: ${status} ${msg}.` };
  expect(explain(status, { type: 'error', msg, status }, NAMED)).toEqual(expected);
  expect(explain(status, { msg: msg.toLowerCase(), type: 'error' }, NAMED)).toEqual({
    message,
    description: `${remedy} The service answered: ${status} ${msg.toLowerCase()}.`,
  });
});

test('an address that is too long is explained before the service answers, too', () => {
  expect(REQUEST_TOO_LONG).toEqual({ message: TOO_LONG, description: SHORTEN });
});
