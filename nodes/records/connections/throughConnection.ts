/** Conditions on fields of connected records: `Customer → City` is Leeds. */
import { groupBy, omit } from 'lodash';
import { type Client, formatForError, InputError, MAX_PAGE_SIZE } from '../../service';
import type { Field } from '../fields/field';
import { ANY_OF } from '../fields/operators';
import type { Table } from '../fields/table';
import type { Condition, FilterGroup, FilterTree } from '../filter/tree';
import { ensureMatch } from '../reading/compareRecords';
import { fetchRecordPage, readAllRecords } from '../reading/readRecords';
import { getTable } from '../reading/tables';
import { findConnectedPath } from './connectedPath';
import { fetchTableName } from './nameLookup';

/** The largest number of connected records that a condition may reach: their IDs stand in the filter. */
const MAX_CONNECTED = 200;

/** How connected records are found. */
interface ConnectedSearch {
  /** Builds the filter of a connected table. */
  build(tree: FilterTree, table: Table): Promise<FilterGroup>;
  /** Whether records will be changed: each connected record is compared with the whole filter then. */
  isForChange: boolean;
}

/** The conditions on the records of one connection, as a filter of their table. */
interface ConnectedConditions {
  connection: Field;
  tableId: string;
  tree: FilterTree;
}

/** Takes the conditions that go through a connection out of a tree. Those on one connection are one filter of its table. */
function takeConnected(
  tree: FilterTree,
  table: Table,
): { own: FilterTree; connected: ConnectedConditions[] } {
  const entries = tree.conditions.map((condition) => ({
    condition,
    path: findConnectedPath(table, condition.field),
  }));
  const groups = groupBy(
    entries.flatMap(({ condition, path }) => (path ? [{ condition, path }] : [])),
    ({ path }) => path.connection.slug,
  );
  const connected = Object.values(groups).flatMap((members): ConnectedConditions[] => {
    const [first] = members;
    if (!first) return [];
    const conditions = members.map(({ condition, path }) => ({
      ...omit(condition, 'siblings'),
      field: path.rest,
    }));
    const { connection, tableId } = first.path;
    return [{ connection, tableId, tree: { match: tree.match, conditions, groups: [] } }];
  });
  const conditions = entries.filter(({ path }) => !path).map(({ condition }) => condition);
  return { own: { ...tree, conditions }, connected };
}

/** Whether a tree has a condition that goes through a connection. */
export const hasConnectedConditions = (tree: FilterTree, table: Table): boolean =>
  takeConnected(tree, table).connected.length > 0 ||
  tree.groups.some((group) => hasConnectedConditions(group, table));

/** Removes the conditions that go through a connection: those that the table itself can check stay. */
export const omitConnectedConditions = (tree: FilterTree, table: Table): FilterTree => ({
  ...takeConnected(tree, table).own,
  groups: tree.groups.map((group) => omitConnectedConditions(group, table)),
});

/** Finds the connected records that meet the conditions. @throws InputError if they are more than 200 */
async function findConnected(
  client: Client,
  { connection, tableId, tree }: ConnectedConditions,
  { build, isForChange }: ConnectedSearch,
): Promise<string[]> {
  const table = await getTable(client, tableId, { isFresh: true });
  const filters = await build(tree, table);
  const query = { tableId, table, filters, ...(isForChange && { isCompared: true as const }) };
  const page = await fetchRecordPage(client, query, 1, MAX_PAGE_SIZE);
  if (page.total_items > MAX_CONNECTED) {
    const fields = tree.conditions.map(({ field }) => formatForError(`${connection.name} → ${field}`));
    throw new InputError(
      `Filter: the condition on ${fields.join(' and ')} reaches ${page.total_items} records of ${await fetchTableName(client, tableId)}`,
      `Nothing was sent with this filter: it can name ${MAX_CONNECTED} connected records. Add a condition on them that leaves fewer.`,
    );
  }
  const records =
    page.items.length < page.total_items
      ? await readAllRecords(client, { ...query, firstPage: page })
      : page.items;
  if (isForChange) ensureMatch(client, table, filters, records, 'Choose the records by other fields.');
  return records.map(({ id }) => id);
}

/** Operators of which each record meets one. */
const BLANK_OR_NOT = ['is blank', 'is not blank'];

/** Compares a connection with the found records. Without any, with conditions that no record meets. */
function toCondition({ slug: field }: Field, ids: string[]): Condition | FilterTree {
  if (ids.length > 0) return { field, operator: ANY_OF, value: ids, notation: 'ids' };
  const conditions = BLANK_OR_NOT.map((operator) => ({ field, operator }));
  return { match: 'all', conditions, groups: [] };
}

/** The opposite of `toCondition`: none of the found records is connected, also where no record is. */
function toNegation({ slug: field }: Field, ids: string[]): FilterTree {
  if (ids.length === 0)
    return { match: 'any', conditions: BLANK_OR_NOT.map((operator) => ({ field, operator })), groups: [] };
  const conditions = ids.map((value): Condition => ({ field, operator: 'is not', value, notation: 'ids' }));
  return { match: 'all', conditions, groups: [] };
}

/**
 * Replaces the conditions that go through a connection by one on the connection itself, with the IDs of the records that meet
 * them: one request for each connection and each group of the filter. A record matches if one of its connected records meets
 * all conditions on them in the group.
 * Under `not`, a record matches if none of its connected records does, so also one without any.
 * @example
 * const tree = parseFilterJson('{"Customer → City": "Leeds", "status": "Open"}');
 * await resolveThroughConnections(client, tree, orders, search);
 * // { match: 'all', conditions: [{ field: 'status', … }, { field: 'customer', operator: 'is any of', value: ['K7pQ2xW9Lm'] }] }
 * @throws InputError for an unknown field of the connected table, if more than 200 records meet the conditions, and for a change
 *   if a record does not meet them
 */
export async function resolveThroughConnections(
  client: Client,
  tree: FilterTree,
  table: Table,
  search: ConnectedSearch,
): Promise<FilterTree> {
  if (!hasConnectedConditions(tree, table)) return tree;
  const find = async (connected: ConnectedConditions[], toMember: typeof toCondition) =>
    Promise.all(
      connected.map(async (one) => toMember(one.connection, await findConnected(client, one, search))),
    );
  if (tree.negates) {
    const { match, conditions, groups } = omitConnectedConditions(tree, table);
    const none = await find(takeConnected(tree.negates, table).connected, toNegation);
    return { match, conditions, groups: [...groups, ...none.filter((one) => 'match' in one)] };
  }
  const { own, connected } = takeConnected(tree, table);
  const found = await find(connected, toCondition);
  const groups = await Promise.all(
    tree.groups.map((group) => resolveThroughConnections(client, group, table, search)),
  );
  return {
    ...own,
    conditions: [...own.conditions, ...found.filter((one) => 'field' in one)],
    groups: [...found.filter((one) => 'match' in one), ...groups],
  };
}
