import { formatForError, InputError, joinFirst } from '../../service';
import { NameIndex, toFieldKey } from '../fields/names';
import type { TableSummary } from './tables';

/** Number of tables that an error message lists. */
const MAX_LISTED_TABLES = 40;

/** Finds a table by its ID or name. @throws InputError that lists the tables, or those with this name */
export function findTable(text: string, tables: TableSummary[]): TableSummary {
  const byId = tables.filter(({ id }) => id === text);
  const found = byId.length > 0 ? byId : new NameIndex(tables, ({ name }) => [name], toFieldKey).find(text);
  const [table, ...others] = found;
  if (table && others.length === 0) return table;
  if (table) {
    throw new InputError(
      `${formatForError(text)} is the name of several tables: ${joinFirst(found.map(({ name, id }) => `${formatForError(name)} (${id})`))}`,
      'Nothing was sent. Give the ID of one of them.',
    );
  }
  const names = tables.map(({ name }) => name);
  const more = names.length > MAX_LISTED_TABLES ? ` and ${names.length - MAX_LISTED_TABLES} more` : '';
  throw new InputError(
    `The application has no table ${formatForError(text)}`,
    `Nothing was sent. The tables are: ${joinFirst(names.slice(0, MAX_LISTED_TABLES), ', ', MAX_LISTED_TABLES)}${more}.`,
  );
}
