/**
 * A table that a trigger names, for a workflow that is copied to another application. The trigger stores which table
 * the name meant: a renamed table is an error, and another table that takes its name is not watched instead.
 */
import { findTable, requireTable, listTables, type TableSummary } from '../../records';
import { type Client, formatForError, InputError, memory } from '../../service';

/** Milliseconds for which the list of tables is used, so that a poll without changes needs one request. */
const LIST_TTL_MS = 3_600_000;

const tablesOfTriggers = memory.cache<TableSummary[], 'user'>('tablesOfTriggers', {
  per: 'user',
  holds: 'the tables of the application, for triggers that name their table',
  ttlMs: LIST_TTL_MS,
});

/** The IDs of tables by the names in the form. */
export type KnownTables = Record<string, string>;

/** Milliseconds for which a list counts as current. */
const RECENT_MS = 30_000;

/**
 * Finds the table with a name.
 * @param settings `knownId`: the ID of the table that had the name before; `isFresh`: the tables are read now, as when a
 *   workflow is published
 * @throws InputError for a name of no table or of several, and if the table has another name now; ApiError for a failed
 *   request
 */
export async function findNamedTable(
  client: Client,
  name: string,
  { knownId, isFresh = false }: { knownId?: string; isFresh?: boolean } = {},
): Promise<TableSummary> {
  const list = (maxAgeMs: number) => {
    tablesOfTriggers.deleteOlder(client, [], performance.now() - maxAgeMs);
    return tablesOfTriggers.get(client, [], () => listTables(client, { isFresh: true }));
  };
  let tables = await list(isFresh ? 0 : LIST_TTL_MS);
  const listed = findTable(name, tables);
  if (!listed || listed.id !== (knownId ?? listed.id)) tables = await list(RECENT_MS);
  const known = tables.find(({ id }) => id === knownId);
  if (known && findTable(name, tables)?.id !== known.id) throw createRenamedError(name, known);
  return requireTable(name, tables);
}

/**
 * Finds the tables with these names.
 * @param known the tables that had the names before
 * @throws as `findNamedTable` does
 */
export async function findNamedTables(
  client: Client,
  names: string[],
  known: KnownTables,
  { isFresh = false } = {},
): Promise<KnownTables> {
  const found: KnownTables = {};
  for (const [index, name] of names.entries()) {
    const settings = { knownId: known[name], isFresh: isFresh && index === 0 };
    found[name] = (await findNamedTable(client, name, settings)).id;
  }
  return found;
}

const createRenamedError = (before: string, { name, id }: TableSummary) =>
  new InputError(
    `The table ${formatForError(before)} has the name ${formatForError(name)} now`,
    `Give the name ${formatForError(name)} under Table. To watch another table that is called ${formatForError(before)}, choose it from the list. Nothing was read. The ID of the renamed table is ${id}.`,
  );
