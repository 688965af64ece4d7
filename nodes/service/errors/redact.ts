/** Removes secrets from texts and answers. */
import { escape, escapeRegExp, mapValues, pick } from 'lodash';
import { isObject } from '../input/values';

export const REDACTION_MARK = '•••';

/** Tokens of other users are not in `secrets`, so a bearer token is found by its form. */
const BEARER_TOKEN = /\b(Bearer) +[\w.~+/=-]+/gi;

/** Lists the spellings in which a service may repeat a secret: unchanged, or as in a URL, a form, HTML or JSON. */
function listSecretSpellings(text: string): string[] {
  const json = JSON.stringify(text).slice(1, -1);
  // In JSON, PHP also escapes slashes and all characters outside ASCII.
  const phpJson = json
    .replaceAll('/', '\\/')
    .replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  const form = new URLSearchParams({ text }).toString().slice('text='.length);
  return [text, encodeURIComponent(text), form, escape(text), json, phpJson];
}

/**
 * Removes secrets, in upper or lower case, from a text. A secret of less than 4 characters stays: messages
 * would be unreadable if every "1" were removed.
 */
export const redact = (text: string, secrets: unknown[]): string =>
  secrets
    .filter((secret): secret is string => typeof secret === 'string' && secret.length >= 4)
    .flatMap(listSecretSpellings)
    .sort((a, b) => b.length - a.length)
    .reduce(
      (clean, spelling) => clean.replace(new RegExp(escapeRegExp(spelling), 'gi'), REDACTION_MARK),
      text.replace(BEARER_TOKEN, `$1 ${REDACTION_MARK}`),
    );

/** The keys of an error body that appear in messages (spec: Errors). `item` is empty if a record does not exist. */
const BODY_KEYS_IN_MESSAGES = ['type', 'status', 'msg', 'message', 'errors', 'item'];

/**
 * Copies the parts of a response that appear in messages, without secrets. Whole messages are not redacted: a secret
 * may be a common word of our own texts.
 * @example
 * redactBody({ type: 'error', msg: 'No key k3ys' }, ['k3ys']); // { type: 'error', msg: 'No key •••' }
 */
export function redactBody(body: unknown, secrets: unknown[]): unknown {
  const redactValue = (value: unknown): unknown => {
    if (typeof value === 'string') return redact(value, secrets);
    if (Array.isArray(value)) return value.map(redactValue);
    if (!isObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, entry]) => [redact(key, secrets), redactValue(entry)]),
    );
  };
  if (!isObject(body)) return redactValue(body);
  return mapValues(pick(body, BODY_KEYS_IN_MESSAGES), redactValue);
}
