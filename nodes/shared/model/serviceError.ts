import { objectIn } from './answer';

/** What an error answer means for the user: one line that says what happened, one that says what to do. */
export interface Explanation {
  message: string;
  description: string;
}

interface Rule {
  status: number;
  msg?: RegExp;
  explain: Explanation;
}

const credential = 'Open the Record Database API credential and';

/** What a server says that reads no address or head of this length; GET carries a filter there. */
const tooLong: Explanation = {
  message: 'The request is too long for the service',
  description:
    "A filter together with a sort rule, and lists of columns or IDs, are sent as part of the address. Shorten them, or leave the sort rule out and sort with n8n's Sort node.",
};

/** The spec's "Messages and their conditions", most specific first. */
const RULES: Rule[] = [
  {
    status: 401,
    msg: /app not found/i,
    explain: {
      message: 'The App ID is not known to the service',
      description: `${credential} compare the App ID with the one shown beside the API key. Check the Base URL too: another region has other apps.`,
    },
  },
  {
    status: 401,
    msg: /api not found/i,
    explain: {
      message: 'The App Key or App Secret is wrong',
      description: `${credential} paste both again, without spaces. The secret is shown only once, when a key is made: make a new key if it was lost.`,
    },
  },
  {
    status: 401,
    msg: /api disabled/i,
    explain: {
      message: 'This API key is disabled',
      description:
        'Enable the key in the service, or put another key into the Record Database API credential.',
    },
  },
  {
    status: 401,
    explain: {
      message: 'The service refused the login',
      description: `${credential} check the user e-mail and password. The login may have expired and could not be renewed.`,
    },
  },
  {
    status: 403,
    explain: {
      message: 'The API key lacks the permission for this',
      description: 'Give the key the permission in the service, or use a credential whose key has it.',
    },
  },
  {
    status: 404,
    msg: /table not found/i,
    explain: {
      message: 'The table does not exist',
      description:
        'Pick the table from the list again: it may have been deleted, or the ID belongs to another app.',
    },
  },
  {
    status: 404,
    msg: /record not found/i,
    explain: {
      message: 'The record does not exist',
      description:
        'It may have been deleted, or the rules of the component or the user hide it. Record IDs are encoded strings, as in the "id" of a record that was read; a number shown in the app is not one.',
    },
  },
  {
    status: 404,
    explain: {
      message: 'The service does not know what was asked for',
      description: 'Pick it from the list again: it may have been deleted, or the ID belongs to another app.',
    },
  },
  { status: 414, explain: tooLong },
  { status: 431, explain: tooLong },
  {
    status: 412,
    explain: {
      message: "This is not part of the app's plan, or its limit is reached",
      description:
        'Upgrade the plan in the service, or remove what is no longer needed (old webhooks, for example).',
    },
  },
  {
    status: 422,
    explain: {
      message: 'The service did not accept the values',
      description: 'Correct the values named here and run this item again: nothing of it was saved.',
    },
  },
  {
    status: 429,
    msg: /day/i,
    explain: {
      message: 'The request limit of the day is used up',
      description: 'Wait until the limit resets, or raise it with a larger plan.',
    },
  },
  {
    status: 429,
    explain: {
      message: 'Too many requests in this minute',
      description:
        'Another client uses the same key. Run again in a minute, or give this workflow a key of its own.',
    },
  },
];

/** Per-field messages of a validation answer, `{slug: [text]}`, as one line (spec: Errors). */
function fieldMessages(errors: unknown): string {
  if (typeof errors !== 'object' || errors === null) return '';
  return Object.entries(errors)
    .map(([slug, texts]) => `${slug}: ${[texts].flat().join(', ')}`)
    .join('; ');
}

/** Explains an error answer (status 4xx or 5xx with a JSON body of any shape). */
export function explain(status: number, body: unknown): Explanation {
  const { msg, errors } = objectIn(body);
  const said = typeof msg === 'string' ? msg : '';
  const rule = RULES.find((row) => row.status === status && (!row.msg || row.msg.test(said)));
  const details = fieldMessages(errors);
  const answer = [`${status}`, said].filter(Boolean).join(' ');
  if (!rule) {
    return {
      message: status >= 500 ? 'The service failed while answering' : 'The service refused the request',
      description: `It answered: ${answer}. ${status >= 500 ? 'Try again later.' : 'Check the parameters of this node.'}`,
    };
  }
  return {
    message: details ? `${rule.explain.message} (${details})` : rule.explain.message,
    description: `${rule.explain.description} The service answered: ${answer}.`,
  };
}
