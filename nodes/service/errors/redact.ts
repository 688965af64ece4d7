import { escapeRegExp, memoize, pick } from 'lodash';
import { isObject } from '../input/values';

export const REDACTED = '•••';

/** A token that was issued during the execution is not among the known secrets. */
const BEARER_TOKEN = /\b(Bearer) +[\w.~+/=-]+/gi;

/** Names of HTML for characters. It also takes the number of any character. */
const HTML_NAMES: Record<string, string> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": 'apos' };

/** Each character keeps its place: İ is the only one whose small letter is longer. */
const toSmallLetters = (text: string): string => text.replaceAll('İ', 'I').toLowerCase();

/** Formats numbers with their hexadecimal digits, of at least `length`. */
const formatHex = (codes: number[], format: (digits: string) => string, length: number): string =>
  codes.map((code) => format(code.toString(16).padStart(length, '0'))).join('');

/** Lists the notations of a character in small letters: plain, in a URL, in HTML, in JSON and in a form. */
function listNotations(character: string): string[] {
  const code = character.codePointAt(0) ?? 0;
  const units = character.split('').map((unit) => unit.charCodeAt(0));
  const notations = [
    character,
    formatHex([...Buffer.from(character)], (byte) => `%${byte}`, 2),
    `&#${code};`,
    formatHex([code], (digits) => `&#x${digits};`, 1),
    formatHex([code], (digits) => `&#x${digits};`, 2),
    ...(character in HTML_NAMES ? [`&${HTML_NAMES[character]};`] : []),
    JSON.stringify(character).slice(1, -1),
    `\\${character}`,
    formatHex(units, (unit) => `\\u${unit}`, 4),
    ...(character === ' ' ? ['+'] : []),
  ];
  return [...new Set(notations.map(toSmallLetters))];
}

/**
 * Finds where a secret ends that begins at `start` of a text in small letters. A notation may begin with another one, as
 * `%25` with `%`, so each possible end of a character is followed.
 * @param characters the notations of each character of the secret
 * @returns undefined if it does not begin there
 */
function findSecretEnd(text: string, characters: string[][], start: number): number | undefined {
  let ends = [start];
  for (const notations of characters) {
    const next = ends.flatMap((end) =>
      notations.filter((notation) => text.startsWith(notation, end)).map(({ length }) => end + length),
    );
    if (next.length === 0) return undefined;
    ends = [...new Set(next)];
  }
  return Math.max(...ends);
}

/** Characters of a secret by which the places in a text are found where it may begin. */
const PREFIX_LENGTH = 3;

/**
 * Creates a function that replaces a secret. A pattern of a whole secret would take a second to compile, so only its first
 * characters are one. Many tokens begin with the same ones.
 */
function createReplacer(): (text: string, secret: string) => string {
  const readNotations = memoize(listNotations);
  const createPattern = memoize((prefix: string) => {
    const characters = [...prefix].map((one) => `(?:${readNotations(one).map(escapeRegExp).join('|')})`);
    return new RegExp(`(?=${characters.join('')})`, 'g');
  });
  return (text, secret) => {
    const small = toSmallLetters(text);
    const characters = [...secret];
    const pattern = createPattern(characters.slice(0, PREFIX_LENGTH).join(''));
    let clean = '';
    let copied = 0;
    for (const { index } of small.matchAll(pattern)) {
      const end = index < copied ? undefined : findSecretEnd(small, characters.map(readNotations), index);
      if (end === undefined) continue;
      clean += text.slice(copied, index) + REDACTED;
      copied = end;
    }
    return clean + text.slice(copied);
  };
}

/**
 * Replaces secrets in a text, in each notation in which a service may repeat them, in small or capital letters. Values
 * shorter than 4 characters are kept: replacing every "1" for a secret of one letter would make messages unreadable.
 */
export function redact(text: string, secrets: unknown[]): string {
  return secrets
    .filter((secret): secret is string => typeof secret === 'string' && secret.length >= 4)
    .sort((a, b) => b.length - a.length)
    .reduce(createReplacer(), text.replace(BEARER_TOKEN, `$1 ${REDACTED}`));
}

/** The keys of an error answer that messages show (spec: Errors; `isEmptyItem`). */
const SHOWN_KEYS = ['type', 'status', 'msg', 'message', 'errors', 'item'];

/**
 * Copies what messages show of an answer, without secrets. A message is put together from the copy, so that a secret which is
 * a common word hides no word of our own sentences. What the answer means is read from the answer itself.
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
  return Object.fromEntries(
    Object.entries(pick(body, SHOWN_KEYS)).map(([key, value]) => [key, redactValue(value)]),
  );
}
