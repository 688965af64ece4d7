/** Builds the record after a write, because some services return only its ID, or nothing. */
import { isObject, parseList, type ServiceRecord } from '../../service';
import type { PayloadEntries } from '../fields/field';
import { getKind } from '../fields/kinds';
import { type RecordValues, findFieldByKey, getFieldValue, listFieldKeys } from '../fields/recordValues';
import type { Table } from '../fields/table';

interface RecordWrite {
  table: Table;
  id: string;
  entries: PayloadEntries;
  /** The record before the write. Undefined for a new record, or if the record was not read before the write. */
  before?: RecordValues;
  /** The record in the response, if there is one. */
  shown?: unknown;
}

/** Joins the values before the write, the sent values and the response, which alone shows calculated values. */
export function buildWrittenRecord({ table, id, entries, before, shown }: RecordWrite): ServiceRecord {
  const answered = isObject(shown) ? shown : {};
  const known = before
    ? replaceWithSentValues(table, entries, before, answered)
    : { id, ...answered, ...toRecordValues(table, entries) };
  return { ...known, ...answered, id };
}

/** Leaves out files, because their addresses are not known. Takes parts that were not sent from `before`. */
export function toRecordValues(
  table: Table,
  entries: PayloadEntries,
  before: RecordValues = {},
): RecordValues {
  const values = new Map<string, unknown>();
  for (const [key, value] of entries) {
    const ref = table.requireWritableRef(key, 'Fields');
    const { field, part } = ref;
    const { holdsFiles, hasDisplayValues, normalize } = getKind(field);
    if (holdsFiles) continue;
    if (part) {
      const known = values.get(field.slug) ?? normalize(getFieldValue(before, ref), field);
      values.set(field.slug, { ...(isObject(known) && known), [part.payload]: value });
    } else values.set(field.slug, hasDisplayValues ? (normalize(value, field) ?? value) : value);
  }
  return Object.fromEntries(
    table.fields.flatMap(({ slug }) => (values.has(slug) ? [[slug, values.get(slug)]] : [])),
  );
}

/**
 * Returns `before` with the sent values. Leaves out sent files, and calculated values that `answered` lacks, because
 * their new values are unknown. `created_at` stays, because it never changes.
 */
function replaceWithSentValues(
  table: Table,
  entries: PayloadEntries,
  before: RecordValues,
  answered: RecordValues,
): RecordValues {
  const sent = new Set(entries.map(([key]) => table.requireWritableRef(key, 'Fields').field));
  const values = toRecordValues(table, entries, before);
  const replaced = Object.entries(before).flatMap(([key, value]): Array<[string, unknown]> => {
    const field = findFieldByKey(table.fields, key);
    const isLeftOut = field?.isReadOnly && key !== 'created_at' && !Object.hasOwn(answered, key);
    if (!field || !sent.has(field)) return isLeftOut ? [] : [[key, value]];
    if (key === `${field.slug}_val`) return [[key, filterTextsByIds(value, values[field.slug])]];
    const [first] = listFieldKeys(before, { table, field });
    return key === first && !getKind(field).holdsFiles ? [[field.slug, values[field.slug]]] : [];
  });
  return { ...Object.fromEntries(replaced), ...values };
}

/** Keeps the texts of the records with these IDs. Newly connected records get no text, because it is not known. */
const filterTextsByIds = (texts: unknown, ids: unknown): unknown[] =>
  parseList(texts).filter((entry) => isObject(entry) && Array.isArray(ids) && ids.includes(String(entry.id)));
