/**
 * A value that the user gave and the service would not understand. `message` names the field and what
 * was sent, `remedy` says what to do; the transport and the kit turn it into n8n's own error.
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

/** A value as it may stand in a message: JSON, at most 80 characters. */
export function shown(value: unknown): string {
  // JSON has no word for these, and writes null for a number that is none.
  const isPlain = value === undefined || typeof value === 'bigint' || typeof value === 'number';
  const text = isPlain ? String(value) : JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 77)}…` : text;
}
