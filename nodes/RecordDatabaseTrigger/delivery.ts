import { createHash } from 'node:crypto';
import { RECORD_EVENTS, type RecordEvent } from '../shared/model/subscription';

/** One POST as n8n hands it over. */
export interface Post {
  body: unknown;
  raw?: Uint8Array;
  /** `Content-Length`, for where n8n keeps no raw body. */
  announcedBytes: number;
}

/** An event of the service (spec: Events). */
export interface RecordChange {
  event: RecordEvent;
  tableId: string;
  tableName: string;
  recordId: string;
  record: Record<string, unknown>;
  /** ISO 8601, UTC; empty where the delivery had none. */
  timestamp: string;
}

/** Why a POST is not taken: the HTTP status to answer with, and a word for the log. */
export interface Refusal {
  status: number;
  reason: string;
}

export const isRefusal = (value: object): value is Refusal => 'reason' in value;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const text = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : '';

/** n8n parses by content type; a JSON body that came under another one is read here. */
function bodyOf({ body, raw }: Post): unknown {
  if (isObject(body) && 'event_type' in body) return body;
  try {
    return raw ? JSON.parse(new TextDecoder().decode(raw)) : body;
  } catch {
    return undefined;
  }
}

const odd = (reason: string): Refusal => ({ status: 400, reason });

/** Reads an event, or says why there is none. Never throws, whatever was posted. */
export function readPost(post: Post, maxBytes: number): RecordChange | Refusal {
  if (Math.max(post.raw?.length ?? 0, post.announcedBytes) > maxBytes) {
    return { status: 413, reason: 'the body is too large' };
  }
  const body = bodyOf(post);
  if (!isObject(body)) return odd('the body is no JSON object');
  const event = RECORD_EVENTS.find((one) => one === body.event_type);
  if (!event) return odd('"event_type" is none of INSERT, UPDATE, DELETE');
  const tableId = text(body.table_id);
  if (tableId === '') return odd('"table_id" is missing');
  const { record } = body;
  if (!isObject(record)) return odd('"record" is missing');
  const recordId = text(record.id);
  if (recordId === '') return odd('"record" has no id');
  const { table_name, timestamp } = body;
  return { event, tableId, tableName: text(table_name), recordId, record, timestamp: text(timestamp) };
}

const HASH_CHARACTERS = 16;

/**
 * What makes two deliveries the same event. Nothing in them is unique, so it is the whole body: two changes
 * within one second differ in their values, a repeated delivery in nothing. Undefined without a timestamp:
 * then a repetition and a change that sets the same values again cannot be told apart, and none is dropped.
 */
export function hashOf({ event, tableId, recordId, timestamp, record }: RecordChange, raw?: Uint8Array) {
  if (timestamp === '') return undefined;
  return createHash('sha256')
    .update(JSON.stringify([event, tableId, recordId, timestamp]))
    .update(raw ?? JSON.stringify(record))
    .digest('base64url')
    .slice(0, HASH_CHARACTERS);
}
