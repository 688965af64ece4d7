import type { Field } from '../fields/field';
import { listFieldLabels } from '../fields/labels';
import { ANY_OF } from '../fields/operators';
import {
  type ConnectionEntry,
  IdForm,
  type RecordValues,
  keepColumns,
  listFieldKeys,
  parseConnectionEntries,
} from '../fields/recordValues';
import type { Table } from '../fields/table';
import { resolveComparison } from '../filter/resolveComparison';
import type { Condition, FilterTree } from '../filter/tree';

/** Operators of connections that compare with a record, in the primary and the symbolic form (spec: Filters). */
const COMPARING_OPERATORS = new Set(['is', 'is not', 'contains', '=', '!=', ANY_OF]);

/** Finds the connection that a condition compares with records. Undefined for any other condition. */
export const findComparedField = (table: Table, name: string, operator: string): Field | undefined => {
  const field = table.find(name)?.field;
  if (!field?.connection) return undefined;
  const isComparing = [operator, resolveComparison({ operator }, field).operator].some((word) =>
    COMPARING_OPERATORS.has(word),
  );
  return isComparing ? field : undefined;
};

/** Lists the texts of a filter that may be names or IDs of connected records. @throws InputError */
export function listConnectionTexts(tree: FilterTree, table: Table): string[] {
  const listTexts = ({ field: name, operator, value, notation = 'detect' }: Condition): string[] => {
    const field = findComparedField(table, name, operator);
    const entries = field ? parseConnectionEntries(value, field, notation).entries : [];
    return entries.filter(({ type }) => type !== 'id').map(({ text }) => text);
  };
  return [
    ...tree.conditions.flatMap(listTexts),
    ...tree.groups.flatMap((group) => listConnectionTexts(group, table)),
  ];
}

/** Whether a filter names connected records by texts without the form of an ID. @throws InputError */
export function hasConnectionNames(tree: FilterTree, table: Table): boolean {
  const isName = ({ field: name, operator, value, notation = 'detect' }: Condition) => {
    const field = findComparedField(table, name, operator);
    if (!field) return false;
    const idForm = new IdForm(field.connection?.tableId ?? '');
    const isId = ({ type, text }: ConnectionEntry) =>
      type === 'id' || (type === 'text' && idForm.matches(text));
    return !parseConnectionEntries(value, field, notation).entries.every(isId);
  };
  return tree.conditions.some(isName) || tree.groups.some((group) => hasConnectionNames(group, table));
}

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
