import { partsOf, type Field } from '../shared/model/fields';
import type { RecordChange } from './delivery';

/** What could not be checked or done for an item; it is worked on all the same, and says so. */
export type NotChecked = 'token' | 'duplicates' | 'fullRecord';

type Values = Record<string, unknown>;

/** Further keys of a field: the display values beside a connection, the parts of a composite. */
const isBeside = (field: Field, key: string): boolean =>
  key === `${field.slug}_val` ||
  (partsOf(field) !== undefined &&
    [`${field.slug}[`, `${field.slug}__`].some((start) => key.startsWith(start)));

/** The field of a key; a slug that another one starts with must not take its keys. */
export const fieldOf = (fields: Field[], key: string): Field | undefined =>
  fields.find(({ slug }) => slug === key) ?? fields.find((field) => isBeside(field, key));

/** The slug of a field that is named by slug or by field ID; any other name stays, as the field of another table. */
export const slugOf = (name: string, fields: Field[]): string =>
  fields.find(({ slug, fieldId }) => slug === name || fieldId === name)?.slug ?? name;

/** The chosen fields, and the id by which everything else is found again. */
export const keepColumns = (record: Values, columns: string[], fields: Field[]): Values =>
  Object.fromEntries(
    Object.entries(record).filter(
      ([key]) => key === 'id' || columns.includes(fieldOf(fields, key)?.slug ?? key),
    ),
  );

/** Names for slugs, the way `display_names` of the service does it (spec: Records). */
export const withDisplayNames = (record: Values, fields: Field[]): Values =>
  Object.fromEntries(
    Object.entries(record).map(([key, value]) => {
      const field = fieldOf(fields, key);
      // Every record has `created_at`, which is no field of the table and has no name there.
      return [field && field.slug !== 'created_at' ? field.name + key.slice(field.slug.length) : key, value];
    }),
  );

/** The item that starts the workflow: the whole event, or its record alone. */
export function itemOf(
  { event, tableId, tableName, timestamp }: RecordChange,
  record: Values,
  shape: string,
  notChecked: NotChecked[],
): Values {
  const note = notChecked.length > 0 ? { _notChecked: notChecked } : {};
  if (shape === 'record') return { ...record, ...note };
  return { event, tableId, tableName, record, timestamp, ...note };
}
