import type { Endpoint } from '../endpoints';

/** One request as it arrived, and how it was answered. Holds secrets: this is a test server. */
export interface RecordedRequest {
  method: string;
  /** As on the wire, with the query. */
  url: string;
  /** As on the wire, still percent-encoded, without the query. */
  path: string;
  /** The endpoint of the spec; '' for a path it does not have. */
  pattern: Endpoint | '';
  /** What plain `POST .../records` was taken for. */
  intent?: 'list' | 'create';
  /** Bracketed keys as nested objects and arrays. */
  query: Record<string, unknown>;
  headers: Record<string, string | string[] | undefined>;
  /** JSON value, or the parts of a form by name (a file as `{filename, contentType, bytes}`). */
  body: unknown;
  /** 0 when the connection was cut instead. */
  status: number;
  /** Time of the service's clock, ms. */
  at: number;
}

/** Something a client does that the spec does not document. */
export interface Violation {
  request: RecordedRequest;
  message: string;
}

const SECRET_IN_URL = /(?:key|sec|tok)_[A-Za-z0-9]{8,}/;

export class Recorder {
  readonly requests: RecordedRequest[] = [];
  readonly violations: Violation[] = [];
  /** Passwords of the sample users, which must not show up in URLs either. */
  readonly passwords: string[] = [];

  add(request: RecordedRequest): void {
    this.requests.push(request);
    const url = safeDecode(request.url);
    if (SECRET_IN_URL.test(url) || this.passwords.some((password) => url.includes(password))) {
      this.report(request, 'a secret in the URL');
    }
  }

  report(request: RecordedRequest, message: string): void {
    this.violations.push({ request, message });
  }
}

function safeDecode(url: string): string {
  try {
    return decodeURIComponent(url);
  } catch {
    return url;
  }
}
