import { findTable, listTables, type TableSummary } from '../../records';
import { type Client, formatForError, InputError, tryOr } from '../../service';

/** The IDs of tables by the names in the form. */
export type KnownTables = Record<string, string>;

/**
 * Finds the tables that a trigger names, for a workflow that is copied to another application.
 * @param known the tables that had the names before. Another table that takes such a name is not watched instead
 * @throws InputError for a name of no table or of several, and if a table has another name now; ApiError for a failed
 *   request
 */
export async function findNamedTables(
  client: Client,
  names: string[],
  known: KnownTables,
): Promise<KnownTables> {
  const tables = await listTables(client, { isFresh: true });
  const find = (name: string): string => {
    const before = tables.find(({ id }) => id === known[name]);
    if (!before) return findTable(name, tables).id;
    if (!tryOr(() => findTable(name, [before]), undefined)) throw createRenamedError(name, before);
    return before.id;
  };
  return Object.fromEntries(names.map((name) => [name, find(name)]));
}

const createRenamedError = (before: string, { name, id }: TableSummary) =>
  new InputError(
    `The table ${formatForError(before)} has the name ${formatForError(name)} now`,
    `Give the name ${formatForError(name)} under Table. To watch another table that is called ${formatForError(before)}, choose it from the list. Nothing was read. The ID of the renamed table is ${id}.`,
  );
