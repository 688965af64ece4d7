/** How a client reaches the network, the clock and the user. `nodes/n8n/http/port.ts` implements this with n8n. */
import type { Clock } from '../concurrency/wait';
import type { NetworkError } from '../errors/apiError';

export interface HttpRequest {
  method: 'GET' | 'POST' | 'DELETE';
  /** The encoded address, with its query. */
  url: string;
  /** Values for a JSON body, or a `FormBody`. A GET may have a body: `batch-update-check` does. */
  body?: object;
  /** The headers, including the keys and the `Authorization` of a user login. */
  headers: Record<string, string>;
  /** Whether the body of the response is returned as bytes. */
  mayBeFile?: boolean;
  /** Milliseconds from the request to the last byte of the response. */
  timeout: number;
  /** Maximum bytes of the response, after decompression. */
  maxBytes: number;
}

export interface HttpResponse {
  status: number;
  /** The names are in lower case. */
  headers: Record<string, string>;
  /** Parsed JSON, text that is not JSON, or bytes if the request has `mayBeFile`. */
  body: unknown;
}

/** What this package uses of Node's streams. Shipped code may not import types of Node. */
export interface FileStream {
  pause(): unknown;
  resume(): unknown;
  /** Number of bytes that have arrived and were not read yet. */
  readonly readableLength: number;
  readonly destroyed: boolean;
  readonly readableEnded: boolean;
  on(event: 'data', listener: (chunk: { length: number }) => void): unknown;
  on(event: 'newListener', listener: (event: string) => void): unknown;
  on(event: 'end' | 'close', listener: () => void): unknown;
  on(event: 'error', listener: (error: unknown) => void): unknown;
  destroy(error?: Error): unknown;
}

/** A file whose content is still arriving. */
export interface FileResponse {
  status: number;
  headers: Record<string, string>;
  stream: FileStream;
  /** Ends the stream and the connection. The reader of the stream gets `error`. */
  close(error?: Error): void;
}

/** `urgent`: a webhook delivery, a dropdown list or the publication of a workflow waits for the answer. */
export type Lane = 'urgent' | 'normal';

export interface Runtime {
  readonly clock: Clock;
  /** An abort ends waits, retries, logins and downloads. Other requests continue, unless n8n cancels them. */
  readonly signal?: AbortSignal;
  readonly lane: Lane;
  /** IANA name of the workflow's time zone. */
  readonly timeZone: string;
  showProgress(text: string): void;
  showHint(text: string): void;
}

/**
 * Connects a client to the network. Sends each request once, and returns a failure in place of throwing it: the client
 * decides what is repeated. Follows no redirect, because the keys would be sent to another server.
 */
export interface Port extends Runtime {
  /**
   * @param options `login`: the request logs a user in, and ends when `signal` of this port is aborted
   * @returns a NetworkError if no complete response arrived
   */
  send(request: HttpRequest, options: { login: boolean }): Promise<HttpResponse | NetworkError>;
  /** Opens a file on any host, without a credential. `timeout` is in milliseconds. */
  openFile(url: string, timeout: number, signal?: AbortSignal): Promise<FileResponse | NetworkError>;
}
