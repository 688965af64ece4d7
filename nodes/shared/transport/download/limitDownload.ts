import { sleep } from 'n8n-workflow';
import type { FileResponse, FileStream } from './fetchFile';

/**
 * An open download. The content arrives while it is read. The stream ends with an error if it exceeds the
 * limit.
 */
export interface Download {
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
