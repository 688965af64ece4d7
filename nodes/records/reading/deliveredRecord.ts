/** Converts records of webhook deliveries. */
import { mapValues } from 'lodash';
import { type Client, isObject } from '../../service';
import type { Field } from '../fields/field';
import { getKind } from '../fields/kinds';
import { areEqual, readConnectedIds, type RecordValues } from '../fields/recordValues';
import type { Table } from '../fields/table';
import { readRecordPage } from './readRecords';

/**
 * Converts a delivered record to the form of a record that was read. A delivery has the values of form data (evidence
 * 18), so texts become numbers, lists and null. The values stay as they were at the time of the event.
 * @param options `read`: the record as read later, for fields that the delivery lacks. `keepsForm`: texts stay texts
 * @example
 * decodeDelivery({ price: '12.50' }, table, { read: { id: 'r', price: 12, note: 'a' } }); // { id: 'r', price: 12.5, note: 'a' }
 */
export function decodeDelivery(
  delivered: RecordValues,
  table: Table,
  { read, keepsForm = false }: { read?: RecordValues; keepsForm?: boolean } = {},
): RecordValues {
  const record = keepsForm ? delivered : decodeDeliveredValues(delivered, table);
  const choose = (value: unknown, key: string): unknown => {
    const field = table.fields.find(({ slug }) => slug === key);
    return field && read && Object.hasOwn(read, key) ? preferDeliveredValue(value, read[key], field) : value;
  };
  return read ? { ...read, ...mapValues(record, choose) } : record;
}

/**
 * Adds the names of users under `<slug>_val`. The service shows these names only in lists of records, so this
 * function requests a list of one record that has the same user in the field.
 */
export async function addUserNames(
  client: Client,
  table: Table,
  records: RecordValues[],
): Promise<RecordValues[]> {
  // A User field is a connection without a table.
  const userFields = table.fields.filter(
    (field) => getKind(field).hasDisplayValues && field.connection?.tableId === undefined,
  );
  const addNames = async (record: RecordValues): Promise<RecordValues> => {
    const added: RecordValues = {};
    for (const field of userFields) {
      const { slug } = field;
      const [val] = readConnectedIds(record, { table, field });
      if (val === undefined || Object.hasOwn(record, `${slug}_val`)) continue;
      const items = [{ field_id: slug, operator: 'is', val }];
      const query = { tableId: table.id, table, filters: { condition: 'AND' as const, items, child: [] } };
      const [listed] = (await readRecordPage(client, query, 1, 1)).items;
      const texts = listed?.[`${slug}_val`];
      if (texts && areEqual(listed[slug], record[slug], field)) added[`${slug}_val`] = texts;
    }
    return { ...record, ...added };
  };
  return Promise.all(records.map(addNames));
}

function decodeDeliveredValues(delivered: RecordValues, table: Table): RecordValues {
  const fields = new Map(table.fields.map((field) => [field.slug, field]));
  const convert = (value: unknown, key: string): unknown => {
    const field = fields.get(key);
    // In a record that was read, `auto_increment` is a number. The service does not list it as a field (evidence 3).
    if (key === 'auto_increment' && !field) return Number(value) || value;
    if (typeof value !== 'string' || !field || getKind(field).hasDisplayValues) return value;
    const read = getKind(field).normalize(value, field);
    if (Array.isArray(read) && getKind(field).holdsFiles !== 'one') return value === '' ? [] : [value];
    // An empty value of a kind with an `omittedValue` is not converted: a delivery may have several forms of it.
    const isNull = read === null && getKind(field).omittedValue === undefined;
    return typeof read === 'number' || isNull ? read : value;
  };
  // The fields get the order of the table. `created_at` is not moved: some services return it before the fields.
  const slugs = [...fields.keys()].filter((slug) => slug !== 'created_at' && Object.hasOwn(delivered, slug));
  const moved = new Set(slugs);
  const keys = Object.keys(delivered).map((key) => (moved.has(key) ? (slugs.shift() as string) : key));
  return Object.fromEntries(keys.map((key) => [key, convert(delivered[key], key)]));
}

/** Returns `read` if `delivered` is a file, invalid or equal. Otherwise completes `delivered` with parts of `read`. */
function preferDeliveredValue(delivered: unknown, read: unknown, field: Field): unknown {
  const kind = getKind(field);
  const isReadable = !kind.holdsFiles && kind.normalize(delivered, field) !== undefined;
  if (!isReadable || areEqual(delivered, read, field)) return read;
  return kind.parts && isObject(delivered) && isObject(read) ? { ...read, ...delivered } : delivered;
}
