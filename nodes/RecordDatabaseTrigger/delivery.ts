import type { IWebhookFunctions } from 'n8n-workflow';
import { isObject } from '../client/input/values';
import { hashText, toCanonicalJson } from '../client/records/hashing';
import { RECORD_EVENTS, type RecordEvent } from '../client/responses/schemas';

/** The parts of an incoming POST request that are read. */
interface WebhookRequest {
  body: unknown;
  rawBody?: Uint8Array;
  /** Bytes according to `Content-Length`, for versions of n8n that provide no raw body. */
  contentLength: number;
}

export const readRequest = (context: IWebhookFunctions): WebhookRequest => {
  const { rawBody, headers } = context.getRequestObject();
  return { body: context.getBodyData(), rawBody, contentLength: Number(headers['content-length']) || 0 };
};

/** An event of the service (spec: Events). */
export interface Delivery {
  event: RecordEvent;
  tableId: string;
  tableName: string;
  recordId: string;
  record: Record<string, unknown>;
  /** ISO 8601, UTC; empty if the delivery has none. */
  timestamp: string;
}

/** The HTTP status with which a POST is refused, and the reason for the response and the log. */
interface Refusal {
  status: number;
  reason: string;
}

export const isRefusal = (value: object): value is Refusal => 'reason' in value;

const toText = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : '';

/** n8n parses JSON only with a JSON content type. Other content types are parsed as JSON here. */
function parseRequestBody({ body, rawBody }: WebhookRequest): unknown {
  if (isObject(body) && 'event_type' in body) return body;
  try {
    return rawBody ? JSON.parse(new TextDecoder().decode(rawBody)) : body;
  } catch {
    return undefined;
  }
}

const createBadRequest = (reason: string): Refusal => ({ status: 400, reason });

/** Reads the event of a POST request, or returns the reason why it contains no valid event. Never throws. */
export function parseDelivery(request: WebhookRequest, maxBytes: number): Delivery | Refusal {
  if (Math.max(request.rawBody?.length ?? 0, request.contentLength) > maxBytes) {
    return { status: 413, reason: 'the body is too large' };
  }
  const body = parseRequestBody(request);
  if (!isObject(body)) return createBadRequest('the body is not a JSON object');
  const event = RECORD_EVENTS.find((one) => one === body.event_type);
  if (!event) return createBadRequest('"event_type" is not INSERT, UPDATE or DELETE');
  const tableId = toText(body.table_id);
  if (tableId === '') return createBadRequest('"table_id" is missing');
  const { record } = body;
  if (!isObject(record)) return createBadRequest('"record" is missing');
  const recordId = toText(record.id);
  if (recordId === '') return createBadRequest('"record" has no id');
  const { table_name, timestamp } = body;
  return { event, tableId, tableName: toText(table_name), recordId, record, timestamp: toText(timestamp) };
}

/** Characters of a hash, 6 bits each: of record, event and timestamp, and of the values. */
export const MOMENT_LENGTH = 12;
export const CONTENT_LENGTH = 8;

/**
 * Identifies an event by hashes of its whole content, because deliveries have no ID (spec: Events): first one of record,
 * event and timestamp, then one of the values. A repeated delivery differs at most in its JSON formatting. Returns
 * undefined without a timestamp, because a repetition cannot be distinguished from a later change to the same values.
 */
export function hashDelivery({ event, tableId, recordId, timestamp, record }: Delivery): string | undefined {
  if (timestamp === '') return undefined;
  const moment = hashText(toCanonicalJson([event, tableId, recordId, timestamp]), MOMENT_LENGTH);
  return moment + hashText(toCanonicalJson(record), CONTENT_LENGTH);
}
