/**
 * Converts records to the form for people and workflows, with `createRecordShaper`. `givenValues.ts` converts such a record
 * back to values that can be written.
 */
import { type Client, isBlank, isObject, parseList } from '../../service';
import type { Field } from '../fields/field';
import { getOwnValue } from '../fields/inputValues';
import { getKind } from '../fields/kinds';
import { type RecordValues, keepColumns, listFieldKeys } from '../fields/recordValues';
import { type Table, labelFields } from '../fields/table';
import { addKnownTexts } from './connectedTexts';

/** The end of the key for the IDs of a connection: `customer_id`. */
export const ID_SUFFIX = '_id';

/** The end of the key for the fields of a connected record: `customer_record`. */
export const RECORD_SUFFIX = '_record';

/** Whether the values of a field have another form in a simplified record. */
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

/** The connected records of a field: a list, or at most one record. */
interface ConnectedRecords {
  isList: boolean;
  /** `val` is missing for a record whose text is not known, `id` for a record that does not exist yet. */
  records: Array<{ id?: unknown; val?: unknown }>;
}

/** Whether an entry is a connected record that does not exist yet: `{ val: 'its name' }`, without an ID. */
const isMissingRecord = (entry: unknown): boolean => isObject(entry) && 'val' in entry && !('id' in entry);

/**
 * Reads the connected records of a value. Undefined if the value has neither an ID nor the text of a record that does not
 * exist yet.
 */
function readConnectedRecords(value: unknown, display: unknown, field: Field): ConnectedRecords | undefined {
  const ids = getKind(field).read(value ?? display, field) as string[] | undefined;
  const texts = mapTexts(value, display);
  const records: ConnectedRecords['records'] = ids
    ? ids.map((id) => ({ id, ...(texts.has(id) && { val: texts.get(id) }) }))
    : parseList(value).filter(isObject);
  if (!ids && !records.some(isMissingRecord)) return undefined;
  // The service may return several records for a field that takes one. All of them are shown.
  return { isList: field.connection?.many === true || records.length > 1, records };
}

interface Column {
  field: Field;
  /** The key of the field in the item: its slug or its name. */
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
  const connected = readConnectedRecords(getOwnValue(record, field.slug), display, field);
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

/** Keys that every record has or that nodes add. A field with one of these names gets another key. */
const OWN_KEY = /^(id$|created_at$|_)/;

/**
 * Creates a function that returns the key of a field in items: its slug, or its name. A name that is ambiguous is followed by
 * the slug: several fields have the name, it is the slug of another field, or it matches `OWN_KEY`. The field `created_at`
 * keeps its key.
 */
export function createKeyFormatter(table: Table, displayNames: boolean): (field: Field) => string {
  if (!displayNames) return ({ slug }) => slug;
  const fields = table.fields.filter(({ slug }) => slug !== 'created_at');
  const keys = new Map(
    labelFields(fields).map(({ field: { name, slug }, label }) => {
      const isTaken = OWN_KEY.test(name) || (name !== slug && table.hasSlug(name));
      return [slug, isTaken ? `${name} [${slug}]` : label];
    }),
  );
  return ({ slug }) => keys.get(slug) ?? slug;
}

/** The form of a record in an item. */
interface ShapeOptions {
  /** The fields to keep; all of them if there are none. */
  slugs?: string[];
  /** Whether field names replace the keys. */
  displayNames?: boolean;
  /** Whether values are simplified: see `createRecordShaper`. */
  simplified: boolean;
  /** The client whose responses contained texts of connected records. Texts that a record lacks are added. */
  client?: Client;
  /** Called with each connection of which a text is not known. */
  onUnknownText?: (field: Field) => void;
}

/**
 * Creates a function that converts records to the form of items. In a simplified record, every column stays, in its place:
 * - A connection is the text of its record under its key, and its ID under `<key>_id`; both are lists for a connection to
 *   several records. If the table has a column `<key>_id`, the connection is `{id, val}`. A text that is not known is left
 *   out: an ID is never shown as a text.
 * - Name, Address and Calendar are objects without their empty parts, or null if they are empty.
 * - A Link is its text, and a list of choices has each choice once and no blank entry.
 * - All other values are as the service returns them. A record without any of these fields is returned as it is.
 * @param table undefined if it is not known: the function then removes columns, and changes nothing else
 */
export function createRecordShaper(
  { slugs = [], displayNames = false, simplified, client, onUnknownText }: ShapeOptions,
  table: Table | undefined,
): (record: RecordValues) => RecordValues {
  if (!table) return (record) => (slugs.length > 0 ? keepColumns(record, slugs, []) : record);
  const getKey = createKeyFormatter(table, displayNames);
  const shown = table.fields.filter((field) => displayNames || (simplified && isReshaped(field)));
  const columns = shown.map((field): Column => {
    const key = getKey(field);
    const idKey = `${key}${ID_SUFFIX}`;
    return { field, key, ...(table.listFieldsByName(idKey).length === 0 && { idKey }) };
  });
  const simplify = (record: RecordValues, keys: string[], column: Column) => {
    const { field, key } = column;
    const { simplify: simplifyValue, hasDisplayValues } = getKind(field);
    if (simplifyValue) return [[key, simplifyValue(record[field.slug], field)]] as Array<[string, unknown]>;
    const displayKey = keys.find((one) => one !== field.slug);
    return hasDisplayValues && simplifyConnection(record, displayKey, column, onUnknownText);
  };
  return (given) => {
    const kept = slugs.length > 0 ? keepColumns(given, slugs, table.fields) : given;
    // Without columns to change, the record is not copied: a list may have 50,000 records.
    if (columns.length === 0) return kept;
    const record = simplified && client ? addKnownTexts(client, table, kept) : kept;
    const replaced = new Map<string, Array<[string, unknown]>>();
    for (const column of columns) {
      const { field, key } = column;
      const keys = listFieldKeys(record, { table, field });
      const values = simplified && keys.length > 0 && simplify(record, keys, column);
      keys.forEach((one, index) => {
        const named: [string, unknown] = [`${key}${one.slice(field.slug.length)}`, record[one]];
        replaced.set(one, values ? (index === 0 ? values : []) : [named]);
      });
    }
    const entries: Array<[string, unknown]> = [];
    for (const entry of Object.entries(record)) entries.push(...(replaced.get(entry[0]) ?? [entry]));
    return Object.fromEntries(entries);
  };
}
