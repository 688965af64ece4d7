import { createHash } from 'node:crypto';
import type { ICredentialDataDecryptedObject } from 'n8n-workflow';
import { baseUrl } from './path';

/** The credential's fields as the user filled them in. */
export interface Keys {
  baseUrl: string;
  appId: string;
  appKey: string;
  appSecret: string;
  headerPrefix: string;
  /** Act as this user: a Bearer token joins the keys (spec: Authentication, Method 2). */
  userLogin: boolean;
  email: string;
  password: string;
  remember: boolean;
}

/** The name of the service in its headers, where it goes by no other. */
export const DEFAULT_PREFIX = 'Service';

const text = (value: unknown) => (typeof value === 'string' ? value.trim() : '');

/** @throws InputError when the base URL is not http(s) */
export function keysOf(data: ICredentialDataDecryptedObject): Keys {
  return {
    baseUrl: baseUrl(data.baseUrl),
    appId: text(data.appId),
    appKey: text(data.appKey),
    appSecret: text(data.appSecret),
    headerPrefix: text(data.headerPrefix) || DEFAULT_PREFIX,
    userLogin: data.userLogin === true,
    email: text(data.email),
    password: typeof data.password === 'string' ? data.password : '',
    remember: data.remember === true,
  };
}

/** The three key headers (spec: Authentication, Method 1). Their prefix is the service's own name. */
export const keyHeaders = ({ headerPrefix, appId, appKey, appSecret }: Keys): Record<string, string> => ({
  [`X-${headerPrefix}-App-id`]: appId,
  [`X-${headerPrefix}-App-Key`]: appKey,
  [`X-${headerPrefix}-App-Secret`]: appSecret,
});

/** As the `Authorization` of a call: the keys alone, whoever the credential logs in. */
export const NO_LOGIN = '';

/** What must never be shown: also used to clean messages. */
export const secretsOf = ({ appKey, appSecret, password }: Keys): string[] => [appSecret, appKey, password];

const fingerprint = (...parts: string[]) =>
  createHash('sha256').update(parts.join('\n')).digest('hex').slice(0, 16);

/** Names the holder of a request budget without keeping the key. */
export const budgetKey = ({ baseUrl: base, appKey }: Keys): string => fingerprint(base, appKey);

/**
 * A token is stored with whom it belongs to: n8n keeps it when the credential is edited, and another
 * user's token must not be used.
 */
export const sealToken = (keys: Keys, token: string): string =>
  `${fingerprint(keys.baseUrl, keys.appId, keys.email)}:${token}`;

export function openToken(keys: Keys, sealed: unknown): string | undefined {
  const [owner, token] = String(sealed ?? '').split(/:(.*)/s);
  return token && owner === sealToken(keys, '').slice(0, -1) ? token : undefined;
}
