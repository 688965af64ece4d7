/** Messages for a user: one line, without tags, of limited length. */
import { startCase } from 'lodash';
import { Duration } from 'luxon';

/** Formats the name of a parameter as the forms do: `dataTableId` becomes "Table ID". */
export const formatLabel = (name: string): string =>
  startCase(name)
    .replace(/^Data Table\b/, 'Table')
    .replace(/\b(Id|Url|Pdf)(s?)\b/g, (_, word: string, plural: string) => word.toUpperCase() + plural);

/** Formats 5400 as "1 hour, 30 minutes". */
export const formatDuration = (seconds: number): string =>
  Duration.fromObject({ seconds }, { locale: 'en' }).rescale().toHuman() || '0 seconds';

/** Sequences that colour texts or move the cursor. n8n's logs may be read in a terminal. */
const TERMINAL_SEQUENCE = new RegExp(`(?:${String.fromCharCode(27)}\\[|\u009b)[0-?]*[ -/]*[@-~]`, 'g');

/**
 * The start of an HTML tag, but not of an address such as `Ada <ada@example.com>`. n8n's editor shows some texts as
 * HTML: a link in a text from the service would look like a link by n8n.
 */
const TAG_START = /<(?=\/?[a-z][\w:-]*[\s/>]|[!?])/gi;

/**
 * Line breaks, other control characters, and characters that reverse text. With these, a value could start a new line
 * that looks like a text of this package.
 */
const CONTROL_CHARACTERS = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu;

/** Maximum characters of a text: longer texts fill a screen, or the context of a model. */
export const MAX_MESSAGE_CHARS = 1000;
const MAX_DESCRIPTION_CHARS = 4000;

/** Ends a cut text with "…". A character of two code units is left out rather than cut in half. */
const cutText = (text: string, maximum: number): string =>
  text.length > maximum ? `${text.slice(0, maximum - 3).replace(/[\ud800-\udbff]$/, '')}…` : text;

/**
 * A quoted name or value of more than 120 characters. No word touches the quotation marks from outside:
 * otherwise the words between two quoted texts would count as a quoted text.
 */
const LONG_QUOTED_TEXT = /(?<![^\s([{:,])"([^"]{121,})"(?![^\s)\]},.;:!?…])/g;

const MAX_NAME_LENGTH = 80;
const MAX_JOINED_TEXT_LENGTH = 200;

/** Use this function for names without quotation marks: `toSafeLine` cuts names between quotation marks. */
export const cutName = (name: string): string => cutText(name, MAX_NAME_LENGTH);

const shortenQuotedTexts = (text: string): string =>
  text.replace(LONG_QUOTED_TEXT, (_, quoted: string) => `"${cutName(quoted)}"`);

/** Makes a safe line from a text of a user, a model or the service. All errors and hints pass through this function. */
export const toSafeLine = (text: string, maximum = MAX_DESCRIPTION_CHARS): string =>
  cutText(shortenQuotedTexts(text), maximum)
    .replace(TERMINAL_SEQUENCE, '')
    .replace(CONTROL_CHARACTERS, ' ')
    .replace(TAG_START, '‹');

/** Converts a value that JSON cannot hold. An expression may return such a value. */
const toJsonValue = (_key: string, value: unknown): unknown =>
  ['bigint', 'function', 'symbol'].includes(typeof value) ? String(value) : value;

function toJson(value: unknown): string {
  if (typeof value === 'bigint' || typeof value === 'number') return String(value);
  try {
    return JSON.stringify(value, toJsonValue) ?? String(value);
  } catch {
    // A circular object, for example, has no JSON.
    return Object.prototype.toString.call(value);
  }
}

/** Formats a value as JSON on one line of at most 80 characters. */
export const formatForError = (value: unknown): string => toSafeLine(toJson(value), 80);

/** Replaces each `{name}` in a text by the value with this name. */
export const fillText = (text: string, values: Record<string, string>): string =>
  text.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? name);

/** Adds a full stop, unless the text ends with a punctuation mark, as many messages of the service already do. */
export const toSentence = (text: string): string => (/[.!?…]\s*$/.test(text) ? text.trimEnd() : `${text}.`);

/** Joins the first texts for a message. "…" stands for the texts after the first `maximum`. */
export const joinFirstTexts = (texts: string[], separator = ', ', maximum = 10): string =>
  texts
    .slice(0, maximum)
    .map((text) => cutText(text, MAX_JOINED_TEXT_LENGTH))
    .join(separator) + (texts.length > maximum ? `${separator}…` : '');
