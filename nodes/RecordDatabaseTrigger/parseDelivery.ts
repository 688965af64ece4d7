/** Reads the event in the body of a delivery. */
import { isEmpty, mapValues, updateWith } from 'lodash';
import { asObject, isObject, parseJson } from '../service';
import type { TableEvent } from './authenticate';
import { RECORD_EVENTS, type Delivery } from './staticData';

/**
 * Never throws. The body is an event as JSON (spec: Events), or only its record, as JSON or URL-encoded (evidence 18):
 * `id=b6WQk9NrBZ&field_40=Lamp&field_41[0]=K2ejq1Rw9B`.
 * @param source table and event for which the address was made. If the body names a table or event, it must be the same
 */
export function parseDelivery(
  bytes: Uint8Array,
  { tableId, event }: TableEvent,
  receivedAt: number,
  maxBytes = MAX_BODY_BYTES,
): Delivery | Refusal {
  if (bytes.length > maxBytes) return { status: 413, reason: 'the body is too large' };
  // n8n keeps only the first 1,000 values of a form, so the body is parsed here, with any content type.
  const text = new TextDecoder().decode(bytes);
  const body = parseJson(text) ?? parseFormBody(text);
  if (!isObject(body)) return createBadRequest('the body is neither a JSON object nor a form');
  // A body with `event_type` or without `id` is an event. A record always has an ID, and may have a field `record`.
  const documented = 'event_type' in body || !('id' in body) ? body.record : undefined;
  const record = isObject(documented) ? documented : body;
  const { event_type = event, table_id, table_name, timestamp } = record === body ? {} : body;
  if (!RECORD_EVENTS.some((one) => one === event_type))
    return createBadRequest('"event_type" is not INSERT, UPDATE or DELETE');
  if (event_type !== event || toText(table_id ?? tableId) !== tableId)
    return { status: 401, reason: 'this address is for another table or event' };
  const recordId = toText(record.id);
  if (recordId === '') return createBadRequest('the record has no id');
  return {
    event,
    tableId,
    tableName: toText(table_name),
    recordId,
    record: mapValues(record, convertPositionsToList),
    timestamp: toText(timestamp),
    receivedAt,
  };
}

export interface Refusal {
  status: number;
  reason: string;
}

export const isRefusal = (value: object): value is Refusal => 'reason' in value;

const createBadRequest = (reason: string): Refusal => ({ status: 400, reason });

/** A record has some kB. n8n itself refuses bodies of more than 16 MB. */
const MAX_BODY_BYTES = 10 * 1024 * 1024;

const toText = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : '';

/** Several values of a multiple choice field may be delivered as `{ "0": "a", "1": "b" }` (evidence 18). */
const convertPositionsToList = (value: unknown): unknown =>
  isObject(value) && !isEmpty(value) && Object.keys(value).every((key) => /^\d+$/.test(key))
    ? Object.values(value)
    : value;

/** Reads `field_42[city]=Leeds` as an object. A key that is repeated, or ends with `[]`, has a list of values. */
function parseFormBody(text: string): Record<string, unknown> {
  const body = Object.create(null) as Record<string, unknown>;
  for (const [name, value] of new URLSearchParams(text)) {
    const hasParts = /^[^[]+(\[[^\]]*\])+$/.test(name);
    const path = hasParts ? name.split(/[[\]]+/).filter(Boolean) : [name];
    updateWith(body, path, (known) => (known === undefined ? value : [known, value].flat()), asObject);
  }
  return body;
}
