/** Selects what to write from the values that a user or another node gives for a record. */
import { isEqual, pickBy } from 'lodash';
import { formatForError, InputError, isBlank, isObject, joinFirstTexts, parseList } from '../../service';
import { looksLikeId } from '../fields/connection';
import type { Field } from '../fields/field';
import { isServiceFile } from '../fields/file';
import { getOwnProperty } from '../fields/inputValues';
import { explainReadOnly, getKind } from '../fields/kinds';
import { isEmptyValue } from '../fields/operators';
import {
  type ConnectionNotation,
  type RecordValues,
  areEqual,
  getFieldValue,
  parseConnectionEntries,
} from '../fields/recordValues';
import { createUnknownFieldError, type FieldRef, formatPayloadKey, type Table } from '../fields/table';
import { ID_SUFFIX, RECORD_SUFFIX } from './simplifiedRecord';

interface ValueSelectionOptions {
  /**
   * `rows`: a form with an input for each field. `object`: an object whose keys the user chose. `item`: an input item,
   * which may be a record that a node has read. The values of an item that cannot be written are left out.
   */
  as: 'rows' | 'object' | 'item';
  notation: ConnectionNotation;
  /** Whether an unknown key of an item is left out. By default, it is an error. */
  omitsUnknown?: boolean;
  /** Slugs of the fields to clear. */
  cleared?: string[];
}

/**
 * Selects the values to write. The result has payload keys. Its values are not encoded; null clears a field. An unknown
 * key of `rows` or an `object` stays: `encodeRecordValues` throws an error for it.
 * @example
 * selectValuesToWrite({ id: 'K7pQ2xW9Lm', Company: 'Mill' }, table, { as: 'item', notation: 'detect' }); // { company: 'Mill' }
 * @throws InputError for a field that is given twice, or that has a value and is to be cleared
 * @throws InputError for a connection whose value is neither an ID nor a name, or whose IDs and texts differ in number
 * @throws InputError for a key that is the name of several fields, and for an unknown key of an item
 */
export function selectValuesToWrite(
  given: RecordValues,
  table: Table,
  { as, notation, omitsUnknown = false, cleared = [] }: ValueSelectionOptions,
): RecordValues {
  const isItem = as === 'item';
  const joined =
    as === 'rows' ? given : joinTextsAndIds(partitionItemValues(given, table, as).writable, table, notation);
  const values = isItem ? selectFieldValues(joined, given, table, omitsUnknown) : joined;
  return renameToPayloadKeys(clearFields(values, cleared, table, isItem), table, notation);
}

/**
 * Describes the values of an item that are lost because they cannot be written.
 * @param records the record before and after the write, or none for a new record. A value in one of them is not lost
 * @example
 * describeLostValues({ company: 'Mill', total: 5 }, table, []); // ['"Total" was not written: …']
 */
export const describeLostValues = (item: RecordValues, table: Table, records: RecordValues[]): string[] =>
  listLostValues(partitionItemValues(item, table).leftOut, table, records).map(describeLeftOutValue);

/** @throws InputError for an unknown key. With `omitsUnknown`, throws it only if no key is a writable field */
function selectFieldValues(
  values: RecordValues,
  given: RecordValues,
  table: Table,
  omitsUnknown: boolean,
): RecordValues {
  if (!omitsUnknown) {
    for (const key of Object.keys(values))
      if (!table.findRef(key)) throw createUnknownInputKeyError(key, table);
    return values;
  }
  const known = Object.entries(values).filter(([key]) => table.findRef(key)?.field.isReadOnly === false);
  if (known.length > 0) return Object.fromEntries(known);
  const keys = Object.keys(given).map((key) => formatForError(key));
  throw new InputError(
    'Fields: no key of the input is a field of the table',
    `Nothing was sent. The keys of the input are: ${joinFirstTexts(keys) || 'none'}. Rename them, or map the fields yourself.`,
  );
}

function createUnknownInputKeyError(key: string, table: Table): unknown {
  const error = createUnknownFieldError(table, key, 'Fields');
  const setting = 'To leave out keys of the input that are no fields, set Unknown Inputs to Ignore.';
  return error.copyWith({ description: `${setting} ${error.description}` });
}

/** A field and one of its parts refer to the same value. Two different parts do not. */
const refersToSameValue = (one: FieldRef, other: FieldRef): boolean =>
  one.field === other.field && (!one.part || !other.part || one.part.payload === other.part.payload);

/**
 * Sets the fields to clear to null. @throws InputError if a field to clear also has a value
 * @param isItem whether a whole field to clear may have a value, because an item may be a record that was read
 */
function clearFields(values: RecordValues, cleared: string[], table: Table, isItem = false): RecordValues {
  if (cleared.length === 0) return values;
  const refs = cleared.flatMap((name) => table.findRef(name) ?? []);
  const left = pickBy(values, (value, name) => {
    const ref = table.findRef(name);
    const clearing = ref && refs.find((one) => refersToSameValue(one, ref));
    if (clearing && !isBlank(value) && (!isItem || clearing.part)) {
      throw new InputError(
        `Fields: "${ref.field.name}" has a value, and stands under Fields to Clear`,
        'Nothing was sent. Remove one of them.',
      );
    }
    return !clearing;
  });
  return { ...left, ...Object.fromEntries(cleared.map((slug) => [slug, null])) };
}

/** @throws InputError for a field that is given twice, and for a connection whose value is neither an ID nor a name */
function renameToPayloadKeys(values: RecordValues, table: Table, notation: ConnectionNotation): RecordValues {
  const earlier = new Map<Field, Array<{ name: string; ref: FieldRef }>>();
  const toEntry = ([name, value]: [string, unknown]): [string, unknown] => {
    const ref = table.findRef(name);
    if (!ref) return [name, value];
    const { field } = ref;
    const others = earlier.get(field) ?? [];
    const other = others.find((one) => refersToSameValue(one.ref, ref));
    if (other) {
      throw new InputError(
        `Fields: "${field.name}" is given twice, as "${other.name}" and "${name}"`,
        'Nothing was sent. Give each field once.',
      );
    }
    earlier.set(field, [...others, { name, ref }]);
    if (field.connection) parseConnectionEntries(value, field, notation);
    return [formatPayloadKey(ref), value];
  };
  return Object.fromEntries(Object.entries(values).map(toEntry));
}

const describeLeftOutValue = ({ key, field }: LeftOutValue): string => {
  if (!field)
    return `The key ${formatForError(key)} of the input was not written: no field of the table has this name.`;
  if (field.isReadOnly) return `"${field.name}" was not written: ${explainReadOnly(field)}.`;
  return `"${field.name}" was not written: Map Automatically sends no file that has an address. To send one, map the field yourself, and give the address or the name of a binary field of the input.`;
};

/** The end of the key for the texts of a connection: `customer_val` (spec: Record). */
const VAL_SUFFIX = '_val';

/** Keys that nodes of this package add to their output. */
const NODE_OUTPUT_KEYS = new Set([
  'equationLog',
  '_action',
  '_before',
  '_changedFields',
  '_connectedFrom',
  '_connectionsAdded',
  '_connectionsRemoved',
  '_dryRun',
  '_event',
  '_eventId',
  '_moreColumns',
  '_notChecked',
  '_notStored',
  '_page',
  '_pages',
  '_reason',
  '_restores',
  '_table',
  '_tableId',
  '_total',
]);

/** Keys that services add: `id` and `created_at` (spec: Record), `auto_increment` (evidence 3), and similar names. */
const SYSTEM_KEYS = new Set(['id', 'auto_increment', 'created_at', 'created_by', 'updated_at', 'updated_by']);

interface LeftOutValue {
  key: string;
  value: unknown;
  /** The field of the key. Undefined if no field has this key. */
  field?: Field;
  /** True for a key that services add, if the item is a record of the service. */
  isFromService: boolean;
}

/** Whether the item was read from the service: its `id` has the form of a record ID. Other items may have any `id`. */
const hasServiceId = ({ id }: RecordValues): boolean => typeof id === 'string' && looksLikeId(id);

/**
 * Finds the field of a key that nodes or services also add. A slug other than `id` always means its field. The slug
 * `id`, or the name of a field, means the field only if the item is no record of the service, and does not have both
 * the name and the slug as keys.
 */
function findFieldOfReservedKey(key: string, values: RecordValues, table: Table): Field | undefined {
  const [field, ...others] = table.listFieldsByName(key);
  if (!field || others.length > 0 || (field.slug === key && key !== 'id')) return field;
  const isGivenToo = field.slug !== key && Object.hasOwn(values, field.slug);
  return isGivenToo || hasServiceId(values) ? undefined : field;
}

/** Finds the connection of a key such as `customer_id`. @returns undefined if the whole key is the name of a field */
function findBySuffix(key: string, table: Table, ...suffixes: string[]): Field | undefined {
  const suffix = suffixes.find((one) => key.endsWith(one));
  if (suffix === undefined || table.listFieldsByName(key).length > 0) return undefined;
  const field = table.findField(key.slice(0, -suffix.length));
  return field && getKind(field).hasDisplayValues ? field : undefined;
}

/** Reads `customer_val` as the value of `customer`, unless another key of the item gives this value. */
function readConnectedTexts(key: string, values: RecordValues, table: Table): Array<[string, unknown]> {
  const field = findBySuffix(key, table, VAL_SUFFIX);
  if (!field || field.isReadOnly || Object.hasOwn(values, field.slug)) return [];
  const isOther = (one: string) =>
    table.findRef(one)?.field === field || findBySuffix(one, table, ID_SUFFIX) === field;
  return Object.keys(values).some(isOther) ? [] : [[field.slug, values[key]]];
}

/**
 * `leftOut`: values that the service sets, files that the service returned, and values under `SYSTEM_KEYS`.
 * Values under `NODE_OUTPUT_KEYS` are in neither group. If a key of these two lists is also the name of a field,
 * `findFieldOfReservedKey` decides whether it means the field.
 * @param as `object`: the user chose the keys, so `id` is the only key of the service that is left out
 */
export function partitionItemValues(
  values: RecordValues,
  table: Table,
  as: 'item' | 'object' = 'item',
): { writable: RecordValues; leftOut: LeftOutValue[] } {
  const writable: Array<[string, unknown]> = [];
  const leftOut: LeftOutValue[] = [];
  const isFromService = hasServiceId(values);
  for (const [key, value] of Object.entries(values)) {
    const isServiceKey = as === 'item' ? SYSTEM_KEYS.has(key) : key === 'id';
    const isReserved = isServiceKey || NODE_OUTPUT_KEYS.has(key);
    const column = isReserved ? findFieldOfReservedKey(key, values, table) : undefined;
    const ref = isReserved ? column && { field: column } : table.findRef(key);
    if (ref) {
      const { field } = ref;
      const isFile = getKind(field).holdsFiles && isServiceFile(value);
      if (as === 'object' || (!field.isReadOnly && !isFile)) writable.push([column?.slug ?? key, value]);
      else leftOut.push({ key, value, field, isFromService: false });
    } else if (isServiceKey) leftOut.push({ key, value, isFromService });
    else if (!isReserved && !findBySuffix(key, table, VAL_SUFFIX, RECORD_SUFFIX)) writable.push([key, value]);
    else writable.push(...readConnectedTexts(key, values, table));
  }
  return { writable: Object.fromEntries(writable), leftOut };
}

/** A value is not lost if it is blank, if a record has it, or if the given records do not show its field. */
function listLostValues(leftOut: LeftOutValue[], table: Table, records: RecordValues[]): LeftOutValue[] {
  return leftOut.filter(({ key, value, field, isFromService }) => {
    if (isBlank(value) || (field && isEmptyValue(getKind(field).normalize(value, field)))) return false;
    const shown = records
      .map((record) => (field ? getFieldValue(record, { table, field }) : getOwnProperty(record, key)))
      .filter((one) => one !== undefined);
    if (shown.length === 0) return !isFromService && (records.length === 0 || !field);
    return !shown.some((one) => (field ? areEqual(one, value, field) : isEqual(one, value)));
  });
}

/** @param name the name of the record with the ID. Undefined if the name is not known */
export function createIdMismatchError(field: Field, text: unknown, id: unknown, name?: string): InputError {
  const meaning = name === undefined ? '' : `, which is ${formatForError(name)}`;
  return new InputError(
    `"${field.name}" is ${formatForError(text)}, and its ID is ${formatForError(id)}${meaning}`,
    `Nothing was sent. To connect by the text, remove "${field.slug}${ID_SUFFIX}". To connect by the ID, or to nothing, remove "${field.slug}" or empty both. For records of another application, choose Names Only under "Connected Records".`,
  );
}

/** Does not split the text of a single record, which may contain commas. */
function splitTextsOfConnection(texts: unknown, count: number): unknown[] {
  if (Array.isArray(texts)) return texts;
  return count === 1 ? [texts] : parseList(texts);
}

/**
 * Replaces the two keys of a connection, its texts and its IDs (`<slug>_id`), by one list.
 * @param notation `detect` makes `{id, val}`, which a look-up compares. `ids` keeps the IDs, `names` the texts
 */
export function joinTextsAndIds(
  values: RecordValues,
  table: Table,
  notation: ConnectionNotation,
): RecordValues {
  const joined = { ...values };
  for (const [idKey, given] of Object.entries(values)) {
    const field = findBySuffix(idKey, table, ID_SUFFIX);
    if (!field) continue;
    const key = idKey.slice(0, -ID_SUFFIX.length);
    delete joined[idKey];
    const hasTexts = Object.hasOwn(values, key);
    if (hasTexts && notation === 'names') continue;
    joined[key] = hasTexts && notation === 'detect' ? pairTextsWithIds(values[key], given, field) : given;
  }
  return joined;
}

function pairTextsWithIds(shown: unknown, given: unknown, field: Field): unknown[] {
  const ids = parseList(given).filter((id) => !isBlank(id));
  const texts = splitTextsOfConnection(shown, ids.length);
  const isEmpty = ids.length === 0 && texts.every(isBlank);
  // If the only connected record has no text, the list of texts may be empty.
  const hasEqualLengths = texts.length === ids.length || (ids.length === 1 && texts.length === 0);
  if (!isEmpty && !hasEqualLengths) throw createIdMismatchError(field, shown, given);
  return ids.map((id, index) => (isObject(id) ? id : { id, val: texts[index] ?? '' }));
}
