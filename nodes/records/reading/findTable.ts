/** A table by its ID or name, among those of the application: `findTable` and `requireTable`. */
import { formatForError, InputError, joinFirst } from '../../service';
import { findSimilarNames, NameIndex, toFieldKey } from '../fields/names';
import type { TableSummary } from './tables';

/** Finds a table by its ID or name. @throws InputError for a name of several tables */
export function findTable(text: string, tables: TableSummary[]): TableSummary | undefined {
  const [table, ...others] = findTables(text, tables);
  if (table && others.length > 0) throw createAmbiguousTableError(text, [table, ...others]);
  return table;
}

/** Finds a table by its ID or name. @throws InputError that lists the tables, or those with this name */
export function requireTable(text: string, tables: TableSummary[]): TableSummary {
  const table = findTable(text, tables);
  if (!table) throw createUnknownTableError(text, tables);
  return table;
}

/** Number of tables that an error message lists. */
const MAX_LISTED_TABLES = 40;

/** Finds the tables with an ID or a name. */
function findTables(text: string, tables: TableSummary[]): TableSummary[] {
  const byId = tables.filter(({ id }) => id === text);
  return byId.length > 0 ? byId : new NameIndex(tables, ({ name }) => [name], toFieldKey).find(text);
}

function createUnknownTableError(text: string, tables: TableSummary[]): InputError {
  const names = tables.map(({ name }) => name);
  const similar = findSimilarNames(text, names).map((name) => formatForError(name));
  const hint = similar.length > 0 ? `Did you mean ${similar.join(' or ')}? ` : '';
  const more = names.length > MAX_LISTED_TABLES ? ` and ${names.length - MAX_LISTED_TABLES} more` : '';
  return new InputError(
    `The application has no table ${formatForError(text)}`,
    `${hint}Nothing was sent. The tables are: ${joinFirst(names.slice(0, MAX_LISTED_TABLES), ', ', MAX_LISTED_TABLES)}${more}.`,
  );
}

const createAmbiguousTableError = (text: string, tables: TableSummary[]): InputError =>
  new InputError(
    `${formatForError(text)} is the name of several tables: ${joinFirst(tables.map(({ name, id }) => `${formatForError(name)} (${id})`))}`,
    'Nothing was sent. Give the ID of one of them.',
  );
