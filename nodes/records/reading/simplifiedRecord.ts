/**
 * The form of records for people and workflows, and its way back to values that can be written. `createSimplifier`
 * converts a record. `divideValues` and `takeConnectedIds` convert an item back.
 */
import { isEqual } from 'lodash';
import {
  formatForError,
  getOwnValue,
  hasOwnValue,
  InputError,
  isBlank,
  isObject,
  parseList,
} from '../../service';
import type { Field } from '../fields/field';
import { getKind } from '../fields/kinds';
import { isEmptyValue } from '../fields/operators';
import {
  type ConnectionNotation,
  IdForm,
  type RecordValues,
  equals,
  getShownValue,
  listFieldKeys,
} from '../fields/recordValues';
import type { Table } from '../fields/table';

const ID_SUFFIX = '_id';

/** Ends the key of the fields of a connected record: `customer_record`. */
export const RECORD_SUFFIX = '_record';

/** The fields whose values have another form in a simplified record. */
const isReshaped = (field: Field): boolean => {
  const { simplify, hasDisplayValues } = getKind(field);
  return simplify !== undefined || hasDisplayValues === true;
};

/** Lists the texts of connected records by their IDs, from entries such as `{id, val}` (spec: Record). */
const mapTexts = (...values: unknown[]): Map<string, unknown> =>
  new Map(
    values
      .flatMap(parseList)
      .filter(isObject)
      .filter(({ id, val }) => !isBlank(id) && val !== undefined)
      .map(({ id, val }) => [String(id), val ?? '']),
  );

/** The connected records of a field: a list, or one or none of them. */
interface Connected {
  isList: boolean;
  /** `val` is missing for a record whose text is not known. */
  records: Array<{ id: string; val?: unknown }>;
}

/** Undefined for a value that holds no IDs. */
function readConnected(value: unknown, display: unknown, field: Field): Connected | undefined {
  const ids = getKind(field).read(value ?? display, field) as string[] | undefined;
  if (!ids) return undefined;
  const texts = mapTexts(value, display);
  const records = ids.map((id) => ({ id, ...(texts.has(id) && { val: texts.get(id) }) }));
  // The service may return several records for a field that takes one. All of them are shown.
  return { isList: field.connection?.many === true || ids.length > 1, records };
}

/** How one field is simplified. */
interface Column {
  field: Field;
  /** The key of the field in the record: its slug or its name. */
  key: string;
  /** The key of the connected IDs. Undefined if a column of the table has this key. */
  idKey?: string;
}

function simplifyConnection(
  record: RecordValues,
  displayKey: string | undefined,
  { field, key, idKey }: Column,
  onUnknownText?: (field: Field) => void,
): Array<[string, unknown]> | undefined {
  const display = displayKey === undefined ? undefined : record[displayKey];
  const connected = readConnected(getOwnValue(record, key), display, field);
  if (!connected) return undefined;
  const { isList, records } = connected;
  const isKnown = records.every((one) => 'val' in one);
  if (!isKnown) onUnknownText?.(field);
  const shape = <T>(values: T[]) => (isList ? values : (values[0] ?? null));
  if (idKey === undefined) return [[key, shape(records)]];
  const ids: [string, unknown] = [idKey, shape(records.map(({ id }) => id))];
  return isKnown ? [[key, shape(records.map(({ val }) => val))], ids] : [ids];
}

/**
 * Creates a function that makes a record readable. Every column stays, in its place:
 * - A connection is the text of its record under the slug, and its ID under `<slug>_id`; both are lists for a connection
 *   to several records. If the table has a column `<slug>_id`, the connection is `{id, val}`. A text that is not known is
 *   left out: an ID is never shown as a text.
 * - Name, Address and Calendar are objects without their empty parts, or null if they are empty.
 * - A Link is its text, and a list of choices has no blank ones and each once.
 * - All other values are as the service returns them. A record without any of these fields is returned as it is.
 * @param getKey returns the key of a field in the records: its slug, or its name
 * @param onUnknownText called with each connection of which a text is not known
 */
export function createSimplifier(
  table: Table,
  getKey: (field: Field) => string = ({ slug }) => slug,
  onUnknownText?: (field: Field) => void,
): (record: RecordValues) => RecordValues {
  const fieldKeys = new Set(table.fields.map(getKey));
  const columns = table.fields.filter(isReshaped).map((field): Column => {
    const key = getKey(field);
    const idKey = `${key}${ID_SUFFIX}`;
    return { field, key, ...(table.listNamed(idKey).length === 0 && { idKey }) };
  });
  // A list of 50,000 records is not copied without need.
  if (columns.length === 0) return (record) => record;
  return (record) => {
    const replaced = new Map<string, Array<[string, unknown]>>();
    for (const column of columns) {
      const { field, key } = column;
      const ref = { table, field };
      const keys = listFieldKeys(record, ref, key).filter((one) => one === key || !fieldKeys.has(one));
      const [first, ...others] = keys;
      if (first === undefined) continue;
      const { simplify: simplifyValue } = getKind(field);
      const values: Array<[string, unknown]> | undefined = simplifyValue
        ? [[key, simplifyValue(record[key], field)]]
        : simplifyConnection(
            record,
            keys.find((one) => one !== key),
            column,
            onUnknownText,
          );
      if (!values) continue;
      replaced.set(first, values);
      for (const other of others) replaced.set(other, []);
    }
    if (replaced.size === 0) return record;
    const entries: Array<[string, unknown]> = [];
    for (const entry of Object.entries(record)) entries.push(...(replaced.get(entry[0]) ?? [entry]));
    return Object.fromEntries(entries);
  };
}

/** Keys that this package's nodes add to their output. */
const ADDED_KEYS = new Set([
  'equationLog',
  '_action',
  '_before',
  '_changedFields',
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
  '_total',
]);

/**
 * Keys that a service adds to records: those of the spec (Record), `auto_increment`, which stands between them in newer
 * lists (evidence 3), and the usual names of such values.
 */
const SYSTEM_KEYS = new Set(['id', 'auto_increment', 'created_at', 'created_by', 'updated_at', 'updated_by']);

/** A value of an item that is not written. */
export interface LeftOutValue {
  key: string;
  value: unknown;
  /** Undefined for a key that is no column. */
  field?: Field;
  /** The item is a record of this application, so it has the key anyway. */
  isExpected: boolean;
}

/** Whether an item is a record of this application: its ID has the form of the application's IDs. */
const isOwnRecord = ({ id }: RecordValues, table: Table): boolean =>
  typeof id === 'string' && new IdForm(table.id).matches(id);

/**
 * Finds the column that a key means which nodes or the service add to records. It means a column if the table has one of
 * this name, and the item does not give that column under its slug too. In a record of this application the key has its
 * own meaning.
 */
function findColumnOfAddedKey(key: string, values: RecordValues, table: Table): Field | undefined {
  const [field, ...others] = table.listNamed(key);
  if (!field || others.length > 0 || (field.slug === key && key !== 'id')) return field;
  const isGivenToo = field.slug !== key && hasOwnValue(values, field.slug);
  return isGivenToo || isOwnRecord(values, table) ? undefined : field;
}

/** Whether a key has the display values of a connection (spec: Record), or the fields of its records. */
function isDisplayKey(key: string, table: Table): boolean {
  const suffix = ['_val', RECORD_SUFFIX].find((one) => key.endsWith(one));
  if (suffix === undefined || table.find(key)) return false;
  const field = table.findField(key.slice(0, -suffix.length));
  return field !== undefined && getKind(field).hasDisplayValues === true;
}

/** Whether a value can be written to a field of its kind. */
const canWrite = (value: unknown, field: Field): boolean => getKind(field).isWritable?.(value) !== false;

/**
 * Divides the values of an item into those that can be written, and those that cannot: values that the service maintains,
 * files that the service has, and keys that the service adds. What nodes add, and texts of connections, are in neither.
 * A key that names a column is that column, also `id` and `created_at`.
 */
export function divideValues(
  values: RecordValues,
  table: Table,
): { writable: RecordValues; leftOut: LeftOutValue[] } {
  const writable: Array<[string, unknown]> = [];
  const leftOut: LeftOutValue[] = [];
  const isExpected = isOwnRecord(values, table);
  for (const [key, value] of Object.entries(values)) {
    const isSystem = SYSTEM_KEYS.has(key);
    const isAdded = isSystem || ADDED_KEYS.has(key);
    const column = isAdded ? findColumnOfAddedKey(key, values, table) : undefined;
    const ref = isAdded ? column && { field: column, part: undefined } : table.find(key);
    if (ref) {
      const { field, part } = ref;
      if (!field.computed && (part || canWrite(value, field))) writable.push([column?.slug ?? key, value]);
      else leftOut.push({ key, value, field, isExpected: false });
    } else if (isSystem) leftOut.push({ key, value, isExpected });
    else if (!isAdded && !isDisplayKey(key, table)) writable.push([key, value]);
  }
  return { writable: Object.fromEntries(writable), leftOut };
}

/** Removes the keys that nodes add, and the ID, unless they name a column. For values in which every other key is meant. */
export const omitAddedKeys = (values: RecordValues, table?: Table): RecordValues =>
  Object.fromEntries(
    Object.entries(values).filter(
      ([key]) =>
        (!(key === 'id' || ADDED_KEYS.has(key)) && !(table && isDisplayKey(key, table))) ||
        (table && findColumnOfAddedKey(key, values, table)),
    ),
  );

/**
 * Lists the values that are lost because they are not written: those that differ from the records that the item describes.
 * @param records the record before and after the write; none for a new record. A value that they do not show is not lost
 */
export function listLostValues(
  leftOut: LeftOutValue[],
  table: Table,
  records: RecordValues[],
): LeftOutValue[] {
  return leftOut.filter(({ key, value, field, isExpected }) => {
    if (isBlank(value) || (field && isEmptyValue(getKind(field).read(value, field)))) return false;
    const shown = records
      .map((record) => (field ? getShownValue(record, { table, field }) : getOwnValue(record, key)))
      .filter((one) => one !== undefined);
    if (shown.length === 0) return !isExpected && (records.length === 0 || !field);
    return !shown.some((one) => isEqual(one, value) || (field && equals(one, value, field)));
  });
}

/** Finds the connection whose IDs stand under `<key>_id`, beside its texts under `<key>` or, if these are not known, alone. */
function findConnectionOfIds(idKey: string, table: Table): Field | undefined {
  const key = idKey.slice(0, -ID_SUFFIX.length);
  if (!idKey.endsWith(ID_SUFFIX)) return undefined;
  if (table.listNamed(idKey).length > 0) return undefined;
  const field = table.findField(key);
  return field && getKind(field).hasDisplayValues ? field : undefined;
}

/** The error for a connection whose text and ID differ. @param of the text of the record with the ID, if it is known */
export function createDisagreementError(field: Field, text: unknown, id: unknown, of?: string): InputError {
  const meaning = of === undefined ? '' : `, which is ${formatForError(of)}`;
  return new InputError(
    `"${field.name}" is ${formatForError(text)}, and its ID is ${formatForError(id)}${meaning}`,
    `Nothing was sent. To connect by the text, remove "${field.slug}${ID_SUFFIX}". To connect by the ID, or to nothing, remove "${field.slug}" or empty both. For records of another application, choose Names Only under "Connected Records".`,
  );
}

/** Divides a text into as many as there are IDs. One ID has one text, with its commas. */
function divideTexts(texts: unknown, count: number): unknown[] {
  if (Array.isArray(texts)) return texts;
  return count === 1 ? [texts] : parseList(texts);
}

/**
 * Joins the texts of connections and the IDs under `<slug>_id`, as `createSimplifier` returns them, to pairs: `{id, val}`.
 * Whether text and ID mean the same record is checked where connected records are looked up.
 * @param notation `ids` takes the IDs alone, `names` the texts
 * @throws InputError if the numbers of texts and IDs differ
 */
export function joinTextsAndIds(
  values: RecordValues,
  table: Table,
  notation: ConnectionNotation,
): RecordValues {
  const joined = { ...values };
  for (const [idKey, given] of Object.entries(values)) {
    const field = findConnectionOfIds(idKey, table);
    if (!field) continue;
    const key = idKey.slice(0, -ID_SUFFIX.length);
    delete joined[idKey];
    const hasTexts = hasOwnValue(values, key);
    if (hasTexts && notation === 'names') continue;
    joined[key] = hasTexts && notation === 'detect' ? joinPairs(values[key], given, field) : given;
  }
  return joined;
}

function joinPairs(shown: unknown, given: unknown, field: Field): unknown[] {
  const ids = parseList(given).filter((id) => !isBlank(id));
  const texts = divideTexts(shown, ids.length);
  const isEmpty = ids.length === 0 && texts.every(isBlank);
  // Of one ID, an empty list is an empty text.
  const isEqualLong = texts.length === ids.length || (ids.length === 1 && texts.length === 0);
  if (!isEmpty && !isEqualLong) throw createDisagreementError(field, shown, given);
  return ids.map((id, index) => (isObject(id) ? id : { id, val: texts[index] ?? '' }));
}
