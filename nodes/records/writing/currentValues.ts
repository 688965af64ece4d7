/** Compares the values of an update with the current values of the record. */
import { pick } from 'lodash';
import { isObject, type ServiceRecord } from '../../service';
import { type EncodeContext, type PayloadEntries, RefusedValue } from '../fields/field';
import { getKind } from '../fields/kinds';
import {
  encodeValue,
  areEqual,
  getFieldOrPartValue,
  getFieldValue,
  isEmptyFor,
} from '../fields/recordValues';
import { type FieldRef, type Table, toRefField } from '../fields/table';
import { buildWrittenRecord } from '../reading/writtenRecord';
import { ensureFieldsAcceptValues, listEntryFields, listEntrySlugs, toFieldEntries } from './payload';

/** Returns '' for a part that the composite in the record lacks. */
function readCurrentValue(record: ServiceRecord, ref: FieldRef): unknown {
  const value = getFieldOrPartValue(record, ref);
  const shown = getFieldValue(record, ref);
  if (value !== undefined || !ref.part || shown === undefined) return value;
  const { normalize } = getKind(ref.field);
  return isObject(normalize(shown, ref.field)) || isEmptyFor(shown, ref.field) ? '' : undefined;
}

/**
 * Lists the values that differ from the record, all files, and all values of fields that the record does not show.
 * @param seesAll whether the record shows all connections. The service may hide some from a logged-in user
 */
export const listChangedEntries = (
  table: Table,
  record: ServiceRecord,
  entries: PayloadEntries,
  seesAll: boolean,
): PayloadEntries =>
  entries.filter(([key, value, given = value]) => {
    const ref = table.requireWritableRef(key, 'Fields');
    if (getKind(ref.field).holdsFiles || (!seesAll && ref.field.connection?.many)) return true;
    const stored = readCurrentValue(record, ref);
    if (stored === undefined) return true;
    const [sent, read] = value instanceof RefusedValue ? [value.given, value.given] : [value, given];
    return !areEqual(stored, sent, toRefField(ref), read);
  });

/**
 * Calls `readRecords` only if a field does not accept its value.
 * @throws InputError for a value that its field does not accept, unless each record already has this value
 */
export async function ensureValidOrUnchanged(
  table: Table,
  entries: PayloadEntries,
  readRecords: () => Promise<ServiceRecord[]>,
): Promise<void> {
  const refused = entries.filter(([, value]) => value instanceof RefusedValue);
  if (refused.length === 0) return;
  const records = await readRecords();
  if (records.length === 0) ensureFieldsAcceptValues(refused);
  for (const record of records) ensureFieldsAcceptValues(listChangedEntries(table, record, refused, true));
}

/**
 * Adds the missing parts of a composite from the record: the service may empty a part that a request lacks.
 * @throws InputError for a part of the record that cannot be sent back
 */
export function completeComposites(
  table: Table,
  record: ServiceRecord,
  entries: PayloadEntries,
  context: EncodeContext,
): PayloadEntries {
  return listEntryFields(table, entries).flatMap((field): PayloadEntries => {
    const given = toFieldEntries(entries, table).filter(({ ref }) => ref.field === field);
    const { parts = [], normalize } = getKind(field);
    const shown = getFieldValue(record, { table, field });
    const isWhole = parts.every((part) => given.some(({ ref }) => ref.part?.payload === part.payload));
    if (isWhole || shown === undefined) return given.map(({ key, value }) => [key, value]);
    const names = parts.filter(({ options }) => !options).map(({ payload }) => payload);
    // If `normalize` cannot read the composite, its parts are sent unchanged, so that the service does not empty them.
    const known = normalize(shown, field) ?? pick(shown, names);
    const values = {
      ...Object.fromEntries(names.map((name) => [name, ''])),
      ...(isObject(known) && known),
      ...Object.fromEntries(given.map(({ ref, value }) => [ref.part?.payload, value])),
    };
    return encodeValue(values, field, context);
  });
}

/** Leaves out values that the service calculates, although they may change too. */
export function describeChange(table: Table, before: ServiceRecord, entries: PayloadEntries) {
  const changed = listEntrySlugs(table, listChangedEntries(table, before, entries, true));
  const record = buildWrittenRecord({ table, id: before.id, entries, before });
  return { action: changed.length > 0 ? 'updated' : 'unchanged', record, before, changed } as const;
}
