import { listFieldLabels } from '../fields';
import { keepColumns } from './recordFields';
import { listFieldKeys, type RecordValues } from './recordValues';
import type { Table } from './table';

/**
 * Lists the fields of the table. `created_at` is not one of them: every record has it, and it keeps its key.
 */
const listNamedFields = ({ fields }: Table) => fields.filter(({ slug }) => slug !== 'created_at');

/** Whether two fields have the same name. With names as keys, the service could return only one of them. */
export function hasEqualNames(table: Table): boolean {
  const names = listNamedFields(table).map(({ name }) => name);
  return new Set(names).size < names.length;
}

/**
 * Replaces the keys of a record by the names of its fields, as `display_names` of the service does (spec:
 * Records). If fields have the same name, their keys contain the slug too.
 */
export function withDisplayNames(record: Record<string, unknown>, table: Table): Record<string, unknown> {
  const fields = listNamedFields(table);
  const labels = listFieldLabels(fields);
  const names = new Map<string, string>();
  fields.forEach((field, index) => {
    for (const key of listFieldKeys(record, { table, field }))
      names.set(key, `${labels[index]}${key.slice(field.slug.length)}`);
  });
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [names.get(key) ?? key, value]));
}

/**
 * Keeps the fields with these slugs, or all fields if there are none. With `displayNames`, field names replace the
 * keys.
 */
export function shapeRecord(
  record: RecordValues,
  { slugs, displayNames }: { slugs: string[]; displayNames: boolean },
  table: Table | undefined,
): RecordValues {
  const kept = slugs.length > 0 ? keepColumns(record, slugs, table?.fields ?? []) : record;
  return displayNames && table ? withDisplayNames(kept, table) : kept;
}
