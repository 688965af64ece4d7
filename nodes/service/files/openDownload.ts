/** Downloads files from checked addresses, without a credential. */
import { floor } from 'lodash';
import { type WaitContext, sleepUnlessAborted } from '../concurrency/wait';
import { ApiError, NetworkError } from '../errors/apiError';
import { type Client, MEGABYTE } from '../http/client';
import type { FileResponse, FileStream } from '../http/port';
import { type AttemptResult, createFailedResult } from '../http/response';
import { decideRetry } from '../http/retry';
import {
  type DownloadSettings,
  createDownloadUrlError,
  parseDownloadUrl,
  parseFileName,
  parseRedirectUrl,
} from './downloadUrl';

/**
 * Downloads a file whose address comes from a response of the service. No credential is sent, because the file may be
 * on another host. Each redirect target is checked like the first address.
 * @param maxMegabytes after decompression; a megabyte has 1,048,576 bytes
 * @param read reads the stream to its end. If the file is too large, the stream ends with an error
 * @example
 * await download(client, entry.download_url, 100, ({ stream, fileName, mimeType }) => store(stream, fileName, mimeType));
 * @returns what `read` returns
 * @throws ApiError if the file cannot be opened, is too large or empty, or breaks off
 */
export async function download<T>(
  client: DownloadClient,
  address: unknown,
  maxMegabytes: number,
  read: (file: Download) => Promise<T>,
): Promise<T> {
  for (let faults = 1; ; faults++) {
    const result = await tryDownload(client, address, maxMegabytes * MEGABYTE, read);
    if (!(result instanceof DownloadFault)) return result;
    // A `longRunning` call is not repeated after a timeout: otherwise, each item would wait several times for a host.
    const decision = decideRetry(
      result.attempt,
      'longRunning',
      { refusals: 0, faults },
      client.clock.random(),
    );
    if (!decision.retry || client.signal?.aborted) throw result.error;
    await sleepUnlessAborted(decision.waitMs, client);
  }
}

/** A failed download that may succeed on another attempt. */
class DownloadFault {
  constructor(
    readonly attempt: AttemptResult,
    readonly error: ApiError,
  ) {}
}

/** @throws ApiError if another attempt cannot help */
async function tryDownload<T>(
  client: DownloadClient,
  address: unknown,
  maxBytes: number,
  read: (file: Download) => Promise<T>,
): Promise<T | DownloadFault> {
  const file = await openDownload(client, address, maxBytes);
  if (file instanceof DownloadFault) return file;
  const result = await read(file).catch((error: unknown) => {
    file.close();
    return toDownloadFault(error);
  });
  if (file.byteCount > maxBytes) throw createFileTooLargeError(maxBytes);
  if (result instanceof DownloadFault) return result;
  if (file.byteCount === 0) throw createEmptyFileError();
  return result;
}

/** @throws ApiError if another attempt cannot help */
export async function openDownload(
  client: DownloadClient,
  address: unknown,
  maxBytes: number,
): Promise<Download | DownloadFault> {
  const { port, timeout, signal, credential: settings } = client;
  let url = parseDownloadUrl(address, settings);
  for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
    const response = await port.openFile(url.href, timeout, signal);
    if (response instanceof NetworkError) return toDownloadFault(response);
    const { status, headers } = response;
    if (status === 429 || status >= 500) {
      response.close();
      // There is no rate limiter for other hosts, so a 429 is retried like a 503.
      const attempt = { status: status === 429 ? 503 : status, headers, body: {} };
      return new DownloadFault(attempt, createStatusError(status));
    }
    if (status < 300 || status >= 400) return createDownload(response, url, client, maxBytes);
    response.close();
    url = parseRedirectUrl(headers.location, url, settings);
  }
  throw createDownloadUrlError('it redirects too often');
}

/** @param maxBytes may be less than a megabyte */
export const createFileTooLargeError = (maxBytes: number): ApiError =>
  new ApiError({
    message: `The file is larger than ${floor(maxBytes / MEGABYTE, 3)} MB, so it was not downloaded`,
    description: 'The file itself is complete: download it in the service.',
    code: 'fileTooLarge',
  });

const createStatusError = (status: number): ApiError =>
  new ApiError({
    message: `The file could not be fetched (${status})`,
    description:
      status >= 500 || status === 429
        ? 'The server that holds the file failed, or refused it for a moment. Try again later.'
        : 'It may have been deleted, or its address may have expired. Fetch the file in the service, or generate it again.',
    status,
  });

const createWebPageError = ({ host }: URL): ApiError =>
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

/** @throws an ApiError unchanged: it explains the failure already */
function toDownloadFault(error: unknown): DownloadFault {
  if (error instanceof ApiError) throw error;
  const { code = '', message = 'No answer' } = error as { code?: string; message?: string };
  const description = `${message}${code ? ` (${code})` : ''}. Try again later.`;
  return new DownloadFault(
    createFailedResult(new NetworkError(code, message)),
    new ApiError({ message: 'The download broke off', description }),
  );
}

/** A download whose content arrives while it is read. */
interface Download {
  stream: FileStream;
  fileName: string;
  mimeType: string;
  /** The size of the file as the host announces it, or else the size limit. */
  maxBytes: number;
  /** Ends the stream and the connection. The reader of the stream gets `error`. */
  close(error?: Error): void;
  /** Number of bytes that have arrived. */
  readonly byteCount: number;
}

/** Time between two checks. A sleep cannot be cancelled, so one check may follow the end of the stream. */
const STALL_CHECK_INTERVAL_MS = 1_000;

/** Closes a download if no bytes arrive for `timeout` ms. The timeout of `openFile` covers only the headers. */
export async function closeStalledDownload(
  { stream, close }: FileResponse,
  timeout: number,
  clock: WaitContext['clock'],
): Promise<void> {
  let lastDataAt = performance.now();
  stream.on('data', () => (lastDataAt = performance.now()));
  stream.pause();
  while (!stream.destroyed && !stream.readableEnded) {
    await clock.sleep(Math.min(STALL_CHECK_INTERVAL_MS, timeout));
    // Buffered bytes show that the reader is slow, not the server, so the timeout begins again.
    if (stream.readableLength > 0) lastDataAt = performance.now();
    else if (performance.now() - lastDataAt >= timeout)
      close(new NetworkError('ETIMEDOUT', `Nothing came for ${Math.ceil(timeout / 1000)} s`));
  }
}

/**
 * Counts the bytes after decompression: a small response may become gigabytes. The `data` listener that
 * counts would start the stream before the reader is ready, so the stream is paused. The `data` listener of a
 * reader (n8n 1) does not resume a paused stream, so this function resumes the stream.
 */
export function limitFileSize(file: Omit<Download, 'byteCount'>, limit: number): Download {
  let byteCount = 0;
  file.stream.pause();
  file.stream.on('data', (chunk) => {
    byteCount += chunk.length;
    if (byteCount > limit) file.close(new Error('too large'));
  });
  file.stream.on('newListener', (event) => {
    if (event === 'data') file.stream.resume();
  });
  return {
    ...file,
    get byteCount() {
      return byteCount;
    },
  };
}

const MAX_REDIRECTS = 3;

/** Whether a login or error page arrived in place of the file. A real HTML file has the extension .html. */
const isUnexpectedWebPage = (mimeType: string, fileName: string): boolean =>
  /^(text\/html|application\/xhtml\+xml)$/i.test(mimeType) && !/\.x?html?$/i.test(fileName);

const parseMimeType = (contentType = ''): string =>
  contentType.split(';')[0]?.trim() || 'application/octet-stream';

/** @throws ApiError if the response contains no file. The response is closed first */
function createDownload(
  response: FileResponse,
  url: URL,
  { clock, timeout }: DownloadClient,
  maxBytes: number,
): Download {
  const { status, headers, stream, close } = response;
  const length = headers['content-length'];
  const fileName = parseFileName(headers['content-disposition'] ?? '', url.pathname);
  const mimeType = parseMimeType(headers['content-type']);
  const findProblem = (): ApiError | undefined => {
    if (status !== 200) return createStatusError(status);
    if (Number(length) > maxBytes) return createFileTooLargeError(maxBytes);
    if (isUnexpectedWebPage(mimeType, fileName)) return createWebPageError(url);
    return length === '0' ? createEmptyFileError() : undefined;
  };
  const problem = findProblem();
  if (problem) {
    close();
    throw problem;
  }
  void closeStalledDownload(response, timeout, clock);
  return limitFileSize({ stream, close, fileName, mimeType, maxBytes: Number(length) || maxBytes }, maxBytes);
}

export interface DownloadClient extends Pick<Client, 'clock' | 'signal' | 'timeout'> {
  port: Pick<Client['port'], 'openFile'>;
  credential: DownloadSettings;
}
