import { ANY_OF, type Field } from '../fields';
import { resolveComparison } from '../filter/resolveComparison';
import type { Condition, FilterTree } from '../filter/tree';
import { type ConnectionEntry, IdForm, parseConnectionEntries } from './connectionEntries';
import type { Table } from './table';

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
