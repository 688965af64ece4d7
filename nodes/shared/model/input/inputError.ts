/**
 * An invalid value from the user. `message` names the field and the value, `remedy` says what to do. The
 * transport and the kit convert it to an error of n8n.
 */
export class InputError extends Error {
  constructor(
    message: string,
    readonly remedy: string,
  ) {
    super(message);
    this.name = 'InputError';
  }
}

/** JSON cannot represent these values, which an expression may return. */
const toJsonValue = (_key: string, value: unknown): unknown =>
  ['bigint', 'function', 'symbol'].includes(typeof value) ? String(value) : value;

function toJson(value: unknown): string {
  if (typeof value === 'bigint' || typeof value === 'number') return String(value);
  try {
    return JSON.stringify(value, toJsonValue) ?? String(value);
  } catch {
    // A circular object, for example.
    return Object.prototype.toString.call(value);
  }
}

/** Formats a value for a message: JSON, at most 80 characters. */
export function formatForError(value: unknown): string {
  const text = toJson(value);
  return text.length > 80 ? `${text.slice(0, 77)}…` : text;
}

/** Joins the first texts for a message, and "…" if there are more than `maximum`. */
export const joinFirst = (texts: string[], separator = ', ', maximum = 10): string =>
  texts.slice(0, maximum).join(separator) + (texts.length > maximum ? `${separator}…` : '');
