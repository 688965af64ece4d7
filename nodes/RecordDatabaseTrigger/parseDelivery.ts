/** Reads the event in the body of a delivery. */
import { isEmpty, mapValues } from 'lodash';
import { isObject, parseJson } from '../service';
import type { TableEvent } from './authenticate';
import { RECORD_EVENTS, type Delivery } from './staticData';

/**
 * Never throws. The body is an event as JSON (spec: Events), or only its record, as JSON or URL-encoded (evidence 18):
 * `id=b6WQk9NrBZ&field_40=Lamp&field_41[0]=K2ejq1Rw9B`.
 * @param source table and event for which the address was made. A body that names another table or event is refused
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

/** The body of a delivery has some kB, so a larger body is refused. n8n itself refuses more than 16 MB. */
const MAX_BODY_BYTES = 10 * 1024 * 1024;

const toText = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : '';

/** Several values of a multiple choice field may be delivered as `{ "0": "a", "1": "b" }` (evidence 18). */
const convertPositionsToList = (value: unknown): unknown =>
  isObject(value) && !isEmpty(value) && Object.keys(value).every((key) => /^\d+$/.test(key))
    ? Object.values(value)
    : value;

const parseFormBody = (text: string): Record<string, unknown> =>
  buildFormObject(Array.from(new URLSearchParams(text), ([name, value]) => [splitFormKey(name), value]));

/** Maximum number of parts of a key: `field_41_val[0][id]` has three. A longer key is not split. */
const MAX_FORM_KEY_PARTS = 4;

/** Splits `field_42[city]` into `field_42` and `city`. */
function splitFormKey(name: string): string[] {
  const keys = /^[^[]+(\[[^\]]*\])+$/.test(name) ? name.slice(0, -1).split(/\]?\[/) : [name];
  return keys.length <= MAX_FORM_KEY_PARTS ? keys : [name];
}

type FormPair = [keys: string[], value: string];

/** If a key is repeated or ends with `[]`, its values become a list. */
function buildFormObject(pairs: FormPair[]): Record<string, unknown> {
  const groups = new Map<string, FormPair[]>();
  for (const [[name = '', ...keys], value] of pairs) {
    const key = name === '' ? String(groups.size) : name;
    const group = groups.get(key);
    if (group) group.push([keys, value]);
    else groups.set(key, [[keys, value]]);
  }
  const join = (group: FormPair[]) => {
    const values = group.filter(([keys]) => keys.length === 0).map(([, value]) => value);
    if (values.length === 0) return buildFormObject(group);
    return values.length === 1 ? values[0] : values;
  };
  return Object.fromEntries([...groups].map(([key, group]) => [key, join(group)]));
}
