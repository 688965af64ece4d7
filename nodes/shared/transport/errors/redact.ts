export const REDACTED = '•••';

/** A token that was issued during the execution is not among the known secrets. */
const BEARER_TOKEN = /\b(Bearer) +[\w.~+/=-]+/gi;

/**
 * Replaces secrets in a text. Values shorter than 4 characters are kept: replacing every "1" for a secret of
 * one letter would make messages unreadable.
 */
export function redact(text: string, secrets: unknown[]): string {
  return secrets
    .filter((secret): secret is string => typeof secret === 'string' && secret.length >= 4)
    .flatMap((secret) => [secret, encodeURIComponent(secret)])
    .sort((a, b) => b.length - a.length)
    .reduce(
      (clean, secret) => clean.replaceAll(secret, REDACTED),
      text.replace(BEARER_TOKEN, `$1 ${REDACTED}`),
    );
}
