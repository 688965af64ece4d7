export const HIDDEN = '•••';

/** A token that was issued on the way is not among the known secrets. */
const BEARER = /\b(Bearer) +[\w.~+/=-]+/gi;

/**
 * Takes secrets out of a text that is about to be shown. Short values are left alone: hiding every "1" of
 * a one-letter secret would make messages unreadable and hide nothing.
 */
export function redact(text: string, secrets: unknown[]): string {
  return secrets
    .filter((secret): secret is string => typeof secret === 'string' && secret.length >= 4)
    .flatMap((secret) => [secret, encodeURIComponent(secret)])
    .sort((a, b) => b.length - a.length)
    .reduce((clean, secret) => clean.replaceAll(secret, HIDDEN), text.replace(BEARER, `$1 ${HIDDEN}`));
}
