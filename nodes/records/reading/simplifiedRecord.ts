/** Converts records to the form of items, which is easier to use. `givenValues.ts` converts the items back. */
import { type Client, isObject, parseList } from '../../service';
import type { Field } from '../fields/field';
import { getOwnProperty } from '../fields/inputValues';
import { getKind } from '../fields/kinds';
import { type RecordValues, keepColumns, listFieldKeys } from '../fields/recordValues';
import { type Table, labelFields } from '../fields/table';
import { addStoredConnectedTexts, mapTextsById } from './connectedTexts';

/** The end of the key for the IDs of a connection: `customer_id`. */
export const ID_SUFFIX = '_id';

/** The end of the key for the fields of a connected record: `customer_record`. */
export const RECORD_SUFFIX = '_record';

const isChangedBySimplify = (field: Field): boolean => {
  const { simplify, hasDisplayValues } = getKind(field);
  return simplify !== undefined || hasDisplayValues === true;
};

/** The connected records of a field. If `isList` is false, there is at most one. */
interface ConnectedRecords {
  isList: boolean;
  /** `val` is missing if the text is not known, and `id` if the record does not exist yet. */
  records: Array<{ id?: unknown; val?: unknown }>;
}

/** A record that is still to be created has a name and no ID: `{ val: 'its name' }`. */
const isRecordToCreate = (entry: unknown): boolean => isObject(entry) && 'val' in entry && !('id' in entry);

/** @param display the value under `<slug>_val`, with the texts. @returns undefined if the value cannot be read */
function readConnectedRecords(value: unknown, display: unknown, field: Field): ConnectedRecords | undefined {
  const ids = getKind(field).normalize(value ?? display, field) as string[] | undefined;
  const texts = mapTextsById([value, display]);
  const records: ConnectedRecords['records'] = ids
    ? ids.map((id) => ({ id, ...(texts.has(id) && { val: texts.get(id) }) }))
    : parseList(value).filter(isObject);
  if (!ids && !records.some(isRecordToCreate)) return undefined;
  // The service may return several records for a connection to one record. The item then has a list.
  return { isList: field.connection?.many === true || records.length > 1, records };
}

interface ItemColumn {
  field: Field;
  key: string;
  /** The key of the connected IDs. Undefined if another field has this key: the connection is then `{id, val}`. */
  idKey?: string;
}

function simplifyConnection(
  record: RecordValues,
  displayKey: string | undefined,
  { field, key, idKey }: ItemColumn,
  onUnknownText?: (field: Field) => void,
): Array<[string, unknown]> | undefined {
  const display = displayKey === undefined ? undefined : record[displayKey];
  const connected = readConnectedRecords(getOwnProperty(record, field.slug), display, field);
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

/** Keys that every record has, or that nodes add. `createKeyFormatter` adds the slug to a field name of this form. */
const RESERVED_KEY_PATTERN = /^(id$|created_at$|_)/;

/**
 * The key of a field is its slug, or its name with `displayNames`. The slug is added to a name that is the name or slug
 * of another field, or that `RESERVED_KEY_PATTERN` matches. The key of `created_at` is always its slug.
 */
export function createKeyFormatter(table: Table, displayNames: boolean): (field: Field) => string {
  if (!displayNames) return ({ slug }) => slug;
  const fields = table.fields.filter(({ slug }) => slug !== 'created_at');
  const keys = new Map(
    labelFields(fields).map(({ field: { name, slug }, label }) => {
      const isTaken = RESERVED_KEY_PATTERN.test(name) || (name !== slug && table.hasSlug(name));
      return [slug, isTaken ? `${name} [${slug}]` : label];
    }),
  );
  return ({ slug }) => keys.get(slug) ?? slug;
}

interface ItemConverterOptions {
  /** Slugs of the fields to keep. By default, all fields are kept. */
  slugs?: string[];
  /** Whether the keys of a record are the names of its fields. By default, they are the slugs. */
  displayNames?: boolean;
  simplified: boolean;
  /** The client whose stored texts of connected records are added. */
  client?: Client;
  /** Called with a connection if the text of one of its records is not known. */
  onUnknownText?: (field: Field) => void;
}

/**
 * Creates a function that converts records to the JSON of items. The order of fields stays. Simplify changes these
 * values:
 * - A connection has its text under its key, and its ID under `<key>_id`. Both are lists for several records. A text
 *   that is not known is left out. If another field has the key `<key>_id`, the connection is `{id, val}`.
 * - Name, Address and Calendar are objects without their empty parts, or null.
 * - A Link is its text. A list of choices has each choice once and no blank choice.
 * @param table undefined if the function only removes columns
 */
export function createItemConverter(
  { slugs = [], displayNames = false, simplified, client, onUnknownText }: ItemConverterOptions,
  table: Table | undefined,
): (record: RecordValues) => RecordValues {
  if (!table) return (record) => (slugs.length > 0 ? keepColumns(record, slugs, []) : record);
  const getKey = createKeyFormatter(table, displayNames);
  const shown = table.fields.filter((field) => displayNames || (simplified && isChangedBySimplify(field)));
  const columns = shown.map((field): ItemColumn => {
    const key = getKey(field);
    const idKey = `${key}${ID_SUFFIX}`;
    return { field, key, ...(table.listFieldsByName(idKey).length === 0 && { idKey }) };
  });
  const simplify = (record: RecordValues, keys: string[], column: ItemColumn) => {
    const { field, key } = column;
    const { simplify: simplifyValue, hasDisplayValues } = getKind(field);
    if (simplifyValue) return [[key, simplifyValue(record[field.slug], field)]] as Array<[string, unknown]>;
    const displayKey = keys.find((one) => one !== field.slug);
    return hasDisplayValues && simplifyConnection(record, displayKey, column, onUnknownText);
  };
  return (given) => {
    const kept = slugs.length > 0 ? keepColumns(given, slugs, table.fields) : given;
    // A list may have 50,000 records, so they are not copied without need.
    if (columns.length === 0) return kept;
    const record = simplified && client ? addStoredConnectedTexts(client, table, kept) : kept;
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
    return Object.fromEntries(Object.entries(record).flatMap((entry) => replaced.get(entry[0]) ?? [entry]));
  };
}
