/**
 * Converts records of webhook deliveries. `completeRecord` gives a delivered record the form of a record that was read, and
 * adds missing fields.
 */
import { mapValues, pickBy, without } from 'lodash';
import { type Client, isObject } from '../../service';
import type { Field } from '../fields/field';
import { getKind } from '../fields/kinds';
import { equals, findFieldByKey, readIds, type RecordValues } from '../fields/recordValues';
import type { Table } from '../fields/table';
import { readRecordPage } from './readRecords';

/**
 * Gives a delivered record the form of a record that was read: keys in the order of the table, numbers and lists in place of
 * the texts of a form (evidence 18: one value of a multiple choice is a text), and null for a blank date. Adds the fields of
 * `read` that the delivery lacks. The delivered values stay, because they are the values at the time of the event.
 * @param options `read`: the record as it was read later; `keepsForm`: leaves the delivered values as they are
 * @example
 * completeRecord({ price: '12.50' }, table, { read: { id: 'r', price: 12, note: 'a' } }); // { id: 'r', price: 12.5, note: 'a' }
 */
export function completeRecord(
  delivered: RecordValues,
  table: Table,
  { read, keepsForm = false }: { read?: RecordValues; keepsForm?: boolean } = {},
): RecordValues {
  const record = keepsForm ? delivered : toReadForm(delivered, table);
  return read ? addMissingFields(record, read, table) : record;
}

/** Lists the User fields of which the record has only IDs. The service names no connected table for a User field. */
const listUserFieldsWithoutTexts = (table: Table, record: RecordValues): Field[] =>
  table.fields.filter((field) => {
    const isUser = getKind(field).hasDisplayValues && field.connection?.tableId === undefined;
    return (
      isUser && readIds(record, { table, field }).length > 0 && !Object.hasOwn(record, `${field.slug}_val`)
    );
  });

/** Adds the texts of users, which only lists contain. For each field, the service lists one record with the same user. */
export async function addUserTexts(
  client: Client,
  table: Table,
  records: RecordValues[],
): Promise<RecordValues[]> {
  const addTexts = async (record: RecordValues): Promise<RecordValues> => {
    const added: RecordValues = {};
    for (const field of listUserFieldsWithoutTexts(table, record)) {
      const { slug } = field;
      const items = [{ field_id: slug, operator: 'is', val: readIds(record, { table, field })[0] }];
      const query = { tableId: table.id, table, filters: { condition: 'AND' as const, items, child: [] } };
      const [listed] = (await readRecordPage(client, query, 1, 1)).items;
      const texts = listed?.[`${slug}_val`];
      if (texts && equals(listed[slug], record[slug], field)) added[`${slug}_val`] = texts;
    }
    return { ...record, ...added };
  };
  return Promise.all(records.map(addTexts));
}

function toReadForm(delivered: RecordValues, table: Table): RecordValues {
  const fields = new Map(table.fields.map((field) => [field.slug, field]));
  const convert = (value: unknown, key: string): unknown => {
    const field = fields.get(key);
    // `auto_increment` is not a field of the table: the service adds it to each record, as a number (evidence 3).
    if (key === 'auto_increment' && !field) return Number(value) || value;
    if (typeof value !== 'string' || !field || getKind(field).hasDisplayValues) return value;
    const read = getKind(field).read(value, field);
    if (Array.isArray(read) && getKind(field).holdsFiles !== 'one') return value === '' ? [] : [value];
    // An empty number has several forms. The form that the service uses is kept.
    const isNull = read === null && getKind(field).omittedValue === undefined;
    return typeof read === 'number' || isNull ? read : value;
  };
  // Some services return `created_at` before the fields; the spec shows it after them, so it is not sorted.
  return sortKeys(mapValues(delivered, convert), without([...fields.keys()], 'created_at'));
}

function addMissingFields(delivered: RecordValues, read: RecordValues, table: Table): RecordValues {
  const isDelivered = (key: string, field = findFieldByKey(table.fields, key)) =>
    // Each entry of display values has an ID, so read display values are added to delivered IDs too.
    Object.hasOwn(delivered, field && key !== `${field.slug}_val` ? field.slug : key);
  const choose = (value: unknown, key: string): unknown => {
    const field = table.fields.find(({ slug }) => slug === key);
    return field && Object.hasOwn(read, key) ? chooseValue(value, read[key], field) : value;
  };
  const kept = mapValues(
    pickBy(delivered, (_value, key) => isDelivered(key)),
    choose,
  );
  const missing = pickBy(read, (_value, key) => !isDelivered(key));
  return sortKeys({ ...missing, ...kept }, Object.keys({ ...read, ...kept }));
}

/**
 * Chooses a value of a field. The delivered value is used if it can be read, differs, and is no file: it is the value at the
 * time of the event. Missing parts of a delivered composite are taken from the read value.
 */
function chooseValue(delivered: unknown, read: unknown, field: Field): unknown {
  const kind = getKind(field);
  const isReadable = !kind.holdsFiles && kind.read(delivered, field) !== undefined;
  if (!isReadable || equals(delivered, read, field)) return read;
  return kind.parts && isObject(delivered) && isObject(read) ? { ...read, ...delivered } : delivered;
}

/** Gives the listed keys of a record the order of the list. All other keys keep their places. */
function sortKeys(record: RecordValues, keys: string[]): RecordValues {
  const sorted = keys.filter((key) => Object.hasOwn(record, key));
  const listed = new Set(sorted);
  const ordered = Object.keys(record).map((key) => (listed.has(key) ? (sorted.shift() as string) : key));
  return Object.fromEntries(ordered.map((key) => [key, record[key]]));
}
