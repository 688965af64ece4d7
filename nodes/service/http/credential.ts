/**
 * The settings of a credential. `parseCredential` checks and converts them. `createHeaders` adds the keys to the headers of
 * a request.
 */
import { hash } from 'node:crypto';
import { omitBy, pickBy, trimEnd, upperFirst } from 'lodash';
import { IANAZone } from 'luxon';
import { InputError } from '../input/inputError';
import { formatForError } from '../input/messageText';
import { isBlank, parseNames } from '../input/values';

/**
 * Parses the settings of a credential.
 * @throws InputError if the Base URL is not an http(s) address, the Header Prefix is invalid in a header name, the User
 * Login is unknown, there is no such Service Time Zone, File Hosts has a text that is not a host, or a number is out of
 * its range
 */
export function parseCredential(data: Record<string, unknown>): Credential {
  const access = parseAccess(data);
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

/** Parses the settings that `createHeaders` needs for each request: the address, the keys and the login. */
function parseAccess(data: Record<string, unknown>): Access {
  const baseUrl = parseBaseUrl(data.baseUrl);
  const loginMethod = parseLoginMethod(data.userLogin);
  const hasPassword = loginMethod === 'password';
  return {
    baseUrl,
    appId: trimValue(data.appId),
    appKey: trimValue(data.appKey),
    appSecret: trimValue(data.appSecret),
    headerPrefix: parseHeaderPrefix(data.headerPrefix),
    loginMethod,
    hasUserLogin: loginMethod !== 'none',
    email: hasPassword || loginMethod === 'autoLogin' ? trimValue(data.email) : '',
    password: hasPassword && typeof data.password === 'string' ? data.password : '',
    remember: hasPassword && data.remember === true,
    token: loginMethod === 'token' ? trimValue(data.token).replace(/^Bearer(\s+|$)/i, '') : '',
  };
}

const INVALID_BASE_URL_REMEDY =
  'Open the Record Database API credential and give the address of the service, such as https://app.example.com.';

/**
 * Normalizes the Base URL of the credential. Adds https if there is no scheme. Removes trailing slashes, and `/api` with
 * the version and the App ID, which the paths of the endpoints contain (spec: Base forms).
 * @throws InputError if the value is not an http(s) address
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

const ANY_PORT = ':*';

/** Normalizes a host as URLs show it. Undefined for a text that is not exactly one host. */
function parseHost(text: string): string | undefined {
  const [name = '', suffix = ''] = text.endsWith(ANY_PORT)
    ? [text.slice(0, -ANY_PORT.length), ANY_PORT]
    : [text];
  const address = `http://${name}/`;
  const url = /^[^/?#@\\\s*]+$/.test(name) && URL.canParse(address) ? new URL(address) : undefined;
  if (!url || (suffix && url.port)) return undefined;
  // A URL leaves out the default port. `host:443` and `host:80` are stored as `host`, which allows both.
  return (url.port === '443' ? url.hostname : url.host) + suffix;
}

/**
 * Parses the setting File Hosts: hosts separated by commas. A host may have a port, or `:*` for any port.
 * @throws InputError
 */
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

/** Whether the host of an address is an entry of File Hosts. An entry without a port allows the ports 80 and 443. */
export const matchesHost = (url: URL, entry: string): boolean =>
  url.host === entry || url.hostname + ANY_PORT === entry;

/**
 * Where the user's token comes from (spec: Authentication, Method 2). `none`: there is no user, the keys alone are
 * sent. `password`: `/auth/login`. `autoLogin`: `/auth/auto-login`, without a password. `token`: a field of the
 * credential.
 */
const LOGIN_METHODS = ['none', 'password', 'autoLogin', 'token'] as const;
export type LoginMethod = (typeof LOGIN_METHODS)[number];

/** The address, the keys and the login of a credential. A field that the login method does not use is empty. */
interface Access {
  baseUrl: string;
  appId: string;
  appKey: string;
  appSecret: string;
  headerPrefix: string;
  loginMethod: LoginMethod;
  /** Whether a user's token is sent beside the keys. */
  hasUserLogin: boolean;
  email: string;
  password: string;
  remember: boolean;
  /** The token that the credential contains, without "Bearer". */
  token: string;
}

/** The credential after `parseCredential`. */
export interface Credential extends Access {
  /**
   * IANA name of the zone in which the service writes `created_at` and its logs. Undefined if the credential names none:
   * the workflow's zone applies.
   */
  timeZone?: string;
  /** Hosts of a private network that files are fetched from, besides the host of the service (`parseFileHosts`). */
  fileHosts: string[];
  /** Maximum number of requests that an execution sends at once. */
  parallelRequests: number;
  /** Milliseconds to wait for a response, or for the next bytes of a file. */
  timeout: number;
  /** Hashes that are part of the keys of memories (`service/memory`). No key and no password can be read from the hashes. */
  fingerprints: {
    /**
     * Everything that determines what the credential may see: the application, its key and the user with the password or
     * token.
     */
    user: string;
    /** The application: base URL and App ID. */
    app: string;
    /** The values by which the service counts requests: base URL and App Key. */
    key: string;
  };
}

/** The defaults of settings that a credential leaves out. */
export const CREDENTIAL_DEFAULTS = {
  /** The name of the service in its headers: `X-Service-App-Key`. */
  headerPrefix: 'Service',
  parallelRequests: 8,
  /** Seconds. */
  requestTimeout: 120,
};

/** In milliseconds. A timer with a delay of more than 2,147,483,647 expires at once. */
const MAX_TIMEOUT_MS = 2_147_000_000;

const trimValue = (value: unknown) => (typeof value === 'string' ? value.trim() : '');

/** @throws InputError if the value cannot be part of a header name (RFC 9110, 5.6.2) */
function parseHeaderPrefix(value: unknown): string {
  const prefix = trimValue(value) || CREDENTIAL_DEFAULTS.headerPrefix;
  if (/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/.test(prefix)) return prefix;
  throw new InputError(
    `The Header Prefix cannot be ${formatForError(value)}`,
    'Open the Record Database API credential and give the word between "X-" and "-App-Key" in the documentation of your service, without spaces.',
  );
}

/** Parses the Service Time Zone. Undefined for an empty value. @throws InputError if there is no such zone */
function parseTimeZone(value: unknown): string | undefined {
  const zone = trimValue(value);
  if (zone === '') return undefined;
  // Node 22 accepts offsets such as "+02:00", which ignore daylight saving time, and Node 20 refuses them. Only names
  // are allowed.
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

/** Parses a number. An empty value gives the default. @throws InputError for a value that is not a number in its range */
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

/**
 * Refuses an unknown value, such as the result of an expression that returns nothing. An unknown value must not count as
 * `none`, because the keys alone give access to all records.
 * @throws InputError
 */
function parseLoginMethod(value: unknown): LoginMethod {
  const method = LOGIN_METHODS.find((one) => one === value);
  if (method) return method;
  throw new InputError(
    `The User Login of the credential cannot be ${formatForError(value)}`,
    `Nothing was sent. Open the Record Database API credential and choose one. An expression must return one of: ${LOGIN_METHODS.join(', ')}.`,
  );
}

/** The fields that each login needs. */
const LOGIN_FIELDS = {
  none: [],
  password: ['email', 'password'],
  autoLogin: ['email'],
  token: ['token'],
} as const satisfies Record<LoginMethod, unknown>;

/** @throws InputError if a field of the login is empty, or the token cannot be part of a header */
export function ensureLoginFields(access: Access): void {
  const missing = LOGIN_FIELDS[access.loginMethod].find((name) => access[name] === '');
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

/** Builds the three key headers (spec: Authentication, Method 1). The prefix is the name of the service. */
export function buildKeyHeaders(access: Access): Record<string, string> {
  const { headerPrefix, appId, appKey, appSecret } = access;
  return {
    [`X-${headerPrefix}-App-id`]: appId,
    [`X-${headerPrefix}-App-Key`]: appKey,
    [`X-${headerPrefix}-App-Secret`]: appSecret,
  };
}

/** A request as n8n passes it to a credential. Only a request of our nodes already has the key headers. */
interface UnsignedRequest {
  url?: string;
  /** The address in requests of n8n's older helper, which the HTTP Request node uses. */
  uri?: string;
  /** The base URL, if `url` or `uri` is a path. */
  baseURL?: string;
  /** The case of the names varies: the HTTP Request node writes them in lower case. */
  headers?: Record<string, unknown>;
  /** The option Proxy of the HTTP Request node. */
  proxy?: unknown;
}

/**
 * Adds the key headers, and the token of a user login, to a request of another node. Keeps a `Bearer` token of the request.
 * Returns the headers of a request of our nodes unchanged.
 * @throws Error if the request goes to another origin than the Base URL or through a proxy of its own, or if the user
 *   must be logged in
 */
export function createHeaders(
  settings: Record<string, unknown>,
  request: UnsignedRequest,
): Record<string, unknown> {
  const access = parseAccess(settings);
  ensureServiceTarget(access, request);
  const keys = buildKeyHeaders(access);
  const requestHeaders = request.headers ?? {};
  // A request with the key headers is from our nodes, which add the user's token themselves (`UserSession`).
  if (Object.entries(keys).every(([name, value]) => requestHeaders[name] === value)) return requestHeaders;
  // The header Host is removed: a proxy in front of the service may pass the request to the host of this header.
  const headers = omitBy(requestHeaders, (_, name) => /^(authorization|host)$/i.test(name));
  const authorizations = Object.values(pickBy(requestHeaders, (_, name) => /^authorization$/i.test(name)));
  return { ...headers, ...keys, ...createAuthorization(access, authorizations) };
}

/**
 * Checks that a request goes to the service, because the keys must not be sent to another server.
 * @throws Error for a request to another origin than the Base URL, or through a proxy of its own
 */
function ensureServiceTarget({ baseUrl }: Access, { url, uri, baseURL, proxy }: UnsignedRequest): void {
  // All requests of our nodes begin with the Base URL and a slash, so their origin is right.
  if (uri === undefined && !proxy && String(url).startsWith(`${baseUrl}/`)) return;
  const { origin } = new URL(baseUrl);
  const refuse = (target: string) =>
    new Error(
      `The keys of this credential are sent to ${origin} only, not ${target}. Use the Base URL of the credential.`,
    );
  if (proxy) throw refuse('through a proxy of the node');
  // n8n's helpers differ in which of the addresses counts, so all of them are checked.
  const addresses = [url, uri].filter((address) => !isBlank(address));
  if (addresses.length === 0) throw refuse('to an empty address');
  for (const address of isBlank(baseURL) ? addresses : [...addresses, baseURL]) {
    const target = parseAddress(address) ?? parseAddress(address, baseURL);
    if (target?.origin !== origin) throw refuse(`to ${target?.origin ?? 'an address that is no URL'}`);
    // n8n would send a name and a password of the address in place of the header Authorization, which holds the user's token.
    if (target.username !== '' || target.password !== '')
      throw refuse('to an address with a user name or a password');
  }
}

/** Parses an address as n8n's HTTP client does: first without the base: `https:host` is a host and no path. */
const parseAddress = (address: unknown, base?: string): URL | undefined =>
  URL.canParse(String(address), base) ? new URL(String(address), base) : undefined;

/**
 * Returns the header `Authorization` of a request of another node, HTTP Request for example.
 * @param authorizations the values of the header in the request
 * @throws Error if the user must be logged in: the keys alone would give access to all records
 */
function createAuthorization(access: Access, authorizations: unknown[]): { Authorization?: unknown } {
  const own = authorizations.find((value) => !isBlank(value));
  if (!access.hasUserLogin) return own === undefined ? {} : { Authorization: own };
  if (/^Bearer +\S/i.test(String(own))) return { Authorization: own };
  ensureLoginFields(access);
  if (access.loginMethod === 'token') return { Authorization: `Bearer ${access.token}` };
  throw new Error(
    'This credential acts as a user, and only the nodes of Record Database log users in. Send "Bearer" and the token of a login in the header Authorization, or choose Token under User Login of the credential.',
  );
}

/** Value of the `Authorization` option for a call that sends the keys without a login. */
export const NO_LOGIN = '';

/** Lists the secret values of a credential, which are removed from messages. */
export const getSecrets = ({ appKey, appSecret, password, token }: Access): string[] => [
  appSecret,
  appKey,
  password,
  token,
];

/** Hashes values for the key of a memory, in which they must not be readable. */
export const createFingerprint = (...values: unknown[]): string =>
  hash('sha256', JSON.stringify(values), 'hex').slice(0, 32);
