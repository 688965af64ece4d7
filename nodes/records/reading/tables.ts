/** The tables of the application with their fields. All are cached. */
import {
  asThrown,
  type Client,
  formatForError,
  InputError,
  joinFirst,
  memory,
  tableEndpoints,
} from '../../service';
import type { Field } from '../fields/field';
import { toField } from '../fields/kinds';
import { NameIndex, toFieldKey } from '../fields/names';
import { listFieldKeys, type RecordValues } from '../fields/recordValues';
import { createUnknownFieldError, Table, UnknownFieldError } from '../fields/table';

/** Milliseconds for which tables are cached. Callers may need newer ones (`Freshness`). */
const CACHE_TTL_MS = 3_600_000;

interface Freshness {
  /** Whether the table must have been requested since the client was created. */
  isFresh?: boolean;
  /** In milliseconds. By default, 30 seconds. Triggers use older tables to save requests. */
  maxAgeMs?: number;
}

/** Returns the time since which a cached table must have been requested, in milliseconds of `performance.now()`. */
const getEarliestTime = (client: Client, { isFresh = false, maxAgeMs = 30_000 }: Freshness): number =>
  Math.max(performance.now() - maxAgeMs, isFresh ? client.startedAt : 0);

/** Users may see different fields, so each user has a cache. */
const tables = memory.cache<Table, 'user'>('tables', {
  per: 'user',
  holds: 'the fields of a table',
  ttlMs: CACHE_TTL_MS,
});

async function fetchTable(client: Client, tableId: string): Promise<Table> {
  const { body } = await client.call(tableEndpoints.listFullFields, {
    path: { dataTableId: tableId },
    lane: 'urgent',
  });
  const fields = body.items.map(toField);
  return new Table(tableId, fields);
}

/**
 * Returns a table with its fields, cached for 30 seconds.
 * @param age `isFresh`: requested since the client was created. Operations that change many records, filter or sort set it:
 *   a field may have been renamed since another execution read the table
 * @example
 * const table = await getTable(client, 'T1x9Kq');
 * table.requireField('Credit Limit', 'Filter').slug; // 'credit_limit'
 * @throws ApiError for a failed request, 404 for an unknown table
 */
export const getTable = (client: Client, tableId: string, age: Freshness = {}): Promise<Table> =>
  tables.get(client, [tableId], () => fetchTable(client, tableId), getEarliestTime(client, age));

/**
 * Calls `run`. If a field is unknown and the cached fields were out of date, calls `run` again with the new fields. The second
 * call is safe: all fields are looked up before a change is sent.
 * @throws the error of the run; ApiError if the fields cannot be read
 * @example
 * const records = await retryWithFreshFields(client, () => readByForm(client, form));
 */
export const retryWithFreshFields = <T>(client: Client, run: () => Promise<T>): Promise<T> =>
  run().catch(async (error: unknown) => {
    if (!(error instanceof UnknownFieldError)) throw asThrown(error);
    const { table } = error;
    if ((await getTable(client, table.id, { isFresh: true })) === table) throw error;
    return run();
  });

/** The tables that a run has read again. Each is stored under its ID, and under its ID with the missing fields. */
const getTablesReadAgain = memory.attach<Client, Map<string, Promise<Table>>>(
  'tablesReadAgain',
  { to: 'client', holds: 'the tables whose fields a run read again, because a record lacked one' },
  () => new Map(),
);

/**
 * Returns the table if this run has read it again because a record lacked a field (`readFieldsIfMissing`).
 * @throws ApiError as `getTable` does
 */
export const findTableReadAgain = (client: Client, tableId: string): Promise<Table> | undefined =>
  getTablesReadAgain(client).get(tableId);

/**
 * Reads the table again if a record lacks one of `fields`: someone may have renamed or deleted the field. Each set of
 * missing fields leads to one reading, because the user may not see these fields in any record.
 * @returns `table`, or the table as it was read again
 * @throws ApiError as `getTable` does
 */
export async function readFieldsIfMissing(
  client: Client,
  table: Table,
  fields: Field[],
  records: RecordValues[],
): Promise<Table> {
  const missing = fields.filter((field) =>
    records.some((record) => listFieldKeys(record, { table, field }).length === 0),
  );
  if (missing.length === 0) return table;
  const readAgain = getTablesReadAgain(client);
  const keys = [JSON.stringify([table.id, missing.map(({ slug }) => slug)]), table.id];
  const fresh = readAgain.get(keys[0]!) ?? getTable(client, table.id, { maxAgeMs: 0 });
  for (const key of keys) readAgain.set(key, fresh);
  return fresh.catch((error: unknown) => {
    for (const key of keys) readAgain.delete(key);
    throw asThrown(error);
  });
}

/** Formats the properties by which values are encoded. If one of them changes, an encoded value means something else. */
const describeEncoding = ({ slug, kind, computed, connection }: Field): string =>
  [slug, kind, computed, connection?.many, connection?.tableId].join();

/** Finds a field that is gone from a table, or whose values have another form now: a text became a connection. */
export const findGoneField = ({ fields }: Table, used: Field[]): Field | undefined =>
  used.find((field) => !fields.some((one) => describeEncoding(one) === describeEncoding(field)));

/** Keys of every record (spec: Record; evidence 3). A response may lack one of them although no field was deleted. */
export const RECORD_KEYS = new Set(['id', 'created_at', 'auto_increment']);

/**
 * Checks that compared fields still exist, if a record lacks one. The service ignores a condition on an unknown field, and
 * a missing value would count as blank.
 * @throws InputError for a field that is gone
 * @throws ApiError as `getTable` does
 */
export async function ensureRecordsShowFields(
  client: Client,
  table: Table,
  fields: Field[],
  records: RecordValues[],
): Promise<void> {
  const compared = fields.filter(({ slug }) => !RECORD_KEYS.has(slug));
  const fresh = await readFieldsIfMissing(client, table, compared, records);
  const gone = findGoneField(fresh, compared);
  const slugs = fresh.fields.map(({ slug }) => slug);
  if (gone) throw createUnknownFieldError(fresh, gone.slug, 'Fields', slugs);
}

export interface TableSummary {
  id: string;
  name: string;
}

const tableLists = memory.cache<TableSummary[], 'user'>('tableLists', {
  per: 'user',
  holds: 'the tables of the application',
  ttlMs: CACHE_TTL_MS,
});

/**
 * Lists the tables of the application, cached for 30 seconds.
 * @example
 * await listTables(client, { isFresh: true }); // [{ id: 'T1x9Kq', name: 'Customers' }, …]
 * @throws ApiError for a failed request
 */
export const listTables = (client: Client, age: Freshness = {}): Promise<TableSummary[]> =>
  tableLists.get(client, [], () => fetchTables(client), getEarliestTime(client, age));

async function fetchTables(client: Client): Promise<TableSummary[]> {
  const { body } = await client.call(tableEndpoints.list, { lane: 'urgent' });
  return body.items.map(({ id, name }) => ({ id, name: name || id }));
}

const MAX_LISTED_TABLES = 40;

/** Finds a table by its ID or name. @throws InputError that lists the tables, or the tables with this name */
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
  throw new InputError(
    `The application has no table ${formatForError(text)}`,
    `Nothing was sent. The tables are: ${joinFirst(names, ', ', MAX_LISTED_TABLES)}.`,
  );
}
