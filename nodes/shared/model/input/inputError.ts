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

/** Formats a value for a message: JSON, at most 80 characters. */
export function formatForError(value: unknown): string {
  // JSON cannot represent undefined, bigints, NaN and Infinity.
  const isPlain = value === undefined || typeof value === 'bigint' || typeof value === 'number';
  const text = isPlain ? String(value) : JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 77)}…` : text;
}

/** Joins the first texts for a message, and "…" if there are more than `maximum`. */
export const joinFirst = (texts: string[], separator = ', ', maximum = 10): string =>
  texts.slice(0, maximum).join(separator) + (texts.length > maximum ? `${separator}…` : '');
