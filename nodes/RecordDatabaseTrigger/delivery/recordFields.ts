import { getKind } from '../../shared/model/fields';
import { findFieldByKey } from '../../shared/model/records/recordFields';
import { getRawValue, type RecordValues } from '../../shared/model/records/recordValues';
import type { FieldRef, Table } from '../../shared/model/records/table';
import type { Delivery } from './parseDelivery';

/** The result of reading the delivery's record from the service. */
export type RecordResult =
  | { status: 'found'; values: RecordValues }
  | { status: 'notFound' }
  | { status: 'failed'; error: Error };

/** The checks and reads that failed or were not possible for an item that starts the workflow. */
export type NotChecked = 'token' | 'duplicates' | 'filter' | 'fullRecord';

export const listNotChecked = (checks: Record<NotChecked, boolean>): NotChecked[] =>
  (Object.keys(checks) as NotChecked[]).filter((check) => checks[check]);

/** Whether a record holds a field, or a part of it, in either form of the spec: one object or one key per part. */
export function hasField(record: RecordValues, ref: FieldRef): boolean {
  if (ref.part) return getRawValue(record, ref) !== undefined;
  if (Object.hasOwn(record, ref.field.slug)) return true;
  const parts = getKind(ref.field).parts;
  return parts !== undefined && parts.every((part) => getRawValue(record, { ...ref, part }) !== undefined);
}

/** Returns the delivered values, plus the fields that only the record read from the service contains. */
export function addMissingFields(delivered: RecordValues, read: RecordValues, table: Table): RecordValues {
  const isDelivered = (key: string, field = findFieldByKey(table.fields, key)) =>
    field ? hasField(delivered, { table, field }) : Object.hasOwn(delivered, key);
  const keepDelivered = Object.entries(delivered).filter(([key]) => isDelivered(key));
  const takeRead = Object.entries(read).filter(([key]) => !isDelivered(key));
  return Object.fromEntries([...keepDelivered, ...takeRead]);
}

const MINUTE_MS = 60_000;

/** Maximum offset of a time zone. Offsets are multiples of 15 minutes. */
const MAX_OFFSET_MS = 14 * 60 * MINUTE_MS;

interface Moment {
  milliseconds: number;
  hasZone: boolean;
}

/** Parses an ISO 8601 or Unix timestamp. A text without a time zone is read as UTC. Undefined for other values. */
function parseMoment(value: unknown): Moment | undefined {
  if (typeof value === 'number') {
    // Unix timestamps below 1e11 are seconds (until the year 5138), larger ones are milliseconds.
    return { milliseconds: value < 1e11 ? value * 1000 : value, hasZone: true };
  }
  const text = String(value ?? '').trim();
  if (/^\d{9,13}$/.test(text)) return parseMoment(Number(text));
  const hasZone = /([Zz]|[+-]\d\d:?\d\d)$/.test(text) && /\d:\d\d/.test(text);
  const milliseconds = Date.parse(hasZone ? text : `${text.replace(' ', 'T')}Z`);
  return Number.isNaN(milliseconds) ? undefined : { milliseconds, hasZone };
}

/**
 * Whether a delivery and the record read from the service have the same `created_at`, which never changes. Returns
 * true if a value is missing or unreadable, or if the difference may be the offset of an unknown time zone.
 */
export function isSameRecord(delivered: RecordValues, read: RecordValues): boolean {
  const [a, b] = [parseMoment(delivered.created_at), parseMoment(read.created_at)];
  if (!a || !b) return true;
  const seconds = ({ milliseconds }: Moment) => Math.floor(milliseconds / 1000);
  const distance = Math.abs(seconds(a) - seconds(b)) * 1000;
  if (distance === 0) return true;
  if (a.hasZone && b.hasZone) return false;
  return distance <= MAX_OFFSET_MS && distance % (15 * MINUTE_MS) === 0;
}

/** Additional properties of an output item: `_notChecked` and `_changedFields`. */
export interface ItemNotes {
  notChecked: NotChecked[];
  /** Slugs, or null if no earlier values are stored; undefined if the form watches no fields. */
  changedFields?: string[] | null;
}

/** The item that starts the workflow: the whole event, or its record alone. */
export function buildOutputItem(
  { event, tableId, tableName, timestamp }: Delivery,
  record: RecordValues,
  output: 'event' | 'record',
  { notChecked, changedFields }: ItemNotes,
): RecordValues {
  const notes = {
    ...(changedFields !== undefined && { _changedFields: changedFields }),
    ...(notChecked.length > 0 && { _notChecked: notChecked }),
  };
  if (output === 'record') return { ...record, ...notes };
  return { event, tableId, tableName, record, timestamp, ...notes };
}
