/** The addresses and names of files. */
import { ApiError } from '../errors/apiError';
import { type Credential, matchesHost } from '../http/credential';
import { isBlank, isObject, tryOr } from '../input/values';

/**
 * Refuses a host in a private network, unless it is the host of the service or in the setting File Hosts.
 * @throws ApiError for another private host, and for an address without http(s), or with a user name or
 * password
 */
export function parseDownloadUrl(input: unknown, settings: DownloadSettings): URL {
  const address = toAbsoluteUrl(input, settings.baseUrl);
  if (!UNAMBIGUOUS_URL.test(address) || !URL.canParse(address))
    throw createDownloadUrlError('it is not an http(s) address');
  const url = new URL(address);
  if (/^[^/?#]*@/.test(address.slice(address.indexOf('//') + 2)))
    throw createDownloadUrlError('it contains a user name or a password');
  if (isPrivateHost(url) && !isAllowedPrivateHost(url, settings)) throw createPrivateHostError(url);
  return url;
}

const DOWNLOAD_URL_REMEDY =
  'Files are fetched from plain http and https addresses only, without any credential. Check in the service where the file lies.';

export const createDownloadUrlError = (reason: string, description = DOWNLOAD_URL_REMEDY): ApiError =>
  new ApiError({ message: `The download address was not fetched: ${reason}`, description });

const createPrivateHostError = ({ host }: URL): ApiError =>
  createDownloadUrlError(
    `${host} is inside a private network`,
    `If the service keeps its files there, open the Record Database API credential, turn on Advanced Settings, and add ${host} to File Hosts.`,
  );

/** A response of the service must not cause requests to hosts of a private network. */
const PRIVATE_HOST_PATTERNS = [
  /^localhost$|\.(localhost|localdomain|localnet|local|internal|intranet|private|corp|lan|home|arpa|svc|cluster|docker)$/,
  /^(0|10|127)\./,
  /^169\.254\./,
  // Azure provides services to its virtual machines at this public address.
  /^168\.63\.129\.16$/,
  /^172\.(1[6-9]|2\d|3[01])\./,
  /^192\.168\./,
  /^192\.0\.0\./,
  /^198\.1[89]\./,
  /^100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])\./,
  /^(22[4-9]|2[3-5]\d)\./,
  // An address with one of the last three prefixes (NAT64, 6to4, Teredo) contains an IPv4 address, also a private one.
  /^\[(::1?|f[cdef]|::ffff:|fec|64:ff9b:|2002:|2001:0?:)/,
];

/** The URL parser has already converted spellings such as `http://2130706433/` to 127.0.0.1. */
function isPrivateHost({ hostname }: URL): boolean {
  const host = hostname.replace(/\.$/, '');
  // A name without a dot belongs to the local network.
  return !/[.\]]/.test(host) || PRIVATE_HOST_PATTERNS.some((pattern) => pattern.test(host));
}

/**
 * An address without tabs, line breaks and backslashes: URL parsers change these, so the fetched address
 * could differ from the checked one. The path may contain spaces, because file names do.
 */
const UNAMBIGUOUS_URL = /^https?:\/\/[^/?#\\\s\p{Cc}]+([/?#]([^\\\s\p{Cc}]| (?!$))*)?$/iu;

/** Adds the host of the service to an address without a host. An address that begins with `//` has a host. */
function toAbsoluteUrl(address: unknown, baseUrl: string): string {
  const text = typeof address === 'string' ? address : '';
  return /^\/(?![/\\])/.test(text) ? new URL(baseUrl).origin + text : text;
}

/** `fileHosts` are the hosts in a private network from which files may be downloaded. */
export type DownloadSettings = Pick<Credential, 'baseUrl' | 'fileHosts'>;

const isAllowedPrivateHost = (url: URL, { baseUrl, fileHosts }: DownloadSettings): boolean =>
  matchesHost(url, new URL(baseUrl).host) || fileHosts.some((entry) => matchesHost(url, entry));

/** @throws ApiError if the target is not allowed, or leads from https to http */
export function parseRedirectUrl(location: string | undefined, from: URL, settings: DownloadSettings): URL {
  if (location === undefined || !URL.canParse(location, from.href))
    throw createDownloadUrlError('it redirects without a target address');
  const target = parseDownloadUrl(new URL(location, from).href, settings);
  if (from.protocol === 'https:' && target.protocol === 'http:')
    throw createDownloadUrlError('it redirects from https to http');
  return target;
}

const UTF8_FILE_NAME_PATTERN = /filename\*\s*=\s*UTF-8''([^;]+)/i;
const FILE_NAME_PATTERN = /filename\s*=\s*(?:"([^"]*)"|([^;]+))/i;

/** Control characters, and characters that reverse text: they can make `gpj.exe` look like `exe.jpg`. */
const INVISIBLE_CHARACTERS = /[\p{Cc}\u061c\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/gu;

/** Decodes a percent-encoded name, and a name in UTF-8, whose bytes Node returns as single characters. */
function decodeFileName(text: string): string {
  const utf8Name = Buffer.from(text, 'latin1').toString('utf8');
  const name = /[^\0-\xff]/.test(text) || utf8Name.includes('\ufffd') ? text : utf8Name;
  return tryOr(() => decodeURIComponent(name), name);
}

/** Finds the file name in the header `Content-Disposition`, or else in the path of the address. Removes folders. */
export function parseFileName(header: string, path = ''): string {
  const plain = FILE_NAME_PATTERN.exec(header);
  const encodedName =
    UTF8_FILE_NAME_PATTERN.exec(header)?.[1] ?? plain?.[1] ?? plain?.[2] ?? path.split('/').pop() ?? '';
  const name = decodeFileName(encodedName.trim())
    .replace(/^.*[/\\]/s, '')
    .replace(INVISIBLE_CHARACTERS, '');
  return /^\.*$/.test(name) ? 'file' : name;
}

/** A comma within an address does not split the address. */
const splitAddresses = (text: string): string[] => text.trim().split(/(?<![,;\s])[,;\s]+(?=https?:\/\/|\/)/i);

/** Lists the files in a value of a File field. `fileName` leaves out the query of the address, maybe a signature. */
export const listFiles = (value: unknown): Array<{ address: string; fileName: string }> =>
  listFileAddresses(value).map((address) => ({
    address,
    fileName: parseFileName('', address.replace(/[?#].*$/s, '')),
  }));

/** Reads addresses: texts, and `url` or, for an image, `src` of objects (evidence 10). See silences.md: `files`. */
export function listFileAddresses(value: unknown): string[] {
  if (isBlank(value)) return [];
  if (Array.isArray(value)) return value.flatMap(listFileAddresses);
  if (!isObject(value)) return splitAddresses(String(value));
  const { url, src = url } = value;
  return [isBlank(src) ? JSON.stringify(value) : String(src)];
}
