import { getKind, isEmptyValue, type PayloadEntries } from '../../model/fields';
import { formatForError } from '../../model/input/inputError';
import { getRawValue } from '../../model/records/recordValues';
import type { FieldRef, Table } from '../../model/records/table';
import type { ServiceRecord } from '../../model/responses/records';

/** A value of a unique field. All notations of equal values have the same text. */
export interface UniqueValue {
  slug: string;
  text: string;
  /** The field and the value, for messages. */
  label: string;
}

/** Returns undefined for an empty value, and for a field that is not unique. Several records may be empty. */
function toUniqueValue({ field, part }: FieldRef, raw: unknown): UniqueValue | undefined {
  // The spec does not say whether parts of a composite field are unique separately, so they are left to the service.
  if (!field.unique || part) return undefined;
  const value = getKind(field).read(raw, field);
  if (value === undefined || isEmptyValue(value)) return undefined;
  return {
    slug: field.slug,
    text: JSON.stringify([field.slug, value]),
    label: `"${field.name}": ${formatForError(value)}`,
  };
}

/** Lists the values of unique fields that a write sends. */
export const listEntryValues = (entries: PayloadEntries, table: Table): UniqueValue[] =>
  entries.flatMap(([key, value]) => toUniqueValue(table.resolvePayloadField(key, 'Columns'), value) ?? []);

/** Lists the values of unique fields that a record has. */
export const listRecordValues = (record: ServiceRecord, table: Table): UniqueValue[] =>
  table.fields
    .filter(({ unique }) => unique)
    .map((field) => ({ table, field }))
    .flatMap((ref) => toUniqueValue(ref, getRawValue(record, ref)) ?? []);
