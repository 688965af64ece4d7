import { createHash } from 'node:crypto';
import { IANAZone } from 'luxon';
import type { ICredentialDataDecryptedObject } from 'n8n-workflow';
import { formatForError, InputError } from '../../model/input/inputError';
import { parseFileHosts } from '../download/fileHosts';
import { parseBaseUrl } from '../http/path';

/** The credential's fields as the user filled them in. */
export interface Credential {
  baseUrl: string;
  appId: string;
  appKey: string;
  appSecret: string;
  headerPrefix: string;
  /** Act as a user: a Bearer token is sent beside the keys (spec: Authentication, Method 2). */
  userLogin: boolean;
  email: string;
  password: string;
  remember: boolean;
  /** Columns that an update does not name: `send` their values along, or `kept` by the service. */
  columnsNotSent: 'send' | 'kept';
  /** IANA name of the zone in which the service writes `created_at` and its logs. */
  timeZone: string;
  /** Hosts of a private network that files are fetched from, besides that of the service (`parseFileHosts`). */
  fileHosts: string[];
}

/** The default name of the service in its headers: `X-Service-App-Key`. */
export const DEFAULT_HEADER_PREFIX = 'Service';

const trimValue = (value: unknown) => (typeof value === 'string' ? value.trim() : '');

/** @throws InputError if the value cannot be part of a header name (RFC 9110, 5.6.2) */
function parseHeaderPrefix(value: unknown): string {
  const prefix = trimValue(value) || DEFAULT_HEADER_PREFIX;
  if (/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/.test(prefix)) return prefix;
  throw new InputError(
    `The Header Prefix cannot be ${formatForError(value)}`,
    'Open the Record Database API credential and give the word between "X-" and "-App-Key" in the documentation of your service, without spaces.',
  );
}

/** @throws InputError if there is no such zone */
function parseTimeZone(value: unknown): string {
  const zone = trimValue(value) || 'UTC';
  // Node 22 also takes an offset such as "+02:00", which has no changes of clocks, and Node 20 refuses it.
  if (/^[a-z]/i.test(zone) && IANAZone.isValidZone(zone)) return zone;
  throw new InputError(
    `The Service Time Zone cannot be ${formatForError(value)}`,
    'Open the Record Database API credential and give the IANA name of the time zone in which the service writes "created_at", such as UTC, Europe/Berlin or America/New_York.',
  );
}

/**
 * @throws InputError if the Base URL is not an http(s) address, the Header Prefix is invalid in a header name, there is
 * no such Service Time Zone, or File Hosts has a text that is not a host
 */
export function parseCredential(data: ICredentialDataDecryptedObject): Credential {
  return {
    baseUrl: parseBaseUrl(data.baseUrl),
    appId: trimValue(data.appId),
    appKey: trimValue(data.appKey),
    appSecret: trimValue(data.appSecret),
    headerPrefix: parseHeaderPrefix(data.headerPrefix),
    userLogin: data.userLogin === true,
    email: trimValue(data.email),
    password: typeof data.password === 'string' ? data.password : '',
    remember: data.remember === true,
    columnsNotSent: data.columnsNotSent === 'kept' ? 'kept' : 'send',
    timeZone: parseTimeZone(data.serviceTimeZone),
    fileHosts: parseFileHosts(data.fileHosts),
  };
}

/** Builds the three key headers (spec: Authentication, Method 1). The prefix is the name of the service. */
export const buildKeyHeaders = ({
  headerPrefix,
  appId,
  appKey,
  appSecret,
}: Credential): Record<string, string> => ({
  [`X-${headerPrefix}-App-id`]: appId,
  [`X-${headerPrefix}-App-Key`]: appKey,
  [`X-${headerPrefix}-App-Secret`]: appSecret,
});

/** Value of the `Authorization` option for a call that sends the keys without a login. */
export const NO_LOGIN = '';

/** Values that are never shown and are removed from messages. */
export const getSecrets = ({ appKey, appSecret, password }: Credential): string[] => [
  appSecret,
  appKey,
  password,
];

const createFingerprint = (...parts: string[]) =>
  createHash('sha256').update(parts.join('\n')).digest('hex').slice(0, 16);

/** Identifies an API key, and with it its rate limit, without containing the key. */
export const createApiKeyFingerprint = ({ baseUrl: base, appKey }: Credential): string =>
  createFingerprint(base, appKey);

/** Identifies an application, its key and the user, who may see only a part of it, without containing the key. */
export const createUserFingerprint = ({ baseUrl, appKey, appId, userLogin, email }: Credential): string =>
  createFingerprint(baseUrl, appKey, appId, userLogin ? email : '');

/**
 * Adds a fingerprint of the user to the token. n8n keeps the token when the credential is edited, and the
 * token of another user must not be used.
 */
export const encodeSessionToken = (credential: Credential, token: string): string =>
  `${createFingerprint(credential.baseUrl, credential.appId, credential.email)}:${token}`;

export function decodeSessionToken(credential: Credential, storedToken: unknown): string | undefined {
  const [owner, token] = String(storedToken ?? '').split(/:(.*)/s);
  return token && owner === encodeSessionToken(credential, '').slice(0, -1) ? token : undefined;
}
