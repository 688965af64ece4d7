/** The values of a record beside those of an item. `listChangedEntries` lists those that differ. */
import { uniq } from 'lodash';
import { isObject, type ServiceRecord } from '../../service';
import type { EncodeContext, Field, PayloadEntries, PayloadValue } from '../fields/field';
import { getKind } from '../fields/kinds';
import {
  type RecordValues,
  encodeValue,
  equals,
  getRawValue,
  getShownValue,
  isOmitted,
} from '../fields/recordValues';
import { type FieldRef, type Table, getValueField } from '../fields/table';
import { describeWritten } from '../reading/writtenRecord';

/** Reads the value of a field or part. A part that is missing in a composite is empty. */
function readCurrentValue(record: ServiceRecord, ref: FieldRef): unknown {
  const value = getRawValue(record, ref);
  if (value !== undefined || !ref.part) return value;
  return isObject(getKind(ref.field).read(getShownValue(record, ref), ref.field)) ? '' : undefined;
}

/** Whether a record has a value already. False for a file, and for a value that the record does not show. */
function hasValue(record: ServiceRecord, ref: FieldRef, value: PayloadValue, seesAll: boolean): boolean {
  if (getKind(ref.field).holdsFiles || (!seesAll && ref.field.connection?.many)) return false;
  const currentValue = readCurrentValue(record, ref);
  return currentValue !== undefined && equals(currentValue, value, getValueField(ref));
}

/**
 * Lists the entries whose values differ from those of a record. 0 and empty differ.
 * @param seesAll whether the record shows all connections: none is hidden from the user
 */
export const listChangedEntries = (
  table: Table,
  record: ServiceRecord,
  entries: PayloadEntries,
  seesAll: boolean,
): PayloadEntries =>
  entries.filter(
    ([key, value]) => !hasValue(record, table.resolvePayloadField(key, 'Fields'), value, seesAll),
  );

/** Whether a record already has exactly the values that `entries` would write. */
export const isUnchanged = (...change: Parameters<typeof listChangedEntries>): boolean =>
  listChangedEntries(...change).length === 0;

/** Whether a record shows a value that is not the one which the service stores for an omitted field (spec: Record). */
export function isFilled(record: RecordValues, ref: FieldRef): boolean {
  const value = getShownValue(record, ref);
  return value !== undefined && !isOmitted(value, ref.field);
}

/** Lists the fields that a payload names, whole or in part. */
const listSentFields = (table: Table, entries: PayloadEntries): Field[] =>
  uniq(entries.map(([key]) => table.resolvePayloadField(key, 'Fields').field));

/**
 * Completes composites of which a payload has some parts by the other parts of the record: a Name, an Address or a Calendar
 * is sent with all its documented parts, because nothing says what becomes of parts that are left out.
 * @throws InputError if a part that the record has cannot be sent back
 */
export function completeComposites(
  table: Table,
  record: ServiceRecord,
  entries: PayloadEntries,
  context: EncodeContext,
): PayloadEntries {
  return listSentFields(table, entries).flatMap((field): PayloadEntries => {
    const given = entries
      .map(([key, value]) => ({ ref: table.resolvePayloadField(key, 'Fields'), key, value }))
      .filter(({ ref }) => ref.field === field);
    const { parts = [], read } = getKind(field);
    const shown = getShownValue(record, { table, field });
    const isWhole = parts.every((part) => given.some(({ ref }) => ref.part?.payload === part.payload));
    if (isWhole || shown === undefined) return given.map(({ key, value }) => [key, value]);
    const known = read(shown, field);
    const values = {
      ...Object.fromEntries(parts.filter(({ options }) => !options).map(({ payload }) => [payload, ''])),
      ...(isObject(known) && known),
      ...Object.fromEntries(given.map(({ ref, value }) => [ref.part?.payload, value])),
    };
    return encodeValue(values, field, context);
  });
}

/** Describes an update that sends the values to a record that was read. The service may calculate others anew. */
export function describeChange(table: Table, before: ServiceRecord, entries: PayloadEntries) {
  const different = listChangedEntries(table, before, entries, true);
  const changed = uniq(different.map(([key]) => table.resolvePayloadField(key, 'Fields').field.slug));
  const record = describeWritten({ table, id: before.id, entries, before });
  return { action: changed.length > 0 ? 'updated' : 'unchanged', record, before, changed } as const;
}
