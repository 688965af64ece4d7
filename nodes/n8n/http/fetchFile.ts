import type { IHttpRequestOptions } from 'n8n-workflow';
import { sleepUnlessAborted } from '../../client/concurrency/wait';
import { systemClock } from '../../client/http/clock';
import { type AttemptOutcome, type FailureCounts, decideRetry } from '../../client/http/retry';
import type { ApiContext } from './sendRequest';

/** The parts of Node's stream that this package uses. Shipped code may not import its type. */
export interface FileStream {
  pause(): unknown;
  resume(): unknown;
  /** Number of buffered bytes that were not read yet. */
  readonly readableLength: number;
  readonly destroyed: boolean;
  readonly readableEnded: boolean;
  on(event: 'data', listener: (chunk: { length: number }) => void): unknown;
  on(event: 'newListener', listener: (event: string) => void): unknown;
  on(event: 'error', listener: () => void): unknown;
  destroy(error?: Error): unknown;
}

export interface FileResponse {
  status: number;
  /** Lower-case names. */
  headers: Record<string, string>;
  stream: FileStream;
  /** Ends the stream and the connection. The reader of the stream gets `error`. */
  close(error?: Error): void;
}

/** A fetch without a response, with the code and message of the network error. */
export class FetchError extends Error {
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
    this.name = 'FetchError';
  }
}

const toFetchError = (error: unknown): FetchError => {
  const { code, message, cause } = error as Error & { code?: string; cause?: Error & { code?: string } };
  return new FetchError(cause?.code ?? code ?? 'UNKNOWN', cause?.message ?? message);
};

function closeStream(stream: FileStream, request: AbortController, error?: Error): void {
  // The reader gets the error. Without a listener, the error would end the process.
  stream.on('error', () => undefined);
  stream.destroy(error);
  // n8n 2 wraps the response in another stream. Destroying only that one would leave the connection open.
  request.abort();
}

/**
 * Sends one GET. It does not use `sendRequest`, because it must never send a credential. Redirects are not
 * followed, and the body is a stream. `identity` requests the bytes without compression.
 */
async function requestFile(
  { helpers }: ApiContext,
  url: string,
  timeout: number,
  signal?: AbortSignal,
): Promise<FileResponse | FetchError> {
  const closing = new AbortController();
  const options: IHttpRequestOptions = {
    method: 'GET',
    url,
    timeout,
    encoding: 'stream',
    headers: { Accept: '*/*', 'Accept-Encoding': 'identity' },
    returnFullResponse: true,
    ignoreHttpStatusErrors: true,
    disableFollowRedirect: true,
    abortSignal: signal ? AbortSignal.any([signal, closing.signal]) : closing.signal,
  };
  try {
    const response = (await helpers.httpRequest(options)) as {
      statusCode: number;
      headers: Record<string, string>;
      body: FileStream;
    };
    const close = (error?: Error) => closeStream(response.body, closing, error);
    return { status: response.statusCode, headers: { ...response.headers }, stream: response.body, close };
  } catch (error) {
    return toFetchError(error);
  }
}

/** A 429 is not retried: no rate limiter exists for other hosts. */
const toFetchOutcome = (result: FileResponse | FetchError): AttemptOutcome =>
  result instanceof FetchError
    ? { kind: 'fault', code: result.code }
    : { kind: 'response', status: result.status, dailyLimit: true };

/**
 * Opens a file on any host, with retries. Only `openDownload.ts` calls it, which checks the address first.
 */
export async function fetchFile(
  context: ApiContext,
  url: string,
  timeout: number,
  signal?: AbortSignal,
): Promise<FileResponse | FetchError> {
  const failureCounts: FailureCounts = { refusals: 0, faults: 0 };
  for (;;) {
    const result = await requestFile(context, url, timeout, signal);
    failureCounts.faults++;
    // `longRunning` prevents a retry after a timeout: each item would wait several times for a host that does
    // not answer.
    const decision = decideRetry(toFetchOutcome(result), 'longRunning', failureCounts, systemClock.random());
    if (!decision.retry || signal?.aborted) return result;
    if (!(result instanceof FetchError)) result.close();
    await sleepUnlessAborted(decision.waitMs, signal);
  }
}
