import { getKind, isBlank, listPartKeys } from '../fields';
import { readParts } from '../fields/kinds/composite';
import { isObject } from '../input/isObject';
import { getOwnValue, hasOwnValue } from '../input/ownValue';
import { type FieldRef, getValueField } from './table';

/** The values of a record by key, as the service sends them. */
export type RecordValues = Record<string, unknown>;

/** Lists the keys of a record that hold parts of a composite field, with the payload names of the parts. */
const listShownParts = (
  record: RecordValues,
  { field, table }: FieldRef,
  key: string,
): Array<[key: string, part: string]> =>
  (getKind(field).parts ?? []).flatMap((part) =>
    listPartKeys(part, key)
      .filter((partKey) => hasOwnValue(record, partKey) && !table.hasSlug(partKey))
      .map((partKey): [string, string] => [partKey, part.payload]),
  );

/** Lists the keys of a record that belong to a field: its slug, its display values and its parts. */
export function listFieldKeys(record: RecordValues, ref: FieldRef, key = ref.field.slug): string[] {
  const displayKey = `${key}_val`;
  const hasDisplayKey = getKind(ref.field).hasDisplayValues && !ref.table.hasSlug(displayKey);
  return [
    ...[key, ...(hasDisplayKey ? [displayKey] : [])].filter((ownKey) => hasOwnValue(record, ownKey)),
    ...listShownParts(record, ref, key).map(([partKey]) => partKey),
  ];
}

/**
 * Returns the value of a field in a record. Parts with separate keys (`name[first_name]`, `term__start`) are
 * joined in one object. For a connection without IDs, returns the display values. Undefined if the record
 * does not contain the field.
 */
export function getShownValue(record: RecordValues, ref: FieldRef, key = ref.field.slug): unknown {
  const ownValue = getOwnValue(record, key);
  const parts = listShownParts(record, ref, key).map(([partKey, part]) => [part, record[partKey]] as const);
  if (parts.length > 0) return { ...Object.fromEntries(parts), ...(isObject(ownValue) && ownValue) };
  const [displayKey] = listFieldKeys(record, ref, key);
  return ownValue === undefined && displayKey !== undefined ? record[displayKey] : ownValue;
}

/** Returns the value of a field, or of a part of it, in a record or an item. Undefined if there is none. */
export function getRawValue(record: RecordValues, ref: FieldRef): unknown {
  const recordValue = getShownValue(record, ref);
  if (!ref.part || isBlank(recordValue)) return recordValue;
  const parts = readParts(recordValue, ref.field, [ref.part], (value) => value ?? null);
  return isObject(parts) ? getOwnValue(parts, ref.part.payload) : undefined;
}

/**
 * Returns the canonical value (see `FieldKind.read`) of a field, or of a part of it, in a record.
 * @example
 * readValue({ 'name[first_name]': 'Ada' }, { table, field: nameField }); // { first_name: 'Ada' }
 * readValue({ price: '7.5' }, { table, field: priceField }); // 7.5
 */
export function readValue(record: RecordValues, ref: FieldRef): unknown {
  const field = getValueField(ref);
  return getKind(field).read(getRawValue(record, ref), field);
}
