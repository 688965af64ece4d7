import type { Field } from '../fields/field';
import { getKind } from '../fields/kinds';
import { isEmptyValue } from '../fields/operators';
import { type RecordValues, getShownValue, listFieldKeys } from '../fields/recordValues';
import type { Table } from '../fields/table';
import { InputError, formatForError } from '../input/inputError';
import { toFieldKey } from '../input/names';
import { getOwnValue, hasOwnValue, isBlank, isObject, parseList } from '../input/values';

/* The form in which records are shown to people and to workflows, and its way back to values that can be written. */

const ID_SUFFIX = '_id';

/** Lists the fields that a key may mean. The same comparison as in `Table.find`, also for a name of several fields. */
const listFieldsNamed = (table: Table, key: string): Field[] => {
  const wanted = toFieldKey(key);
  return table.fields.filter(({ slug, fieldId, name }) =>
    [slug, fieldId, name].some((one) => one === key || toFieldKey(one) === wanted),
  );
};

/** The fields whose values have another form in a simplified record. */
const isReshaped = (field: Field): boolean => {
  const { parts, hasDisplayValues } = getKind(field);
  return parts !== undefined || hasDisplayValues === true;
};

/** Lists the fields that `createSimplifier` needs: those that it reshapes, and columns with the key of an ID. */
export const listSimplifierFields = (table: Table): Field[] => {
  const reshaped = table.fields.filter(isReshaped);
  const taken = reshaped.flatMap(({ slug, name }) =>
    [slug, name].flatMap((key) => listFieldsNamed(table, `${key}${ID_SUFFIX}`)),
  );
  return table.fields.filter((field) => reshaped.includes(field) || taken.includes(field));
};

/** Removes the empty parts of a composite. A value that cannot be read is returned unchanged. */
function simplifyParts(value: unknown, field: Field): unknown {
  if (isBlank(value)) return {};
  const read = getKind(field).read(value, field);
  return isObject(read)
    ? Object.fromEntries(Object.entries(read).filter(([, part]) => !isEmptyValue(part)))
    : value;
}

/** Lists the texts of connected records by their IDs, from entries such as `{id, val}` (spec: Record). */
const mapTexts = (...values: unknown[]): Map<string, unknown> =>
  new Map(
    values
      .flatMap(parseList)
      .filter(isObject)
      .filter(({ id, val }) => !isBlank(id) && !isBlank(val))
      .map(({ id, val }) => [String(id), val]),
  );

/** The connected records of a field: a list, or one or none of them. */
interface Connected {
  isList: boolean;
  records: Array<{ id: string; val: unknown }>;
}

/** Undefined for a value that holds no IDs. A record whose text is not known has its ID as text. */
function readConnected(value: unknown, display: unknown, field: Field): Connected | undefined {
  const ids = getKind(field).read(value ?? display, field) as string[] | undefined;
  if (!ids) return undefined;
  const texts = mapTexts(value, display);
  const records = ids.map((id) => ({ id, val: texts.get(id) ?? id }));
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
): Array<[string, unknown]> | undefined {
  const display = displayKey === undefined ? undefined : record[displayKey];
  const connected = readConnected(getOwnValue(record, key), display, field);
  if (!connected) return undefined;
  const { isList, records } = connected;
  const shape = <T>(values: T[]) => (isList ? values : (values[0] ?? null));
  if (idKey === undefined) return [[key, shape(records)]];
  return [
    [key, shape(records.map(({ val }) => val))],
    [idKey, shape(records.map(({ id }) => id))],
  ];
}

/**
 * Creates a function that makes a record readable. Every column stays, in its place:
 * - A connection is the text of its record under the slug, and its ID under `<slug>_id`; both are lists for a connection
 *   to several records. If the table has a column `<slug>_id`, the connection is `{id, val}`.
 * - Name, Address and Calendar are objects without their empty parts.
 * - All other values are as the service returns them.
 * @param getKey returns the key of a field in the records: its slug, or its name
 */
export function createSimplifier(
  table: Table,
  getKey: (field: Field) => string = ({ slug }) => slug,
): (record: RecordValues) => RecordValues {
  const fieldKeys = new Set(table.fields.map(getKey));
  const columns = table.fields.filter(isReshaped).map((field): Column => {
    const key = getKey(field);
    const idKey = `${key}${ID_SUFFIX}`;
    return { field, key, ...(listFieldsNamed(table, idKey).length === 0 && { idKey }) };
  });
  return (record) => {
    const replaced = new Map<string, Array<[string, unknown]>>();
    for (const column of columns) {
      const { field, key } = column;
      const ref = { table, field };
      const keys = listFieldKeys(record, ref, key).filter((one) => one === key || !fieldKeys.has(one));
      const [first, ...others] = keys;
      if (first === undefined) continue;
      const values: Array<[string, unknown]> | undefined = getKind(field).parts
        ? [[key, simplifyParts(getShownValue(record, ref, key), field)]]
        : simplifyConnection(
            record,
            keys.find((one) => one !== key),
            column,
          );
      if (!values) continue;
      replaced.set(first, values);
      for (const other of others) replaced.set(other, []);
    }
    return Object.fromEntries(
      Object.entries(record).flatMap(([key, value]) => replaced.get(key) ?? [[key, value]]),
    );
  };
}

/** Keys that this package's nodes add to their output. They are not columns of a table. */
const ADDED_KEYS = new Set([
  'id',
  'equationLog',
  '_action',
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
  '_table',
  '_total',
]);

/** Whether a key of a returned record is no column, or a column that cannot be written. */
function isReadOnlyKey(key: string, value: unknown, table: Table): boolean {
  const field =
    table.fields.find(({ slug }) => slug === key) ?? table.fields.find(({ name }) => name === key);
  if (field) return field.computed || getKind(field).isWritable?.(value) === false;
  const shown = key.endsWith('_val') ? key.slice(0, -'_val'.length) : undefined;
  return table.fields.some(({ slug, name }) => shown === slug || shown === name);
}

/**
 * Removes the keys of a returned record that cannot be written: totals, actions and events that this package added,
 * display values, calculated fields, addresses of files.
 */
export const omitReadOnly = (values: RecordValues, table?: Table): RecordValues =>
  Object.fromEntries(
    Object.entries(values).filter(
      ([key, value]) => !ADDED_KEYS.has(key) && !(table && isReadOnlyKey(key, value, table)),
    ),
  );

/** The smallest number of connected records that a value can name: a text with commas may be one name. */
const countNamed = (value: unknown): number =>
  Array.isArray(value) ? value.length : Number(!isBlank(value));

/** Finds the connection whose IDs stand under `<key>_id` beside its texts under `<key>`. */
function findConnectionOfIds(idKey: string, values: RecordValues, table: Table): Field | undefined {
  const key = idKey.slice(0, -ID_SUFFIX.length);
  if (!idKey.endsWith(ID_SUFFIX) || !hasOwnValue(values, key)) return undefined;
  if (listFieldsNamed(table, idKey).length > 0) return undefined;
  const field = table.findField(key);
  return field && getKind(field).hasDisplayValues ? field : undefined;
}

/**
 * Replaces the texts of connections by the IDs under `<slug>_id`, as `createSimplifier` returns them: a text may have
 * several meanings, an ID has one.
 * @throws InputError if there are fewer IDs than texts, because the other texts would be lost
 */
export function takeConnectedIds(values: RecordValues, table: Table): RecordValues {
  const taken = { ...values };
  for (const [idKey, ids] of Object.entries(values)) {
    const field = findConnectionOfIds(idKey, values, table);
    if (!field) continue;
    const key = idKey.slice(0, -ID_SUFFIX.length);
    const entries = parseList(ids);
    if (entries.length < countNamed(values[key])) {
      throw new InputError(
        `"${field.name}" is ${formatForError(values[key])}, and "${idKey}" is ${formatForError(ids)}`,
        `Nothing was sent. The IDs say what is connected. To connect by text, remove "${idKey}". To connect by ID, or to nothing, remove "${key}" or empty it.`,
      );
    }
    delete taken[idKey];
    taken[key] = entries.map((id) => (isObject(id) ? id : { id }));
  }
  return taken;
}
