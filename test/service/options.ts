import type { Clock } from './state/time';

/** Everything a test may vary. `service.options` is live: a change counts from the next request on. */
export interface ServiceOptions {
  /** 0 picks a free port. */
  port: number;
  /** Seeds the sample data, the ids and the faults that have a probability. */
  seed: number;
  sample: 'company' | 'empty';
  /** Time source of windows, tokens, jobs and timestamps; latency and stalls run on real timers. */
  clock: Clock;
  /** The neutralised word of the header names: `X-<prefix>-App-id`. */
  headerPrefix: string;

  perMinute: number;
  perDay: number;
  /** Length of the "minute" and of the "day", in ms. */
  windowMs: number;
  dayMs: number;
  /** From the arrival of a request to its answer, work included. */
  latencyMs: number;

  /** Life of a Bearer token. */
  tokenMs: number;
  /** Run time of a task, automation, import, export and of a queued formula, in ms. */
  jobMs: number;
  /** Resources that answer 412, named by the first word of their path: `exports`, `pdf-pages`, `logs` ... */
  lockedFeatures: string[];
  /** How often one webhook event is sent, and how often a failed attempt is repeated (both "not shown"). */
  deliveryCopies: number;
  deliveryRetries: number;
  /** Milliseconds without an answer after which an attempt has failed ("not shown"). */
  deliveryTimeoutMs: number;

  // What the spec leaves open, one option per reading.

  /** "body holds the changed field values" against "value when a field is omitted from a create or update payload". */
  omittedOnUpdate: 'keep' | 'blank';
  /** An omitted number is "`0` or null". */
  omittedNumber: 0 | null;
  /** `GET /pages` lists under `items` or under `pages`. */
  pagesShape: 'items' | 'pages';
  /** How a Name, Address or Calendar is read: one object, or the flat keys of the payload. */
  compositeReads: 'object' | 'parts';
  /** A filter that "fails silently" is left out, or lets nothing through. */
  brokenFilter: 'dropped' | 'matchesNothing';
  /** Several `conditions` groups of a batch update must all hold, or any of them. */
  batchGroups: 'all' | 'any';
  /** What `X-Retry-After` says on a daily 429: the wait until the day resets, or until the minute does. */
  dayRetryAfter: 'day' | 'minute';
  pdfResponse: 'url' | 'binary' | 'base64';
  /** Key of the queue id in the answer of an import or export trigger. */
  queueIdKey: string;
  /** Key of the list in the answer of `GET /web-hooks/list`. */
  webhooksKey: string;
  /** Whether `/tasks/status/queue/{id}` still shows an execution that has ended. */
  finishedExecutions: 'shown' | 'hidden';
}

export const defaultOptions: Omit<ServiceOptions, 'clock'> = {
  port: 0,
  seed: 1,
  sample: 'company',
  headerPrefix: 'Service',
  perMinute: 240,
  perDay: 10_000,
  windowMs: 60_000,
  dayMs: 24 * 60 * 60_000,
  latencyMs: 0,
  tokenMs: 24 * 60 * 60_000,
  jobMs: 150,
  lockedFeatures: [],
  deliveryCopies: 1,
  deliveryRetries: 0,
  deliveryTimeoutMs: 10_000,
  omittedOnUpdate: 'keep',
  omittedNumber: null,
  pagesShape: 'items',
  compositeReads: 'object',
  brokenFilter: 'dropped',
  batchGroups: 'all',
  dayRetryAfter: 'day',
  pdfResponse: 'url',
  queueIdKey: 'queue_id',
  webhooksKey: 'items',
  finishedExecutions: 'shown',
};
