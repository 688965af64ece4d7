/**
 * The values that a user or another node gives for a record. `readGivenValues` selects the values that can be written, also
 * from a record in the form of `createRecordShaper`. `describeLostValues` describes the values of an item that were left
 * out.
 */
import { isEqual, pickBy } from 'lodash';
import { formatForError, InputError, isBlank, isObject, joinFirst, parseList } from '../../service';
import { looksLikeId } from '../fields/connection';
import type { Field } from '../fields/field';
import { isFileOfService } from '../fields/file';
import { getOwnValue } from '../fields/inputValues';
import { explainReadOnly, getKind } from '../fields/kinds';
import { isEmptyValue } from '../fields/operators';
import {
  type ConnectionNotation,
  type RecordValues,
  equals,
  getShownValue,
  parseConnectionEntries,
} from '../fields/recordValues';
import { createUnknownFieldError, type FieldRef, formatPayloadKey, type Table } from '../fields/table';
import { ID_SUFFIX, RECORD_SUFFIX } from './simplifiedRecord';

interface GivenForm {
  /**
   * `rows`: a form with an input for each field. `object`: an object in which the user chose every key. `item`: an item,
   * which may be a record that was read. Its values that cannot be written are left out, so that a record that was read can
   * be written back.
   */
  as: 'rows' | 'object' | 'item';
  /** How values of connections are read: as `names`, as `ids`, or as either (`detect`). */
  notation: ConnectionNotation;
  /** Whether keys of an item that are not fields are left out. Otherwise they are an error. */
  omitsUnknown?: boolean;
  /** Slugs of the fields to clear. */
  cleared?: string[];
}

/**
 * Reads the values to write, by payload key. The values are not encoded; null clears a field. In rows and objects, a key that
 * is no field stays: the encoding throws its error.
 * @example
 * readGivenValues({ id: 'K7pQ2xW9Lm', Company: 'Mill' }, table, { as: 'item', notation: 'detect' }); // { company: 'Mill' }
 * @throws InputError for two names of one field, for a name of several fields, for texts and IDs of different numbers, for a
 *   field that has a value and is cleared, for a value of a connection that is neither an ID nor a name, and for an unknown
 *   key of an item
 */
export function readGivenValues(
  given: RecordValues,
  table: Table,
  { as, notation, omitsUnknown = false, cleared = [] }: GivenForm,
): RecordValues {
  const isItem = as === 'item';
  const joined =
    as === 'rows' ? given : joinTextsAndIds(partitionValues(given, table, as).writable, table, notation);
  const values = isItem ? requireKnownKeys(joined, given, table, omitsUnknown) : joined;
  return toPayloadKeys(clearFields(values, cleared, table, isItem), table, notation);
}

/**
 * Describes the values of an item that are lost because they cannot be written.
 * @param records the record before and after the write; none if it was created. A value that one of them has is not lost
 * @example
 * describeLostValues({ company: 'Mill', total: 5 }, table, []); // ['"Total" was not written: …']
 */
export const describeLostValues = (item: RecordValues, table: Table, records: RecordValues[]): string[] =>
  listLostValues(partitionValues(item, table).leftOut, table, records).map(describeLeftOut);

/**
 * Returns the values whose keys are fields. @throws InputError for an unknown key; if unknown keys are left out, for an item
 * without a field that can be written
 */
function requireKnownKeys(
  values: RecordValues,
  given: RecordValues,
  table: Table,
  omitsUnknown: boolean,
): RecordValues {
  if (!omitsUnknown) {
    for (const key of Object.keys(values)) if (!table.find(key)) throw createUnknownKeyError(key, table);
    return values;
  }
  const known = Object.entries(values).filter(([key]) => table.find(key)?.field.computed === false);
  if (known.length > 0) return Object.fromEntries(known);
  const keys = Object.keys(given).map((key) => formatForError(key));
  throw new InputError(
    'Fields: no key of the input is a field of the table',
    `Nothing was sent. The keys of the input are: ${joinFirst(keys) || 'none'}. Rename them, or map the fields yourself.`,
  );
}

function createUnknownKeyError(key: string, table: Table): unknown {
  const names = table.writableFields.map(({ slug }) => slug);
  const error = createUnknownFieldError(table, key, 'Fields', names);
  const setting = 'To leave out keys of the input that are no fields, set Unknown Inputs to Ignore.';
  return error.explain({ description: `${setting} ${error.description}` });
}

/** Whether two references mean the same value: the same field or part, or a field and one of its parts. */
const overlaps = (one: FieldRef, other: FieldRef): boolean =>
  one.field === other.field && (!one.part || !other.part || one.part.payload === other.part.payload);

/**
 * Sets the fields to clear to null. In an item, which may be a record that was read, null replaces their values.
 * @throws InputError for a field to clear that has a value; in an item, only for a part of a field
 */
function clearFields(values: RecordValues, cleared: string[], table: Table, isItem = false): RecordValues {
  if (cleared.length === 0) return values;
  const refs = cleared.flatMap((name) => table.find(name) ?? []);
  const left = pickBy(values, (value, name) => {
    const ref = table.find(name);
    const clearing = ref && refs.find((one) => overlaps(one, ref));
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

/**
 * Replaces the names of fields by their payload keys. Values of connections are only parsed: connected records are looked up
 * when the item is written.
 * @throws InputError when two names mean one field, or a field and a part of the field, and for a value of a connection that
 *   is neither an ID nor a name
 */
function toPayloadKeys(values: RecordValues, table: Table, notation: ConnectionNotation): RecordValues {
  const names = new Map<string, string>();
  const fields = new Map<Field, { name: string; isWhole: boolean }>();
  for (const name of Object.keys(values)) {
    const ref = table.find(name);
    const key = ref ? formatPayloadKey(ref) : name;
    const isWhole = ref?.part === undefined;
    const earlier = ref && fields.get(ref.field);
    const other = names.get(key) ?? (earlier?.isWhole === !isWhole ? earlier.name : undefined);
    if (other !== undefined) {
      throw new InputError(
        `Fields: "${ref?.field.name ?? key}" is given twice, as "${other}" and "${name}"`,
        'Nothing was sent. Give each field once.',
      );
    }
    names.set(key, name);
    if (ref?.field.connection) parseConnectionEntries(values[name], ref.field, notation);
    if (ref) fields.set(ref.field, { name, isWhole });
  }
  return Object.fromEntries([...names].map(([key, name]) => [key, values[name]]));
}

const describeLeftOut = ({ key, field }: LeftOutValue): string => {
  if (!field)
    return `The key ${formatForError(key)} of the input was not written: no field of the table has this name.`;
  if (field.computed) return `"${field.name}" was not written: ${explainReadOnly(field)}.`;
  return `"${field.name}" was not written: Map Automatically sends no file that has an address. To send one, map the field yourself, and give the address or the name of a binary field of the input.`;
};

/** The end of the key for the display values of a connection: `customer_val` (spec: Record). */
const VAL_SUFFIX = '_val';

/** Keys that this package's nodes add to their output. */
const ADDED_KEYS = new Set([
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

/**
 * Keys that a service adds to records: `id` and `created_at` (spec: Record), `auto_increment`, which recorded lists of
 * newer services have (evidence 3), and names that other services often use.
 */
const SYSTEM_KEYS = new Set(['id', 'auto_increment', 'created_at', 'created_by', 'updated_at', 'updated_by']);

interface LeftOutValue {
  key: string;
  value: unknown;
  /** Undefined for a key that is no column. */
  field?: Field;
  /** Whether the service may have added the value to the item, which is then a record of this application. */
  isExpected: boolean;
}

/** Whether an item is a record of the service: its ID has the form of a record ID. */
const isRecord = ({ id }: RecordValues): boolean => typeof id === 'string' && looksLikeId(id);

/**
 * Finds the column that a key means, although nodes or the service also add this key to records. Its slug always means it,
 * except `id`. Its name means it if the item lacks the slug and is no record of this application.
 */
function findColumnOfAddedKey(key: string, values: RecordValues, table: Table): Field | undefined {
  const [field, ...others] = table.listFieldsByName(key);
  if (!field || others.length > 0 || (field.slug === key && key !== 'id')) return field;
  const isGivenToo = field.slug !== key && Object.hasOwn(values, field.slug);
  return isGivenToo || isRecord(values) ? undefined : field;
}

/**
 * Finds the connection whose name or slug, followed by one of the suffixes, is the key. Undefined for a key that names a
 * field.
 */
function findConnection(key: string, table: Table, ...suffixes: string[]): Field | undefined {
  const suffix = suffixes.find((one) => key.endsWith(one));
  if (suffix === undefined || table.listFieldsByName(key).length > 0) return undefined;
  const field = table.findField(key.slice(0, -suffix.length));
  return field && getKind(field).hasDisplayValues ? field : undefined;
}

/**
 * Returns the entry to write for a connection that an item has only as display values, under `<slug>_val`. Empty if the
 * item also has the connection under its slug, its name or `<slug>_id`.
 */
function readDisplayValues(key: string, values: RecordValues, table: Table): Array<[string, unknown]> {
  const field = findConnection(key, table, VAL_SUFFIX);
  if (!field || field.computed || Object.hasOwn(values, field.slug)) return [];
  const isOther = (one: string) =>
    table.find(one)?.field === field || findConnection(one, table, ID_SUFFIX) === field;
  return Object.keys(values).some(isOther) ? [] : [[field.slug, values[key]]];
}

/**
 * Divides the values of an item into `writable` and `leftOut` values. Left out are values that the service sets itself, files
 * that the service has, and keys that the service adds. Keys that nodes add are in neither group, and neither are display
 * values of a connection that the item contains in another form. A key that is the name of a column means the column, also
 * `id` and `created_at`.
 * @param as `object`: the user chose the keys, so of the keys that the service adds, only `id` is left out
 */
export function partitionValues(
  values: RecordValues,
  table: Table,
  as: 'item' | 'object' = 'item',
): { writable: RecordValues; leftOut: LeftOutValue[] } {
  const writable: Array<[string, unknown]> = [];
  const leftOut: LeftOutValue[] = [];
  const isExpected = isRecord(values);
  for (const [key, value] of Object.entries(values)) {
    const isSystem = as === 'item' ? SYSTEM_KEYS.has(key) : key === 'id';
    const isAdded = isSystem || ADDED_KEYS.has(key);
    const column = isAdded ? findColumnOfAddedKey(key, values, table) : undefined;
    const ref = isAdded ? column && { field: column } : table.find(key);
    if (ref) {
      const { field } = ref;
      const isFile = getKind(field).holdsFiles && isFileOfService(value);
      if (as === 'object' || (!field.computed && !isFile)) writable.push([column?.slug ?? key, value]);
      else leftOut.push({ key, value, field, isExpected: false });
    } else if (isSystem) leftOut.push({ key, value, isExpected });
    else if (!isAdded && !findConnection(key, table, VAL_SUFFIX, RECORD_SUFFIX)) writable.push([key, value]);
    else writable.push(...readDisplayValues(key, values, table));
  }
  return { writable: Object.fromEntries(writable), leftOut };
}

/**
 * Lists the values that are lost because they are not written. A blank value is not lost, and a value that one of the records
 * has is not lost.
 * @param records the record before and after the write; none for a new record. If none of them contains the field, its value
 *   does not count as lost
 */
function listLostValues(leftOut: LeftOutValue[], table: Table, records: RecordValues[]): LeftOutValue[] {
  return leftOut.filter(({ key, value, field, isExpected }) => {
    if (isBlank(value) || (field && isEmptyValue(getKind(field).read(value, field)))) return false;
    const shown = records
      .map((record) => (field ? getShownValue(record, { table, field }) : getOwnValue(record, key)))
      .filter((one) => one !== undefined);
    if (shown.length === 0) return !isExpected && (records.length === 0 || !field);
    return !shown.some((one) => (field ? equals(one, value, field) : isEqual(one, value)));
  });
}

/**
 * Creates the error for a text and an ID of different records. @param name the name of the record with the ID, if it is
 * known
 */
export function createDisagreementError(field: Field, text: unknown, id: unknown, name?: string): InputError {
  const meaning = name === undefined ? '' : `, which is ${formatForError(name)}`;
  return new InputError(
    `"${field.name}" is ${formatForError(text)}, and its ID is ${formatForError(id)}${meaning}`,
    `Nothing was sent. To connect by the text, remove "${field.slug}${ID_SUFFIX}". To connect by the ID, or to nothing, remove "${field.slug}" or empty both. For records of another application, choose Names Only under "Connected Records".`,
  );
}

/** Splits a text at its commas, if `count` is not 1. The text of a single record may contain commas. */
function splitTexts(texts: unknown, count: number): unknown[] {
  if (Array.isArray(texts)) return texts;
  return count === 1 ? [texts] : parseList(texts);
}

/**
 * Joins the texts of connections and the IDs under `<slug>_id`, as `createRecordShaper` returns them, to pairs: `{id,
 * val}`. Whether text and ID mean the same record is checked where connected records are looked up.
 * @param notation `ids` uses only the IDs, `names` only the texts
 * @throws InputError if the numbers of texts and IDs differ
 */
export function joinTextsAndIds(
  values: RecordValues,
  table: Table,
  notation: ConnectionNotation,
): RecordValues {
  const joined = { ...values };
  for (const [idKey, given] of Object.entries(values)) {
    const field = findConnection(idKey, table, ID_SUFFIX);
    if (!field) continue;
    const key = idKey.slice(0, -ID_SUFFIX.length);
    delete joined[idKey];
    const hasTexts = Object.hasOwn(values, key);
    if (hasTexts && notation === 'names') continue;
    joined[key] = hasTexts && notation === 'detect' ? joinPairs(values[key], given, field) : given;
  }
  return joined;
}

/** Joins the IDs of one connection with the texts beside them. @throws InputError if their numbers differ */
function joinPairs(shown: unknown, given: unknown, field: Field): unknown[] {
  const ids = parseList(given).filter((id) => !isBlank(id));
  const texts = splitTexts(shown, ids.length);
  const isEmpty = ids.length === 0 && texts.every(isBlank);
  // A single ID may have an empty list in place of an empty text.
  const isEqualLong = texts.length === ids.length || (ids.length === 1 && texts.length === 0);
  if (!isEmpty && !isEqualLong) throw createDisagreementError(field, shown, given);
  return ids.map((id, index) => (isObject(id) ? id : { id, val: texts[index] ?? '' }));
}
