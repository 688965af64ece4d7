import type { IHttpRequestOptions } from 'n8n-workflow';
import { clock, pause } from './clock';
import { decide, type Outcome, type Tally } from './retry';
import type { ApiContext } from './send';

/** As much of Node's stream as we use; shipped code may not import its type. */
export interface FileStream {
  pause(): unknown;
  resume(): unknown;
  /** What came and was not read yet. */
  readonly readableLength: number;
  readonly destroyed: boolean;
  readonly readableEnded: boolean;
  on(event: 'data', listener: (chunk: { length: number }) => void): unknown;
  on(event: 'newListener', listener: (event: string) => void): unknown;
  on(event: 'error', listener: () => void): unknown;
  destroy(error?: Error): unknown;
}

export interface FileAnswer {
  status: number;
  /** Lower-case names. */
  headers: Record<string, string>;
  stream: FileStream;
  /** Ends the stream, with this error for whoever reads it, and the connection. */
  close(error?: Error): void;
}

/** A fetch without an answer: the network's code and words. */
export class FetchFault extends Error {
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
    this.name = 'FetchFault';
  }
}

const faultFrom = (error: unknown): FetchFault => {
  const { code, message, cause } = error as Error & { code?: string; cause?: Error & { code?: string } };
  return new FetchFault(cause?.code ?? code ?? 'UNKNOWN', cause?.message ?? message);
};

/**
 * One GET. Beside `send` the only caller of n8n's helper, and apart from it because it must never carry a
 * credential. No redirect is followed; the body is a stream. `identity` asks for the bytes as they are, not packed.
 */
async function get(
  { helpers }: ApiContext,
  url: string,
  timeout: number,
  signal?: AbortSignal,
): Promise<FileAnswer | FetchFault> {
  const ending = new AbortController();
  const options: IHttpRequestOptions = {
    method: 'GET',
    url,
    timeout,
    encoding: 'stream',
    headers: { Accept: '*/*', 'Accept-Encoding': 'identity' },
    returnFullResponse: true,
    ignoreHttpStatusErrors: true,
    disableFollowRedirect: true,
    abortSignal: signal ? AbortSignal.any([signal, ending.signal]) : ending.signal,
  };
  try {
    const answer = (await helpers.httpRequest(options)) as {
      statusCode: number;
      headers: Record<string, string>;
      body: FileStream;
    };
    const stream = answer.body;
    const close = (error?: Error) => {
      // Whoever reads it hears of the error; without a reader, it would end the process.
      stream.on('error', () => undefined);
      stream.destroy(error);
      // n8n 2 hands over a stream around the answer, which when destroyed waits for bytes that may never come.
      ending.abort();
    };
    return { status: answer.statusCode, headers: { ...answer.headers }, stream, close };
  } catch (error) {
    return faultFrom(error);
  }
}

/** A 429 is the host's own affair: no budget of ours knows when it ends. */
const outcomeOf = (result: FileAnswer | FetchFault): Outcome =>
  result instanceof FetchFault
    ? { kind: 'fault', code: result.code }
    : { kind: 'answer', status: result.status, dailyLimit: true };

/**
 * Opens a file on any host, for `download.ts` alone, which has checked the address. It is tried again
 * after a fault.
 */
export async function fetchFile(
  context: ApiContext,
  url: string,
  timeout: number,
  signal?: AbortSignal,
): Promise<FileAnswer | FetchFault> {
  const tally: Tally = { refusals: 0, faults: 0 };
  for (;;) {
    const result = await get(context, url, timeout, signal);
    tally.faults++;
    // A host that does not answer at all is not waited for again and again, for each item.
    const decision = decide(outcomeOf(result), 'lasting', tally, clock.random());
    if (!decision.retry || signal?.aborted) return result;
    if (!(result instanceof FetchFault)) result.close();
    await pause(decision.waitMs, signal);
  }
}
