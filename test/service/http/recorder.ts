import type { Endpoint } from '../endpoints';

/** One request as it arrived, and the status of its answer. It holds secrets. */
export interface RecordedRequest {
  method: string;
  /** As on the wire, with the query. */
  url: string;
  /** As on the wire, still percent-encoded, without the query. */
  path: string;
  /** The endpoint of the spec; '' for any other path. */
  pattern: Endpoint | '';
  /** How plain `POST .../records` was understood. */
  intent?: 'list' | 'create';
  /** Bracketed keys as nested objects and arrays. */
  query: Record<string, unknown>;
  headers: Record<string, string | string[] | undefined>;
  /** JSON value, or the parts of a form by name (a file as `{filename, contentType, bytes}`). */
  body: unknown;
  /** 0 when the connection was cut. */
  status: number;
  /** Time of the service's clock, ms. */
  at: number;
  /** Earlier requests without an answer when this one arrived. */
  inFlight: number;
}

/** Behaviour of a client that the spec does not document. */
export interface Violation {
  request: RecordedRequest;
  message: string;
}

const SECRET_IN_URL = /(?:key|sec|tok)_[A-Za-z0-9]{8,}/;

export class Recorder {
  readonly requests: RecordedRequest[] = [];
  readonly violations: Violation[] = [];
  /** Passwords of the sample users; URLs must not hold them. */
  readonly passwords: string[] = [];
  private readonly open = new Set<RecordedRequest>();

  /** Returns the recorded request; call `end` when it is answered or its connection is cut. */
  begin(arrived: Omit<RecordedRequest, 'inFlight'>): { request: RecordedRequest; end: () => void } {
    const request = { ...arrived, inFlight: this.open.size };
    this.open.add(request);
    this.requests.push(request);
    const url = decodeUrl(request.url);
    if (SECRET_IN_URL.test(url) || this.passwords.some((password) => url.includes(password))) {
      this.report(request, 'a secret in the URL');
    }
    return { request, end: () => void this.open.delete(request) };
  }

  report(request: RecordedRequest, message: string): void {
    this.violations.push({ request, message });
  }
}

function decodeUrl(url: string): string {
  try {
    return decodeURIComponent(url);
  } catch {
    return url;
  }
}
