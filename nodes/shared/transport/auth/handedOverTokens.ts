import { createUserFingerprint, type Credential } from './credential';

/**
 * New tokens that n8n has not stored yet, by user. An entry is deleted when the call that stores it ends.
 * Outlives an execution.
 */
const handedOverTokens = new Map<string, string>();

export const getHandedOverToken = (credential: Credential): string | undefined =>
  handedOverTokens.get(createUserFingerprint(credential));

/** Runs `send`. While it runs, n8n's pre-authentication finds `token` and stores it. */
export async function handOverToken<T>(
  credential: Credential,
  token: string,
  send: () => Promise<T>,
): Promise<T> {
  const user = createUserFingerprint(credential);
  handedOverTokens.set(user, token);
  try {
    return await send();
  } finally {
    handedOverTokens.delete(user);
  }
}
