/** Error responses of the service, and their texts. */
import { groupBy, map } from 'lodash';
import type { Endpoint } from '../endpoints/endpoint';
import { type Explanation } from '../input/inputError';
import { fillText, toSentence } from '../input/messageText';
import { asObject, isObject } from '../input/values';

/** Explains a status of 4xx or 5xx. @param shown the body without secrets (`redactBody`) */
export function explainServiceError(
  status: number,
  body: unknown,
  shown: unknown,
  { subject = 'item', table = 'table', record = 'record', hidden = '' }: Partial<CallSubject> = {},
): Explanation {
  if (status === 404 && !isServiceError(status, body)) return UNKNOWN_ADDRESS;
  if (status === 403 && !isObject(body)) return REFUSED_BY_PROXY;
  const serviceMessage = readErrorMessage(body);
  const rule = ERROR_RULES.find((row) => row.status === status && (!row.msg || row.msg.test(serviceMessage)));
  const { errors, item } = asObject(shown);
  const details = formatFieldErrors(errors);
  const response = isMissingRecordBody(body)
    ? `success, with ${JSON.stringify(item)} in place of a record.`
    : toSentence([`${status}`, readErrorMessage(shown)].filter(Boolean).join(' '));
  if (!rule) {
    return {
      message: status >= 500 ? 'The service failed while answering' : 'The service refused the request',
      description: `It answered: ${response} ${status >= 500 ? 'Try again later.' : 'Check the parameters of this node.'}`,
    };
  }
  const names = { subject, table, record, hidden };
  const message = fillText(rule.message, names);
  return {
    message: details ? `${message} (${details})` : message,
    description: `${fillText(rule.description, names)} The service answered: ${response}`,
  };
}

/** @returns '' if the body has no message (spec: Errors). A proxy may send `message` or `error` in place of `msg` */
export const readErrorMessage = (body: unknown): string => {
  const { msg, message, error } = asObject(body);
  return [msg, message, error].find((text) => typeof text === 'string') ?? '';
};

/**
 * Some services send errors with HTTP 200. Such a body has `type: 'error'` (evidence 4), or `status: 'error'` and a
 * `msg` (evidence 5 and 22). Without a `msg`, `status: 'error'` may describe a failed run.
 * @returns `status`; for such an error, the number in the body, the status of its message, or else 422 (spec: Errors)
 */
export function getEffectiveStatus(status: number, body: unknown): number {
  const { type, msg, status: bodyStatus } = asObject(body);
  if (status < 200 || status >= 300 || (type ?? (msg && bodyStatus)) !== 'error') return status;
  if (Number(bodyStatus) >= 400) return Number(bodyStatus);
  return ERROR_RULES.find(({ msg }) => msg?.test(readErrorMessage(body)))?.status ?? 422;
}

/** Whether `item` is null, 0, an empty list or an empty object. */
const isEmptyRecord = (item: unknown): boolean =>
  !item || (typeof item === 'object' && Object.keys(item).length === 0);

/** Some services answer HTTP 200 with an empty `item` for a record that does not exist (evidence 2). */
export function convertEmptyItemTo404<Answer extends { status: number; body: unknown }>(
  answer: Answer,
): Answer {
  const { status, body } = answer;
  if (status < 200 || status >= 300 || !isObject(body) || !('item' in body) || !isEmptyRecord(body.item))
    return answer;
  return { ...answer, status: 404, body: { type: 'error', msg: 'Record Not Found', item: body.item } };
}

/** Whether `convertEmptyItemTo404` made this body. The service sends no `item` with a 404. */
export const isMissingRecordBody = (body: unknown): boolean =>
  isObject(body) && body.type === 'error' && 'item' in body;

/** Whether the service sent the error response, and not a proxy (spec: Errors). */
export const isServiceError = (status: number, body: unknown): boolean => {
  const { type, msg, message } = asObject(body);
  // The spec does not define the body of a refused login, for which frameworks often send a `message`. See silences.md:
  // `loginErrors`.
  return type === 'error' || typeof msg === 'string' || (status === 401 && typeof message === 'string');
};

/** Explains error responses with this status and, if the rule has `msg`, a message that matches `msg`. */
interface ErrorRule extends Explanation {
  status: number;
  msg?: RegExp;
}

const OPEN_CREDENTIAL_ADVICE = 'Open the Record Database API credential and';

/** A server refused an address or header because of its length. GET requests send field names in the address. */
export const REQUEST_TOO_LONG: Explanation = {
  message: 'The request is too long for the service',
  description:
    'Lists of fields and IDs are sent as part of the address. Shorten them, or leave the fields out.',
};

/** `explainForbidden` replaces this text if the permissions of the key can be read. */
export const CALL_FORBIDDEN: Explanation = {
  message: 'The API key lacks the permission for this',
  description: 'Give the key the permission in the service, or use a credential whose key has it.',
};

/** The messages of the spec (Messages and their conditions). The most specific rules come first. */
const ERROR_RULES: ErrorRule[] = [
  {
    status: 401,
    msg: /app not found/i,
    message: 'The App ID is not known to the service',
    description: `${OPEN_CREDENTIAL_ADVICE} compare the App ID with the one shown beside the API key. Check the Base URL too: another region has other apps.`,
  },
  {
    status: 401,
    msg: /api not found/i,
    message: 'The App Key or App Secret is wrong',
    description: `${OPEN_CREDENTIAL_ADVICE} paste both again, without spaces. The secret is shown only once, when a key is made: make a new key if it was lost.`,
  },
  {
    status: 401,
    msg: /api disabled/i,
    message: 'This API key is disabled',
    description: 'Enable the key in the service, or put another key into the Record Database API credential.',
  },
  {
    status: 401,
    message: 'The service refused the login',
    description: `${OPEN_CREDENTIAL_ADVICE} check the user e-mail and password.`,
  },
  { status: 403, ...CALL_FORBIDDEN },
  {
    status: 404,
    msg: /table not found/i,
    message: 'The {table} does not exist',
    description:
      'Pick the table from the list again: it may have been deleted, or the ID belongs to another app.',
  },
  {
    status: 404,
    msg: /record not found/i,
    message: 'The {record} does not exist',
    description:
      'It may have been deleted{hidden}. A record ID is the "id" that Get Many returns, not a number shown in the app.',
  },
  {
    status: 404,
    message: 'The {subject} does not exist',
    description: 'Check the ID: it may belong to another app, or to something that was deleted.',
  },
  { status: 414, ...REQUEST_TOO_LONG },
  { status: 431, ...REQUEST_TOO_LONG },
  {
    status: 412,
    message: "This is not part of the app's plan, or its limit is reached",
    description:
      'Upgrade the plan in the service, or remove what is no longer needed (old webhooks, for example).',
  },
  {
    status: 422,
    message: 'The service did not accept the values',
    description: 'Correct the values named here, and run this item again.',
  },
  {
    status: 429,
    message: 'Too many requests in this minute',
    description:
      'Another client uses the same key. Run again in a minute, or give this workflow a key of its own.',
  },
];

type FieldMessage = [path: string, text: string];

/** Lists the messages of a validation error with their paths (spec: Errors, `errors`). */
function listMessages(errors: unknown, path: string): FieldMessage[] {
  if (Array.isArray(errors)) return errors.flatMap((entry) => listMessages(entry, path));
  if (isObject(errors))
    return Object.entries(errors).flatMap(([key, one]) => listMessages(one, path ? `${path}.${key}` : key));
  return errors === null || errors === undefined || errors === '' ? [] : [[path, String(errors)]];
}

/** Lists the messages of one field, and of the values inside it. */
export const listErrorTexts = (errors: unknown): string[] => listMessages(errors, '').map(([, text]) => text);

/** Formats `{slug: [text], outer: {inner: [text]}}` as "slug: text; outer.inner: text". Returns a text unchanged. */
export function formatFieldErrors(errors: unknown): string {
  const formatField = (entries: FieldMessage[], path: string) =>
    (path ? `${path}: ` : '') + entries.map(([, text]) => text).join(', ');
  const byPath = groupBy(listMessages(errors, ''), ([path]) => path);
  return map(byPath, formatField).join('; ');
}

/** The noun for the object whose ID a path parameter contains, as the forms call this object. */
const NOUNS_BY_ID_PARAMETER: Record<string, string> = {
  automationId: 'automation',
  automationQueueId: 'run',
  childIds: 'child page',
  componentId: 'component',
  dataTableId: 'table',
  fieldId: 'field',
  fieldSlug: 'field',
  importId: 'import template',
  pageId: 'page',
  pdfFormId: 'PDF form',
  pdfPageId: 'PDF page',
  queueId: 'run',
  recordId: 'record',
  taskId: 'task',
  taskQueueId: 'run',
  templateId: 'export template',
};

/** Nouns for the text of a 404, each with its ID if the call has this ID: `record "K7pQ2xW9Lm"`, or `record`. */
export interface CallSubject {
  /** What was not found. Undefined if neither `Endpoint.subject` nor a parameter of the path names it. */
  subject?: string;
  table: string;
  record: string;
  /** Why a record of a component may be hidden (spec: Component rules). Undefined for calls of other endpoints. */
  hidden?: string;
}

/** @param ids the values of the path parameters */
export function findCallSubject({ path, subject }: Endpoint, ids: Record<string, unknown> = {}): CallSubject {
  const formatNoun = (parameter: string) => {
    const id = String(ids[parameter] ?? '').trim();
    const noun = NOUNS_BY_ID_PARAMETER[parameter] ?? parameter;
    return id === '' ? noun : `${noun} "${id}"`;
  };
  const parameters = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const nouns = parameters.filter((name) => name in NOUNS_BY_ID_PARAMETER).map(formatNoun);
  return {
    subject: subject ?? (nouns.length > 0 ? nouns.join(' or ') : undefined),
    table: formatNoun('dataTableId'),
    record: formatNoun('recordId'),
    ...(path.includes('{componentId}') && { hidden: ', or a rule of the component hides it' }),
  };
}

/** For a page or an empty answer, as a firewall sends it: every error of the service is JSON (spec: Key facts). */
export const REFUSED_BY_PROXY: Explanation = {
  message: 'A proxy in front of the service refused the call',
  description:
    'The answer does not come from the Record Database Service. Check the Base URL in the Record Database API credential, and whether a firewall refuses the values that were sent.',
};

/** For a 404 of another web server or a proxy. */
const UNKNOWN_ADDRESS: Explanation = {
  message: 'The address of this call was not found',
  description:
    'The answer (404) does not come from the Record Database Service: another server or a proxy sent it. Check the Base URL in the Record Database API credential.',
};
