/**
 * The form of records for people and workflows. `createSimplifier` converts a record. `givenValues.ts` converts it back to
 * values that can be written.
 */
import { isBlank, isObject, parseList } from '../../service';
import type { Field } from '../fields/field';
import { getOwnValue } from '../fields/inputValues';
import { getKind } from '../fields/kinds';
import { type RecordValues, listFieldKeys } from '../fields/recordValues';
import type { Table } from '../fields/table';

/** Ends the key of the IDs of a connection: `customer_id`. */
export const ID_SUFFIX = '_id';

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
  /** `val` is missing for a record whose text is not known, `id` for one that does not exist yet. */
  records: Array<{ id?: unknown; val?: unknown }>;
}

const isNew = (entry: unknown): boolean => isObject(entry) && 'val' in entry && !('id' in entry);

/** Undefined for a value that holds no IDs, and no text of a record that does not exist yet. */
function readConnected(value: unknown, display: unknown, field: Field): Connected | undefined {
  const ids = getKind(field).read(value ?? display, field) as string[] | undefined;
  const texts = mapTexts(value, display);
  const records: Connected['records'] = ids
    ? ids.map((id) => ({ id, ...(texts.has(id) && { val: texts.get(id) }) }))
    : parseList(value).filter(isObject);
  if (!ids && !records.some(isNew)) return undefined;
  // The service may return several records for a field that takes one. All of them are shown.
  return { isList: field.connection?.many === true || records.length > 1, records };
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
  const isKnown = records.every(({ val }) => val !== undefined);
  if (!isKnown) onUnknownText?.(field);
  const shape = <T>(values: T[]) => (isList ? values : (values[0] ?? null));
  const hasIds = records.every(({ id }) => id !== undefined);
  if (idKey === undefined || !(isKnown || hasIds)) return [[key, shape(records)]];
  const texts: [string, unknown] = [key, shape(records.map(({ val }) => val))];
  const ids: [string, unknown] = [idKey, shape(records.map(({ id }) => id))];
  return [...(isKnown ? [texts] : []), ...(hasIds ? [ids] : [])];
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
