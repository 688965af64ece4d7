/**
 * Describes a record after a write. Some services return only its ID, or nothing, so `describeWritten` joins the values that
 * were read, the values that were sent, and the values in the response.
 */
import { isObject, parseList, type ServiceRecord } from '../../service';
import type { PayloadEntries } from '../fields/field';
import { getKind } from '../fields/kinds';
import { type RecordValues, findFieldByKey, getShownValue, listFieldKeys } from '../fields/recordValues';
import type { Table } from '../fields/table';

interface RecordWrite {
  table: Table;
  id: string;
  entries: PayloadEntries;
  /** The record before the write. Undefined for a new record, and for a record that was not read. */
  before?: RecordValues;
  /** The record in the response, if the response has one. */
  shown?: unknown;
}

/**
 * Returns the record after a write as far as it is known: as it was read, with the values that were sent, and with the
 * response. Values that the service calculates are left out unless the response contains them.
 * @example
 * describeWritten({ table, id: 'b6WQk9NrBZ', entries: [['name', 'Lamp']] }); // { id: 'b6WQk9NrBZ', name: 'Lamp' }
 */
export function describeWritten({ table, id, entries, before, shown }: RecordWrite): ServiceRecord {
  const answered = isObject(shown) ? shown : {};
  const known = before
    ? replaceValues(table, entries, before, answered)
    : { id, ...answered, ...toShownValues(table, entries) };
  return { ...known, ...answered, id };
}

/**
 * Converts a payload to values as the service shows them, by slug and in the order of the fields. A file is left out,
 * because its address is not known.
 * @param before the record before the write, with the parts of a composite that were not sent
 */
export function toShownValues(
  table: Table,
  entries: PayloadEntries,
  before: RecordValues = {},
): RecordValues {
  const values = new Map<string, unknown>();
  for (const [key, value] of entries) {
    const ref = table.resolvePayloadField(key, 'Fields');
    const { field, part } = ref;
    const { holdsFiles, hasDisplayValues, read } = getKind(field);
    if (holdsFiles) continue;
    if (part) {
      const known = values.get(field.slug) ?? read(getShownValue(before, ref), field);
      values.set(field.slug, { ...(isObject(known) && known), [part.payload]: value });
    } else values.set(field.slug, hasDisplayValues ? (read(value, field) ?? value) : value);
  }
  return Object.fromEntries(
    table.fields.flatMap(({ slug }) => (values.has(slug) ? [[slug, values.get(slug)]] : [])),
  );
}

/**
 * Puts the sent values in place of the old ones. The order of the keys stays. Leaves out a file that was sent, because its
 * address is not known, and a value that the service calculates and the response lacks, because it may have changed.
 * `created_at` stays.
 */
function replaceValues(
  table: Table,
  entries: PayloadEntries,
  before: RecordValues,
  answered: RecordValues,
): RecordValues {
  const sent = new Set(entries.map(([key]) => table.resolvePayloadField(key, 'Fields').field));
  const values = toShownValues(table, entries, before);
  const replaced = Object.entries(before).flatMap(([key, value]): Array<[string, unknown]> => {
    const field = findFieldByKey(table.fields, key);
    const isLeftOut = field?.computed && key !== 'created_at' && !Object.hasOwn(answered, key);
    if (!field || !sent.has(field)) return isLeftOut ? [] : [[key, value]];
    if (key === `${field.slug}_val`) return [[key, filterTextsByIds(value, values[field.slug])]];
    const [first] = listFieldKeys(before, { table, field });
    return key === first && !getKind(field).holdsFiles ? [[field.slug, values[field.slug]]] : [];
  });
  return { ...Object.fromEntries(replaced), ...values };
}

/** Keeps the texts of the connected records that remain. The texts of new connected records are not known. */
const filterTextsByIds = (texts: unknown, ids: unknown): unknown[] =>
  parseList(texts).filter((entry) => isObject(entry) && Array.isArray(ids) && ids.includes(String(entry.id)));
