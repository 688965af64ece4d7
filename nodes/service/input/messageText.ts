/**
 * Formats messages for a user: one line, without tags, of limited length. Also formats the values, names and lists in
 * them.
 */
import { startCase } from 'lodash';

/** Formats a parameter name as in the forms and the service: `dataTableId` becomes "Table ID". */
export const formatLabel = (name: string): string =>
  startCase(name)
    .replace(/^Data Table\b/, 'Table')
    .replace(/\b(Id|Url|Pdf)(s?)\b/g, (_, word: string, plural: string) => word.toUpperCase() + plural);

/** Formats a duration for a message: "1 second", "30 seconds". */
export const formatSeconds = (seconds: number): string => (seconds === 1 ? '1 second' : `${seconds} seconds`);

/** Sequences that colour or move what a terminal shows. Logs of n8n may be read in a terminal. */
const TERMINAL_SEQUENCE = new RegExp(`(?:${String.fromCharCode(27)}\\[|\u009b)[0-?]*[ -/]*[@-~]`, 'g');

/**
 * The start of a tag, but not of an address such as `Ada <ada@example.com>`. n8n's editor shows some texts as HTML, where a
 * link or an image could pass for one of n8n's.
 */
const TAG_START = /<(?=\/?[a-z][\w:-]*[\s/>]|[!?])/gi;

/**
 * Line breaks, other control characters, and characters that change the direction of a text. A text of a user, a model or
 * the service could otherwise start a new line in an error, and look like a text of this package.
 */
const CONTROL = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu;

/** The largest number of characters of a message and a remedy. Longer texts fill a screen, or the context of a model. */
export const MAX_MESSAGE = 1000;
const MAX_REMEDY = 4000;

/** Cuts a text to a number of characters, with "…" at the end. A character of two code units stays whole. */
const cutText = (text: string, maximum: number): string =>
  text.length > maximum ? `${text.slice(0, maximum - 3).replace(/[\ud800-\udbff]$/, '')}…` : text;

/**
 * A quoted text of more than 120 characters in a message: the name of a field or a table, or a value. A quotation mark
 * within a word does not begin or end a quoted text, so that the words between two quoted texts stay.
 */
const LONG_QUOTE = /(?<![^\s([{:,])"([^"]{121,})"(?![^\s)\]},.;:!?…])/g;

/** The largest number of characters of a quoted name, and of an entry of a list, in a message. */
const MAX_NAME = 80;
const MAX_ENTRY = 200;

/** Cuts the name of a field or a table for a message. Use it for a name without quotes: `toLine` cuts quoted names. */
export const cutName = (name: string): string => cutText(name, MAX_NAME);

const shortenQuotes = (text: string): string =>
  text.replace(LONG_QUOTE, (_, quoted: string) => `"${cutName(quoted)}"`);

/**
 * Shortens a text that came from a user, a model or the service to one line of at most `maximum` characters, and removes
 * terminal sequences and tags. Long names in quotes are cut. All errors, hints and the test of the credential use it.
 */
export const toLine = (text: string, maximum = MAX_REMEDY): string =>
  cutText(shortenQuotes(text), maximum)
    .replace(TERMINAL_SEQUENCE, '')
    .replace(CONTROL, ' ')
    .replace(TAG_START, '‹');

/** Converts a value that JSON cannot represent to text. An expression may return such a value. */
const toJsonValue = (_key: string, value: unknown): unknown =>
  ['bigint', 'function', 'symbol'].includes(typeof value) ? String(value) : value;

function toJson(value: unknown): string {
  if (typeof value === 'bigint' || typeof value === 'number') return String(value);
  try {
    return JSON.stringify(value, toJsonValue) ?? String(value);
  } catch {
    // A circular object, for example, cannot be converted to JSON.
    return Object.prototype.toString.call(value);
  }
}

/** Formats a value for a message: JSON on one line, at most 80 characters. */
export const formatForError = (value: unknown): string => toLine(toJson(value), 80);

/** Ends a text with a full stop, unless it ends a sentence already, as many messages of the service do. */
export const toSentence = (text: string): string => (/[.!?…]\s*$/.test(text) ? text.trimEnd() : `${text}.`);

/** Joins the first texts for a message, each with its first characters, and "…" if there are more than `maximum`. */
export const joinFirst = (texts: string[], separator = ', ', maximum = 10): string =>
  texts
    .slice(0, maximum)
    .map((text) => cutText(text, MAX_ENTRY))
    .join(separator) + (texts.length > maximum ? `${separator}…` : '');
