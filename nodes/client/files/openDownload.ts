import { sleep } from 'n8n-workflow';
import { FetchError, type FileResponse, type FileStream, fetchFile } from '../../n8n/http/fetchFile';
import type { ApiContext } from '../../n8n/http/sendRequest';
import { ApiError } from '../errors/apiError';
import {
  type FileOrigin,
  createDownloadUrlError,
  parseDownloadUrl,
  parseFileName,
  parseRedirectUrl,
} from './downloadUrl';

export const DEFAULT_MAX_MEGABYTES = 100;
export const MEGABYTE = 1024 * 1024;

export const createSizeError = (maxBytes: number): ApiError =>
  new ApiError({
    message: `The file is larger than ${Math.floor(maxBytes / MEGABYTE)} MB, so it was not downloaded`,
    description: 'The file itself is complete: download it in the service.',
    code: 'fileTooLarge',
  });

export const createStatusError = (status: number): ApiError =>
  new ApiError({
    message: `The file could not be fetched (${status})`,
    description:
      status >= 500
        ? 'The server that holds the file failed. Try again later.'
        : 'Its address may have expired. Fetch the file in the service, or generate it again.',
    status,
  });

export const createPageError = ({ host }: URL): ApiError =>
  new ApiError({
    message: `${host} answered with a web page instead of the file`,
    description:
      'The address may have expired or need a login. Fetch the file in the service, or generate it again.',
  });

export const createEmptyFileError = (): ApiError =>
  new ApiError({
    message: 'The file is empty: 0 bytes arrived',
    description: 'Fetch the file in the service, or generate it again.',
  });

/** Converts an error while opening or reading a download to a message for the user. */
export function toDownloadError(error: unknown, tooLarge: boolean, maxBytes: number): ApiError {
  if (error instanceof ApiError) return error;
  if (tooLarge) return createSizeError(maxBytes);
  const { code, message } = error as { code?: string; message?: string };
  return new ApiError({
    message: 'The download broke off',
    description: `${message ?? 'No answer'}${code ? ` (${code})` : ''}. Try again later.`,
  });
}

/**
 * An open download. The content arrives while it is read. The stream ends with an error if it exceeds the
 * limit.
 */
interface Download {
  stream: FileStream;
  fileName: string;
  mimeType: string;
  /** Ends the download and the connection. */
  close(error?: Error): void;
  /** Whether the download was ended because the content exceeded the limit. */
  readonly isTooLarge: boolean;
  /** Number of bytes that have arrived. */
  readonly byteCount: number;
}

/**
 * Milliseconds between two checks for a stalled stream. n8n's `sleep` cannot be cancelled, so it runs this
 * long after the stream has ended.
 */
const STALL_CHECK_MS = 1_000;

/**
 * Closes a download if no bytes arrive for `timeout` milliseconds. The timeout of the request covers the
 * headers only.
 */
export async function closeWhenStalled({ stream, close }: FileResponse, timeout: number): Promise<void> {
  let lastDataAt = performance.now();
  stream.on('data', () => (lastDataAt = performance.now()));
  stream.pause();
  while (!stream.destroyed && !stream.readableEnded) {
    await sleep(Math.min(STALL_CHECK_MS, timeout));
    // Unread buffered data means that the reader is slow, not the server. Do not time out.
    if (stream.readableLength > 0) lastDataAt = performance.now();
    else if (performance.now() - lastDataAt >= timeout)
      close(new Error(`Nothing came for ${Math.ceil(timeout / 1000)} s`));
  }
}

/**
 * Ends the download if it exceeds `maxBytes`. It counts the decompressed bytes, because the header may be
 * wrong and a small response may decompress to gigabytes. The stream is paused, so that the listener here
 * does not start it before its reader is attached. n8n 1 reads by adding a `data` listener, which does not
 * resume a paused stream.
 */
export function limitSize(file: Omit<Download, 'isTooLarge' | 'byteCount'>, maxBytes: number): Download {
  let bytes = 0;
  let tooLarge = false;
  file.stream.pause();
  file.stream.on('data', (chunk) => {
    bytes += chunk.length;
    if (bytes <= maxBytes) return;
    tooLarge = true;
    file.close(new Error('too large'));
  });
  file.stream.on('newListener', (event) => {
    if (event === 'data') file.stream.resume();
  });
  return {
    ...file,
    get isTooLarge() {
      return tooLarge;
    },
    get byteCount() {
      return bytes;
    },
  };
}

interface DownloadOptions {
  /** Hosts of a private network that files may be fetched from. */
  origin: FileOrigin;
  maxBytes: number;
  timeout: number;
  signal?: AbortSignal;
}

const MAX_REDIRECTS = 3;

/** Whether a response is a login or error page instead of the file. A real HTML file has the extension .html. */
const isUnexpectedPage = (mimeType: string, fileName: string): boolean =>
  /^(text\/html|application\/xhtml\+xml)$/i.test(mimeType) && !/\.x?html?$/i.test(fileName);

const parseMimeType = (contentType = ''): string =>
  contentType.split(';')[0]?.trim() || 'application/octet-stream';

/** Returns why a response is not the wanted file; undefined for a file. */
function findProblem({ status, headers }: FileResponse, url: URL, maxBytes: number): ApiError | undefined {
  if (status !== 200) return createStatusError(status);
  if (Number(headers['content-length']) > maxBytes) return createSizeError(maxBytes);
  const fileName = parseFileName(headers['content-disposition'] ?? '', url.pathname);
  if (isUnexpectedPage(parseMimeType(headers['content-type']), fileName)) return createPageError(url);
  return headers['content-length'] === '0' ? createEmptyFileError() : undefined;
}

/** Returns the download of a response. @throws ApiError if the response is not the wanted file; it is then closed */
function acceptFile(
  response: FileResponse,
  url: URL,
  { maxBytes, timeout }: Pick<DownloadOptions, 'maxBytes' | 'timeout'>,
): Download {
  const problem = findProblem(response, url, maxBytes);
  if (problem) {
    response.close();
    throw problem;
  }
  const { headers, stream, close } = response;
  void closeWhenStalled(response, timeout);
  const fileName = parseFileName(headers['content-disposition'] ?? '', url.pathname);
  return limitSize({ stream, close, fileName, mimeType: parseMimeType(headers['content-type']) }, maxBytes);
}

/**
 * Opens the file at `address`, which comes from a response of the service. No credential is sent, because the
 * host may be another one. Each redirect target is checked like the first address.
 * @throws ApiError if the file cannot be opened
 */
export async function openDownload(
  context: ApiContext,
  address: unknown,
  { origin, maxBytes, timeout, signal }: DownloadOptions,
): Promise<Download> {
  let url = parseDownloadUrl(address, origin);
  for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
    const response = await fetchFile(context, url.href, timeout, signal);
    if (response instanceof FetchError) throw toDownloadError(response, false, maxBytes);
    const { status, headers } = response;
    if (status < 300 || status >= 400) return acceptFile(response, url, { maxBytes, timeout });
    response.close();
    url = parseRedirectUrl(headers.location, url, origin);
  }
  throw createDownloadUrlError('it redirects too often');
}
