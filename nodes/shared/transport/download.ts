import { sleep } from 'n8n-workflow';
import { ApiFailure } from './errors';
import { downloadTarget, redirectTarget, refuse } from './downloadTarget';
import { FetchFault, fetchFile, type FileAnswer, type FileStream } from './fetchFile';
import { fileNameOf } from './fileName';
import type { ApiContext } from './send';

/** A file on its way: its content arrives while it is read, and ends with an error when it grows too large. */
export interface Download {
  stream: FileStream;
  fileName: string;
  mimeType: string;
  /** Breaks it off, and its connection. */
  close(error?: Error): void;
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

const sizeError = (maxBytes: number): ApiFailure =>
  new ApiFailure({
    message: `The file is larger than ${Math.floor(maxBytes / MEGABYTE)} MB, so it was not downloaded`,
    description: 'Raise "Maximum File Size (MB)" in the options, or fetch the file in the service.',
  });

const statusError = (status: number): ApiFailure =>
  new ApiFailure(
    {
      message: `The file could not be fetched (${status})`,
      description:
        status >= 500
          ? 'Its host is in trouble. Try again later.'
          : 'Its address may have expired. Fetch the file in the service, or have it made again.',
    },
    status,
  );

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
    const answer = await fetchFile(context, url.href, timeout, signal);
    if (answer instanceof FetchFault) throw downloadFailure(answer, false, maxBytes);
    const { status, headers, stream, close } = answer;
    if (status >= 300 && status < 400) {
      close();
      url = redirectTarget(headers.location, url, baseUrl);
      continue;
    }
    if (status !== 200) {
      close();
      throw statusError(status);
    }
    if (Number(headers['content-length']) > maxBytes) {
      close();
      throw sizeError(maxBytes);
    }
    const mimeType = (headers['content-type'] ?? '').split(';')[0]?.trim() || 'application/octet-stream';
    void watch(answer, timeout);
    return capped(
      { stream, close, fileName: fileNameOf(headers['content-disposition'] ?? '', url.pathname), mimeType },
      maxBytes,
    );
  }
  throw refuse('it redirects too often');
}

/** A stream that ended is noticed after this long at most; n8n's `sleep` cannot be broken off. */
const PIECE_MS = 1_000;

/** The request's own timeout ends with its headers: a body of which nothing comes for as long is broken off too. */
async function watch({ stream, close }: FileAnswer, timeout: number): Promise<void> {
  let cameAt = performance.now();
  stream.on('data', () => (cameAt = performance.now()));
  stream.pause();
  while (!stream.destroyed && !stream.readableEnded) {
    await sleep(Math.min(PIECE_MS, timeout));
    // What waits to be read is its reader's matter.
    if (stream.readableLength > 0) cameAt = performance.now();
    else if (performance.now() - cameAt >= timeout)
      close(new Error(`Nothing came for ${Math.ceil(timeout / 1000)} s`));
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
    file.close(new Error('too large'));
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
