/**
 * What a client needs: a way to send requests, a clock, a signal that ends waits, and a place for messages. `Port` is
 * the interface. `nodes/n8n/http/port.ts` implements it with n8n.
 */
import type { Clock } from '../concurrency/wait';
import type { NetworkError } from '../errors/apiError';

/** A request as `Port` sends it. */
export interface HttpRequest {
  method: 'GET' | 'POST' | 'DELETE';
  /** The whole address with its query, encoded. It is sent unchanged. */
  url: string;
  /** Values for a JSON body, or a `FormBody`. A GET may have one: `batch-update-check` does. */
  body?: object;
  /** All headers: the key headers, and `Authorization` with a user login. */
  headers: Record<string, string>;
  /** The response may be a file, so its body is returned as bytes. */
  file?: boolean;
  /** Milliseconds for the whole exchange, until the last byte of the response. */
  timeout: number;
  /** The largest response that is read, in bytes after decompression. */
  maxBytes: number;
}

export interface HttpResponse {
  status: number;
  /** Lower-case names. */
  headers: Record<string, string>;
  /** Parsed JSON, text that is not JSON, or bytes if the request has `file`. */
  body: unknown;
}

/** The parts of Node's stream that this package uses. Shipped code may not import the type from Node. */
export interface FileStream {
  pause(): unknown;
  resume(): unknown;
  /** Number of buffered bytes that were not read yet. */
  readonly readableLength: number;
  readonly destroyed: boolean;
  readonly readableEnded: boolean;
  on(event: 'data', listener: (chunk: { length: number }) => void): unknown;
  on(event: 'newListener', listener: (event: string) => void): unknown;
  on(event: 'end' | 'close', listener: () => void): unknown;
  on(event: 'error', listener: (error: unknown) => void): unknown;
  destroy(error?: Error): unknown;
}

/** The response of a host to the request of a file. Its content is still arriving. */
export interface FileResponse {
  status: number;
  /** Lower-case names. */
  headers: Record<string, string>;
  stream: FileStream;
  /** Ends the stream and the connection. The reader of the stream gets `error`. */
  close(error?: Error): void;
}

/**
 * The priority of a call, by its origin.
 * - `urgent`: somebody waits for the answer now: a delivery of the service, which is refused after seconds, a dropdown of
 *   the editor, or the publishing of a workflow.
 * - `normal`: a node that runs in an execution, or a poll.
 */
export type Lane = 'urgent' | 'normal';

/** What a client needs besides the network. */
export interface Runtime {
  readonly clock: Clock;
  /**
   * Ends waits, retries and a login when aborted. Any other request that was sent continues until its response
   * arrives.
   */
  readonly signal?: AbortSignal;
  readonly lane: Lane;
  /** IANA name of the time zone of the workflow. */
  readonly timeZone: string;
  /** Shows progress while a run takes long. */
  showProgress(text: string): void;
  /** Shows a hint beside the results. */
  showHint(text: string): void;
}

/**
 * Connects a client to the network. A port sends each request once: the client handles retries, waits and the rate limit.
 * No method throws. Redirects are not followed, because the key would be sent to another server.
 */
export interface Port extends Runtime {
  /**
   * Sends a request to the service.
   * @param options `login`: whether the request logs the user in. Only a login ends when `signal` is aborted
   * @returns a NetworkError if no complete response arrived
   */
  send(request: HttpRequest, options: { login: boolean }): Promise<HttpResponse | NetworkError>;
  /** Opens a file on any host, without a credential. `timeout` is in milliseconds; `signal` ends the request. */
  openFile(url: string, timeout: number, signal?: AbortSignal): Promise<FileResponse | NetworkError>;
}
