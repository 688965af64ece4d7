import { ApiFailure } from './errors';

/** Says why an address is not fetched. */
export const refuse = (reason: string): ApiFailure =>
  new ApiFailure({
    message: `The download address was not fetched: ${reason}`,
    description:
      'Files are fetched from plain http and https addresses only, without any credential. Check in the service where the file lies.',
  });

/** Names and addresses inside a network: what a workflow must not be led to by an address in an answer. */
const PRIVATE = [
  /^localhost$|\.(localhost|local|internal|lan|home|arpa)$/,
  /^(0|10|127)\./,
  /^169\.254\./,
  /^172\.(1[6-9]|2\d|3[01])\./,
  /^192\.168\./,
  /^192\.0\.0\./,
  /^198\.1[89]\./,
  /^100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])\./,
  /^(22[4-9]|2[3-5]\d)\./,
  /^\[(::1?|f[cde]|::ffff:|64:ff9b:|2002:|fec)/,
];

/** `http://2130706433/` and its kin are already 127.0.0.1 here: the URL parser has one spelling a host. */
function isPrivate({ hostname }: URL): boolean {
  const host = hostname.replace(/\.$/, '');
  // A name without a dot is one of the network that n8n stands in.
  return !/[.\]]/.test(host) || PRIVATE.some((pattern) => pattern.test(host));
}

/**
 * Parsers drop tabs and line breaks and take backslashes for slashes; no honest address has them. A plain
 * space after the host is that of a file's name, written as it is.
 */
const PLAIN_ADDRESS = /^https?:\/\/[^/?#\\\s\u0000-\u001f]+([/?#]([^\\\s\u0000-\u001f]| (?!$))*)?$/i;

/** An address without a host is one of the service itself; `//host` names another. */
const whole = (address: unknown, baseUrl: string): unknown =>
  typeof address === 'string' && /^\/(?![/\\])/.test(address) ? new URL(baseUrl).origin + address : address;

/**
 * The address to fetch a file from, when it may be: http(s), no user or password, a public host or the
 * service's own.
 * @throws ApiFailure
 */
export function downloadTarget(given: unknown, baseUrl: string): URL {
  const address = whole(given, baseUrl);
  if (typeof address !== 'string' || !PLAIN_ADDRESS.test(address)) throw refuse('it is no http(s) address');
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url) throw refuse('it is no http(s) address');
  if (url.username || url.password || /^[^/?#]*@/.test(address.slice(address.indexOf('//') + 2))) {
    throw refuse('it holds a user or password');
  }
  if (isPrivate(url) && url.hostname !== new URL(baseUrl).hostname) {
    throw refuse('its host is inside a private network');
  }
  return url;
}

/** An address as the next hop may be; a redirect must not step down from https. */
export function redirectTarget(location: string | undefined, from: URL, baseUrl: string): URL {
  if (location === undefined || !URL.canParse(location, from.href)) throw refuse('it redirects to nowhere');
  const target = downloadTarget(new URL(location, from).href, baseUrl);
  if (from.protocol === 'https:' && target.protocol === 'http:')
    throw refuse('it redirects from https to http');
  return target;
}
