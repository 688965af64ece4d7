/** An error for the user: `message` says what happened, `description` says what to do. */
export interface Explanation {
  message: string;
  description: string;
}

interface ErrorRule {
  status: number;
  msg?: RegExp;
  explanation: Explanation;
}

const OPEN_CREDENTIAL = 'Open the Record Database API credential and';

/** The explanation for a URL or header that exceeds the server's limit. GET requests send columns in the URL. */
export const REQUEST_TOO_LONG: Explanation = {
  message: 'The request is too long for the service',
  description:
    'Lists of columns and IDs are sent as part of the address. Shorten them, or leave the columns out.',
};

/** The spec's "Messages and their conditions", most specific first. */
export const ERROR_RULES: ErrorRule[] = [
  {
    status: 401,
    msg: /app not found/i,
    explanation: {
      message: 'The App ID is not known to the service',
      description: `${OPEN_CREDENTIAL} compare the App ID with the one shown beside the API key. Check the Base URL too: another region has other apps.`,
    },
  },
  {
    status: 401,
    msg: /api not found/i,
    explanation: {
      message: 'The App Key or App Secret is wrong',
      description: `${OPEN_CREDENTIAL} paste both again, without spaces. The secret is shown only once, when a key is made: make a new key if it was lost.`,
    },
  },
  {
    status: 401,
    msg: /api disabled/i,
    explanation: {
      message: 'This API key is disabled',
      description:
        'Enable the key in the service, or put another key into the Record Database API credential.',
    },
  },
  {
    status: 401,
    explanation: {
      message: 'The service refused the login',
      description: `${OPEN_CREDENTIAL} check the user e-mail and password.`,
    },
  },
  {
    status: 403,
    explanation: {
      message: 'The API key lacks the permission for this',
      description: 'Give the key the permission in the service, or use a credential whose key has it.',
    },
  },
  {
    status: 404,
    msg: /table not found/i,
    explanation: {
      message: 'The {table} does not exist',
      description:
        'Pick the table from the list again: it may have been deleted, or the ID belongs to another app.',
    },
  },
  {
    status: 404,
    msg: /record not found/i,
    explanation: {
      message: 'The {record} does not exist',
      description:
        'It may have been deleted, or the rules of the component or the user hide it. Record IDs are encoded strings, as in the "id" of a record that was read; a number shown in the app is not one.',
    },
  },
  {
    status: 404,
    explanation: {
      message: 'The {subject} does not exist',
      description: 'Pick it from the list again: it may have been deleted, or the ID belongs to another app.',
    },
  },
  { status: 414, explanation: REQUEST_TOO_LONG },
  { status: 431, explanation: REQUEST_TOO_LONG },
  {
    status: 412,
    explanation: {
      message: "This is not part of the app's plan, or its limit is reached",
      description:
        'Upgrade the plan in the service, or remove what is no longer needed (old webhooks, for example).',
    },
  },
  {
    status: 422,
    explanation: {
      message: 'The service did not accept the values',
      description: 'Correct the values named here and run this item again: nothing of it was saved.',
    },
  },
  {
    status: 429,
    msg: /day/i,
    explanation: {
      message: 'The request limit of the day is used up',
      description: 'Wait until the limit resets, or raise it with a larger plan.',
    },
  },
  {
    status: 429,
    explanation: {
      message: 'Too many requests in this minute',
      description:
        'Another client uses the same key. Run again in a minute, or give this workflow a key of its own.',
    },
  },
];
