import { equals, getKind, type PayloadEntries, type PayloadValue } from '../../model/fields';
import { isObject } from '../../model/input/isObject';
import { getRawValue, getShownValue } from '../../model/records/recordValues';
import { type FieldRef, getValueField, type Table } from '../../model/records/table';
import type { ServiceRecord } from '../../model/responses/records';

/** Returns the value of a field or part. A part that a composite does not show is empty. */
function readCurrentValue(record: ServiceRecord, ref: FieldRef): unknown {
  const value = getRawValue(record, ref);
  if (value !== undefined || !ref.part) return value;
  return isObject(getKind(ref.field).read(getShownValue(record, ref), ref.field)) ? '' : undefined;
}

/** Whether a record already has a value. A file or a value that the record does not show counts as changed. */
function hasValue(record: ServiceRecord, ref: FieldRef, value: PayloadValue, seesAll: boolean): boolean {
  if (getKind(ref.field).holdsFiles || (!seesAll && ref.field.connection?.many)) return false;
  const currentValue = readCurrentValue(record, ref);
  return currentValue !== undefined && equals(currentValue, value, getValueField(ref));
}

/**
 * Returns the entries that change a record. 0 is different from empty. `seesAll` is false when some connections may
 * be hidden from the user.
 */
export const listChangedEntries = (
  table: Table,
  record: ServiceRecord,
  entries: PayloadEntries,
  seesAll: boolean,
): PayloadEntries =>
  entries.filter(
    ([key, value]) => !hasValue(record, table.resolvePayloadField(key, 'Columns'), value, seesAll),
  );

/** Whether a record already has exactly the values that `entries` would write. */
export const isUnchanged = (...change: Parameters<typeof listChangedEntries>): boolean =>
  listChangedEntries(...change).length === 0;
