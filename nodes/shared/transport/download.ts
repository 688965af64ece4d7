import { sleep } from 'n8n-workflow';
import { ApiFailure } from './errors';
import { FetchFault, fetchFile, type FileStream } from './fetchFile';
import type { ApiContext } from './send';

/** A file on its way: its content arrives while it is read, and ends with an error when it grows too large. */
export interface Download {
  stream: FileStream;
  fileName: string;
  mimeType: string;
  /** Set once the content grew over the limit and was broken off. */
  readonly tooLarge: boolean;
}

export interface DownloadOptions {
  /** Of the service; hosts that are not public are fetched only where it stands on the same one. */
  baseUrl: string;
  maxBytes: number;
  timeout: number;
  signal?: AbortSignal;
}

export const DEFAULT_MAX_MEGABYTES = 100;
export const MEGABYTE = 1024 * 1024;

const MAX_REDIRECTS = 3;

const refuse = (reason: string): ApiFailure =>
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
  // Parsers drop tabs and line breaks and take backslashes for slashes; no honest address has them.
  if (
    typeof address !== 'string' ||
    !/^https?:\/\/[^/\\]/i.test(address) ||
    /[\s\\\u0000-\u001f]/.test(address)
  ) {
    throw refuse('it is no http(s) address');
  }
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
function redirectTarget(location: string | undefined, from: URL, baseUrl: string): URL {
  if (location === undefined || !URL.canParse(location, from.href)) throw refuse('it redirects to nowhere');
  const target = downloadTarget(new URL(location, from).href, baseUrl);
  if (from.protocol === 'https:' && target.protocol === 'http:')
    throw refuse('it redirects from https to http');
  return target;
}

const EXTENDED = /filename\*\s*=\s*UTF-8''([^;]+)/i;
const PLAIN = /filename\s*=\s*(?:"([^"]*)"|([^;]+))/i;

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The file's name, from the header or the address; a name only, never a path. */
export function fileNameOf(header: string, path = ''): string {
  const plain = PLAIN.exec(header);
  const named = EXTENDED.exec(header)?.[1] ?? plain?.[1] ?? plain?.[2] ?? path.split('/').pop() ?? '';
  const name = decoded(named.trim())
    .replace(/^.*[/\\]/, '')
    .replace(/[\u0000-\u001f]/g, '');
  return /^\.*$/.test(name) ? 'file' : name;
}

const sizeError = (maxBytes: number): ApiFailure =>
  new ApiFailure({
    message: `The file is larger than ${Math.floor(maxBytes / MEGABYTE)} MB, so it was not downloaded`,
    description: 'Raise "Maximum File Size (MB)" in the options, or fetch the file in the service.',
  });

/** What broke off while reading, in the user's words. */
export function downloadFailure(error: unknown, tooLarge: boolean, maxBytes: number): ApiFailure {
  if (error instanceof ApiFailure) return error;
  if (tooLarge) return sizeError(maxBytes);
  const { code, message } = error as { code?: string; message?: string };
  return new ApiFailure({
    message: 'The download broke off',
    description: `${message ?? 'No answer'}${code ? ` (${code})` : ''}. Try again later.`,
  });
}

/**
 * Opens the file at `address`, which an answer of the service named, without any credential (the host may
 * be another one). Redirects are followed by hand, each target checked like the first.
 * @throws ApiFailure
 */
export async function download(
  context: ApiContext,
  address: unknown,
  { baseUrl, maxBytes, timeout, signal }: DownloadOptions,
): Promise<Download> {
  let url = downloadTarget(address, baseUrl);
  for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
    const answer = await fetchFile(context, url.href, timeout, signal).catch((fault: FetchFault) => fault);
    if (answer instanceof FetchFault) throw downloadFailure(answer, false, maxBytes);
    const { status, headers, stream } = answer;
    if (status >= 300 && status < 400) {
      stream.destroy();
      url = redirectTarget(headers.location, url, baseUrl);
      continue;
    }
    if (status !== 200) {
      stream.destroy();
      throw new ApiFailure(
        {
          message: `The file could not be fetched (${status})`,
          description: 'Its address may have expired. Fetch the file in the service, or have it made again.',
        },
        status,
      );
    }
    if (Number(headers['content-length']) > maxBytes) {
      stream.destroy();
      throw sizeError(maxBytes);
    }
    const mimeType = (headers['content-type'] ?? '').split(';')[0]?.trim() || 'application/octet-stream';
    void watch(stream, timeout);
    return capped(
      { stream, fileName: fileNameOf(headers['content-disposition'] ?? '', url.pathname), mimeType },
      maxBytes,
    );
  }
  throw refuse('it redirects too often');
}

/** A stream that ended is noticed after this long at most; n8n's `sleep` cannot be broken off. */
const PIECE_MS = 1_000;

/** The request's own timeout ends with its headers: a body of which nothing comes for as long is broken off too. */
async function watch(stream: FileStream, timeout: number): Promise<void> {
  let cameAt = performance.now();
  stream.on('data', () => (cameAt = performance.now()));
  stream.pause();
  while (!stream.destroyed && !stream.readableEnded) {
    await sleep(Math.min(PIECE_MS, timeout));
    // What waits to be read is its reader's matter.
    if (stream.readableLength > 0) cameAt = performance.now();
    else if (performance.now() - cameAt >= timeout)
      stream.destroy(new Error(`Nothing came for ${Math.ceil(timeout / 1000)} seconds`));
  }
}

/**
 * Counts what really arrives, unpacked: a header may lie, and a small answer may unpack to gigabytes. The
 * stream is paused first, so that listening here does not start it before its reader is there; n8n 1 reads by
 * listening alone, which does not wake a paused stream.
 */
function capped(file: Omit<Download, 'tooLarge'>, maxBytes: number): Download {
  let bytes = 0;
  let tooLarge = false;
  file.stream.pause();
  file.stream.on('data', (chunk) => {
    bytes += chunk.length;
    if (bytes <= maxBytes) return;
    tooLarge = true;
    file.stream.destroy(new Error('too large'));
  });
  file.stream.on('newListener', (event) => {
    if (event === 'data') file.stream.resume();
  });
  return {
    ...file,
    get tooLarge() {
      return tooLarge;
    },
  };
}
