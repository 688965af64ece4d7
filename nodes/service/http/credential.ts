/** The settings of a credential. */
import { hash } from 'node:crypto';
import { omitBy, pickBy, trimEnd, upperFirst } from 'lodash';
import { IANAZone } from 'luxon';
import { InputError } from '../input/inputError';
import { formatForError } from '../input/messageText';
import { isBlank, parseNames } from '../input/values';

/** @throws InputError for an invalid setting, which the message names */
export function parseCredential(data: Record<string, unknown>): Credential {
  const access = parseLoginData(data);
  return {
    fingerprints: {
      user: createFingerprint(access),
      app: createFingerprint(access.baseUrl, access.appId),
      key: createFingerprint(access.baseUrl, access.appKey),
    },
    timeZone: parseTimeZone(data.serviceTimeZone),
    fileHosts: parseFileHosts(data.fileHosts),
    parallelRequests: Math.floor(parseNumberSetting(data, 'parallelRequests')),
    timeout: Math.min(1000 * parseNumberSetting(data, 'requestTimeout'), MAX_TIMEOUT_MS),
    ...access,
  };
}

function parseLoginData(data: Record<string, unknown>): LoginData {
  const baseUrl = parseBaseUrl(data.baseUrl);
  const loginMethod = parseLoginMethod(data.userLogin);
  const hasPassword = loginMethod === 'password';
  return {
    baseUrl,
    appId: toTrimmedText(data.appId),
    appKey: toTrimmedText(data.appKey),
    appSecret: toTrimmedText(data.appSecret),
    headerPrefix: parseHeaderPrefix(data.headerPrefix),
    loginMethod,
    hasUserLogin: loginMethod !== 'none',
    email: hasPassword || loginMethod === 'autoLogin' ? toTrimmedText(data.email) : '',
    password: hasPassword && typeof data.password === 'string' ? data.password : '',
    remember: hasPassword && data.remember === true,
    token: loginMethod === 'token' ? toTrimmedText(data.token).replace(/^Bearer(\s+|$)/i, '') : '',
  };
}

const INVALID_BASE_URL_REMEDY =
  'Open the Record Database API credential and give the address of the service, such as https://app.example.com.';

/**
 * Adds a missing https. Removes slashes at the end, and `/api…`, which the paths of the endpoints contain (spec:
 * Base forms). @throws InputError for another address than http(s)
 */
export function parseBaseUrl(value: unknown): string {
  const text = typeof value === 'string' ? value.trim() : '';
  const address = /^[^/?#@\s:]+(:\d+)?(\/|$)/.test(text) ? `https://${text}` : text;
  const base = trimEnd(trimEnd(address, '/').replace(/\/api(\/v1(\.1(\/[^/]+)?)?)?$/i, ''), '/');
  if (!/^https?:\/\/[^/?#@\s]+(\/[^?#\s]*)?$/i.test(base) || !URL.canParse(base)) {
    throw new InputError(`The Base URL cannot be ${formatForError(value)}`, INVALID_BASE_URL_REMEDY);
  }
  return base;
}

const ANY_PORT_SUFFIX = ':*';

/** Converts a host to its form in URLs. @returns undefined for a text that is no host */
function parseHost(text: string): string | undefined {
  const [name = '', suffix = ''] = text.endsWith(ANY_PORT_SUFFIX)
    ? [text.slice(0, -ANY_PORT_SUFFIX.length), ANY_PORT_SUFFIX]
    : [text];
  const address = `http://${name}/`;
  const url = /^[^/?#@\\\s*]+$/.test(name) && URL.canParse(address) ? new URL(address) : undefined;
  if (!url || (suffix && url.port)) return undefined;
  // URLs leave out the default ports. `host:443` and `host:80` become `host`, which allows both.
  return (url.port === '443' ? url.hostname : url.host) + suffix;
}

/** `host:*` allows any port. @throws InputError for a text that is no host */
export function parseFileHosts(value: unknown): string[] {
  return parseNames(value).map((text) => {
    const host = parseHost(text);
    if (host !== undefined) return host;
    throw new InputError(
      `File Hosts cannot be ${formatForError(text)}`,
      'Open the Record Database API credential and give hosts separated by commas, without https:// and without a path: files.internal, 10.0.0.5:9000, storage:* for any port.',
    );
  });
}

/** An entry without a port allows the ports 80 and 443. */
export const matchesHost = (url: URL, entry: string): boolean =>
  url.host === entry || url.hostname + ANY_PORT_SUFFIX === entry;

/**
 * Where the user's token comes from (spec: Authentication, Method 2): none, so that only the keys are sent; a login
 * with or without a password; or a field of the credential.
 */
const LOGIN_METHODS = ['none', 'password', 'autoLogin', 'token'] as const;
export type LoginMethod = (typeof LOGIN_METHODS)[number];

/** A field that the login method does not use is an empty text. */
interface LoginData {
  baseUrl: string;
  appId: string;
  appKey: string;
  appSecret: string;
  headerPrefix: string;
  loginMethod: LoginMethod;
  hasUserLogin: boolean;
  email: string;
  password: string;
  remember: boolean;
  /** The token without the word "Bearer" before it. */
  token: string;
}

export interface Credential extends LoginData {
  /** IANA name of the time zone in which the service writes dates. If undefined, the workflow's zone applies. */
  timeZone?: string;
  /** Hosts in a private network from which files may be fetched, beside the host of the service. */
  fileHosts: string[];
  parallelRequests: number;
  /** Milliseconds to wait for a response, or for the next bytes of a file. */
  timeout: number;
  /** Hashes that say to whom a value in memory belongs (`MemoryScope`). They reveal no API key and no password. */
  fingerprints: {
    /** Hash of all that decides which records the service shows: application, key, user with password or token. */
    user: string;
    /** Hash of Base URL and App ID. */
    app: string;
    /** Hash of Base URL and App Key: the service limits the requests of each key. */
    key: string;
  };
}

export const CREDENTIAL_DEFAULTS = {
  /** The service's own word in the names of its headers: `X-Service-App-Key`. */
  headerPrefix: 'Service',
  parallelRequests: 8,
  /** Seconds. */
  requestTimeout: 120,
};

/** Node would end a timer of more than 2,147,483,647 ms at once. */
const MAX_TIMEOUT_MS = 2_147_000_000;

const toTrimmedText = (value: unknown) => (typeof value === 'string' ? value.trim() : '');

/** @throws InputError for a character that header names cannot have (RFC 9110, 5.6.2) */
function parseHeaderPrefix(value: unknown): string {
  const prefix = toTrimmedText(value) || CREDENTIAL_DEFAULTS.headerPrefix;
  if (/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/.test(prefix)) return prefix;
  throw new InputError(
    `The Header Prefix cannot be ${formatForError(value)}`,
    'Open the Record Database API credential and give the word between "X-" and "-App-Key" in the documentation of your service, without spaces.',
  );
}

/** @returns undefined for an empty value. @throws InputError if there is no such zone */
function parseTimeZone(value: unknown): string | undefined {
  const zone = toTrimmedText(value);
  if (zone === '') return undefined;
  // Offsets such as "+02:00" are refused: they ignore daylight saving time, and Node 20 does not accept them.
  if (/^[a-z]/i.test(zone) && IANAZone.create(zone).isValid) return zone;
  throw new InputError(
    `The Service Time Zone cannot be ${formatForError(value)}`,
    'Open the Record Database API credential and give the IANA name of the time zone in which the service writes "created_at", such as UTC, Europe/Berlin or America/New_York. Leave it empty for the zone of the workflow.',
  );
}

const NUMBER_SETTINGS = {
  parallelRequests: { label: 'Parallel Requests', min: 1, max: 50 },
  requestTimeout: { label: 'Request Timeout (Seconds)', min: 0.1, max: Infinity },
};

/** An empty value gives the default. @throws InputError for a value that is no number, or out of range */
function parseNumberSetting(data: Record<string, unknown>, name: keyof typeof NUMBER_SETTINGS): number {
  const { label, min, max } = NUMBER_SETTINGS[name];
  const value = data[name];
  if (isBlank(value)) return CREDENTIAL_DEFAULTS[name];
  const number = Number(value);
  if (number >= min && number <= max) return number;
  throw new InputError(
    `${label} of the credential cannot be ${formatForError(value)}`,
    `Nothing was sent. Open the Record Database API credential and give a number of at least ${min}${max === Infinity ? '' : `, at most ${max}`} under Advanced Settings.`,
  );
}

/** @throws InputError for any other value. An empty value is not `none`: the keys alone give access to all records */
function parseLoginMethod(value: unknown): LoginMethod {
  const method = LOGIN_METHODS.find((one) => one === value);
  if (method) return method;
  throw new InputError(
    `The User Login of the credential cannot be ${formatForError(value)}`,
    `Nothing was sent. Open the Record Database API credential and choose one. An expression must return one of: ${LOGIN_METHODS.join(', ')}.`,
  );
}

const REQUIRED_LOGIN_FIELDS = {
  none: [],
  password: ['email', 'password'],
  autoLogin: ['email'],
  token: ['token'],
} as const satisfies Record<LoginMethod, unknown>;

/** @throws InputError if a field of the login is empty, or the token has characters that headers cannot have */
export function ensureLoginFields(access: LoginData): void {
  const missing = REQUIRED_LOGIN_FIELDS[access.loginMethod].find((name) => access[name] === '');
  if (missing) {
    const label = upperFirst(missing);
    throw new InputError(
      `The ${label} of the credential has no value`,
      `Nothing was sent. Open the Record Database API credential and give ${label}. If it is an expression, it returned nothing for this item.`,
    );
  }
  if (/^[\x21-\x7e]*$/.test(access.token)) return;
  throw new InputError(
    'The Token of the credential contains a space or a character that a header cannot hold',
    'Nothing was sent. Give the token as Log In, Auto-Login or Create Magic Link returns it.',
  );
}

/** Returns the three headers with the keys (spec: Authentication, Method 1). */
export function buildKeyHeaders(access: LoginData): Record<string, string> {
  const { headerPrefix, appId, appKey, appSecret } = access;
  return {
    [`X-${headerPrefix}-App-id`]: appId,
    [`X-${headerPrefix}-App-Key`]: appKey,
    [`X-${headerPrefix}-App-Secret`]: appSecret,
  };
}

interface OutgoingRequest {
  url?: string;
  /** The address in requests of n8n's older helper, which the HTTP Request node uses. */
  uri?: string;
  baseURL?: string;
  /** The HTTP Request node writes the names in lower case. */
  headers?: Record<string, unknown>;
  proxy?: unknown;
}

/**
 * Adds the key headers, and the token of a user login, to a request of another node, unless it has a `Bearer` token. A
 * request of our own nodes already has the key headers, and is returned unchanged.
 * @throws Error for a request to another server than the Base URL, or for a request with its own proxy
 * @throws Error if the user has no token yet, because only our own nodes can log a user in
 */
export function createRequestHeaders(
  settings: Record<string, unknown>,
  request: OutgoingRequest,
): Record<string, unknown> {
  const access = parseLoginData(settings);
  ensureSentToService(access, request);
  const keys = buildKeyHeaders(access);
  const requestHeaders = request.headers ?? {};
  // Our own nodes add the token of the user themselves (`UserSession`).
  if (Object.entries(keys).every(([name, value]) => requestHeaders[name] === value)) return requestHeaders;
  // The header Host is removed: a proxy in front of the service could pass the request to the host that it names.
  const headers = omitBy(requestHeaders, (_, name) => /^(authorization|host)$/i.test(name));
  const authorizations = Object.values(pickBy(requestHeaders, (_, name) => /^authorization$/i.test(name)));
  return { ...headers, ...keys, ...createLoginHeader(access, authorizations) };
}

/** The keys must not be sent to another server. @throws Error for another origin than the Base URL's, or for a proxy */
function ensureSentToService({ baseUrl }: LoginData, { url, uri, baseURL, proxy }: OutgoingRequest): void {
  // Requests of our own nodes begin with the Base URL, so nothing else is checked.
  if (uri === undefined && !proxy && String(url).startsWith(`${baseUrl}/`)) return;
  const { origin } = new URL(baseUrl);
  const refuse = (target: string) =>
    new Error(
      `The keys of this credential are sent to ${origin} only, not ${target}. Use the Base URL of the credential.`,
    );
  if (proxy) throw refuse('through a proxy of the node');
  // n8n's helpers read the address from different properties, so all of these are checked.
  const addresses = [url, uri].filter((address) => !isBlank(address));
  if (addresses.length === 0) throw refuse('to an empty address');
  for (const address of isBlank(baseURL) ? addresses : [...addresses, baseURL]) {
    const target = parseAddress(address) ?? parseAddress(address, baseURL);
    if (target?.origin !== origin) throw refuse(`to ${target?.origin ?? 'an address that is no URL'}`);
    // n8n would send the name and password in the header Authorization, in place of the user's token.
    if (target.username !== '' || target.password !== '')
      throw refuse('to an address with a user name or a password');
  }
}

/** Pass `base` only if `address` alone is no URL: n8n's HTTP client reads `https:host` as a host, and not as a path. */
const parseAddress = (address: unknown, base?: string): URL | undefined =>
  URL.canParse(String(address), base) ? new URL(String(address), base) : undefined;

/**
 * @param authorizations the values of the header `Authorization` in a request of another node
 * @throws Error if the user has no token yet: the keys alone would give access to all records
 */
function createLoginHeader(access: LoginData, authorizations: unknown[]): { Authorization?: unknown } {
  const own = authorizations.find((value) => !isBlank(value));
  if (!access.hasUserLogin) return own === undefined ? {} : { Authorization: own };
  if (/^Bearer +\S/i.test(String(own))) return { Authorization: own };
  ensureLoginFields(access);
  if (access.loginMethod === 'token') return { Authorization: `Bearer ${access.token}` };
  throw new Error(
    'This credential acts as a user, and only the nodes of Record Database log users in. Send "Bearer" and the token of a login in the header Authorization, or choose Token under User Login of the credential.',
  );
}

/** The header `Authorization` of a call that sends the keys alone, without a user login. */
export const NO_AUTHORIZATION = '';

export const getSecrets = ({ appKey, appSecret, password, token }: LoginData): string[] => [
  appSecret,
  appKey,
  password,
  token,
];

export const createFingerprint = (...values: unknown[]): string =>
  hash('sha256', JSON.stringify(values), 'hex').slice(0, 32);
