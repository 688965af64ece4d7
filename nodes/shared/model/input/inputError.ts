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
