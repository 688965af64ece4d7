/** Filters that name connected records, or fields of connected records. */
import { groupBy } from 'lodash';
import { type Client, formatForError, InputError, memory, parseList } from '../../service';
import type { Field } from '../fields/field';
import { hasNoContent } from '../fields/inputValues';
import { ANY_OF } from '../fields/operators';
import { parseConnectionEntries } from '../fields/recordValues';
import type { Table } from '../fields/table';
import {
  type FilterContext,
  type ResolvedCondition,
  buildFilter,
  encodeCondition,
  resolveCondition,
} from '../filter/buildFilter';
import {
  type Condition,
  type FilterGroup,
  type FilterTree,
  createTree,
  findOperatorNames,
  joinFilters,
} from '../filter/tree';
import { ensureRecordsMatch } from '../reading/compareRecords';
import { readAllRecords } from '../reading/readRecords';
import { getTable } from '../reading/tables';
import { parseConnectedPath } from './connectedRecords';
import { type LookupPurpose, isGivenByName, resolveConnection } from './connectionResolver';
import { readTableName } from './nameLookup';

/**
 * Builds the filter that is sent (spec: Filters, primary form). Names of connected records become IDs, and words such
 * as `today` become dates. A condition such as `Customer → City` becomes a condition on the IDs of customers. This
 * takes one request for each connection in each group. Several conditions of a group on one connection must be met by
 * the same connected record.
 * @param purpose `change` if the found records will be changed. An error is then thrown for a name that several
 * connected records have, and for a returned connected record that does not meet its condition
 * @example
 * const tree = parseFilterJson('{"Customer → City": "Leeds", "price": {">": 50}}');
 * const filters = await buildRecordFilter(client, tree, table, 'Europe/Berlin');
 * await readAllRecords(client, { tableId: table.id, filters });
 * @throws InputError for an unknown field, operator or record
 * @throws InputError for conditions that more than 200 connected records meet, before the filter is sent
 */
export async function buildRecordFilter(
  client: Client,
  tree: FilterTree,
  table: Table,
  timeZone: string,
  purpose: 'read' | 'change' = 'read',
): Promise<FilterGroup> {
  const { credential, serviceTimeZone } = client;
  const { hasUserLogin } = credential;
  const context = { timeZone, serviceTimeZone, now: new Date(), hasUserLogin };
  return buildResolvedFilter({ client, context, use: purpose === 'change' ? 'key' : 'filter' }, tree, table);
}

/** With `use: 'key'`, the filter selects records that will be changed. */
interface FilterBuildOptions {
  client: Client;
  context: FilterContext;
  use: 'key' | 'filter' | 'storedFilter';
}

const buildResolvedFilter = async (
  build: FilterBuildOptions,
  tree: FilterTree,
  table: Table,
): Promise<FilterGroup> => buildFilter(await prepareFilter(build, tree, table)(), table, build.context);

/** Checks all conditions before the first request. The returned function looks up the connected records. */
function prepareFilter(build: FilterBuildOptions, tree: FilterTree, table: Table): () => Promise<FilterTree> {
  // A trigger cannot compare the fields of connected records: `Customer → City` is an unknown field there.
  const connected = build.use === 'storedFilter' ? [] : listConnectedConditions(tree, table);
  const steps = [
    ...tree.conditions
      .filter(({ field }) => connected.length === 0 || !parseConnectedPath(table, field))
      .map((condition) => prepareCondition(build, condition, table)),
    ...connected.map((one) => async () => createIdFilter(one.connection, await findConnectedIds(build, one))),
    ...tree.groups.map((group) => prepareFilter(build, group, table)),
  ];
  return async () => joinFilters(tree.match, await Promise.all(steps.map((run) => run())));
}

/** Checks one condition. The returned function replaces the names of connected records in it by IDs. */
function prepareCondition(
  { client, context, use }: FilterBuildOptions,
  condition: Condition,
  table: Table,
): () => Promise<FilterTree> {
  const resolved = resolveCondition(condition, table, context);
  if (findComparedConnection(table, condition))
    return () => replaceNamesByIds(client, condition, resolved, use);
  // Encodes the value to check it. The value of a stored filter is encoded later, in the time zone of the trigger.
  if (use !== 'storedFilter') encodeCondition(resolved, table, context);
  if (resolved.field.slug === 'created_at' && resolved.operator.operand !== 'none') addTimeZoneHint(client);
  return () => Promise.resolve(createTree('all', [condition]));
}

/** The spec does not name the zone in which services write `created_at` (evidence 12). See silences.md: `timeZone`. */
function addTimeZoneHint({ credential, notices, serviceTimeZone }: Client): void {
  if (credential.timeZone !== undefined) return;
  notices.addHint(
    `"Created At" was compared in the time zone of the workflow, ${serviceTimeZone}. If the service uses another time zone, set that zone as Service Time Zone in the credential.`,
  );
}

/** The conditions on the records of one connection. `tree` is the filter of the connected table. */
interface ConnectedConditions {
  connection: Field;
  tableId: string;
  tree: FilterTree;
}

function listConnectedConditions({ match, conditions }: FilterTree, table: Table): ConnectedConditions[] {
  const entries = conditions.flatMap((condition) => {
    const path = parseConnectedPath(table, condition.field);
    return path ? [{ ...path, condition: { ...condition, field: path.rest } }] : [];
  });
  return Object.values(groupBy(entries, ({ connection }) => connection.slug)).map((members) => {
    const { connection, tableId } = members[0]!;
    const tree = { match, conditions: members.map(({ condition }) => condition), groups: [] };
    return { connection, tableId, tree };
  });
}

export const hasConnectedConditions = (tree: FilterTree, table: Table): boolean =>
  listConnectedConditions(tree, table).length > 0 ||
  tree.groups.some((group) => hasConnectedConditions(group, table));

/** The number is limited, because the filter contains the ID of each connected record. */
const MAX_CONNECTED_RECORDS = 200;

/** @throws InputError for too many connected records and, before a change, for one that does not meet the conditions */
async function findConnectedIds(
  { client, context, use }: FilterBuildOptions,
  { connection, tableId, tree }: ConnectedConditions,
): Promise<string[]> {
  const table = await getTable(client, tableId, { isFresh: true });
  const path = `${context.path ?? ''}${connection.name} → `;
  const filters = await buildResolvedFilter({ client, context: { ...context, path }, use }, tree, table);
  const isForChange = use === 'key';
  const query = { tableId, table, filters, ...(isForChange && { isCompared: true as const }) };
  const records = await readAllRecords(client, { ...query, limit: MAX_CONNECTED_RECORDS + 1 });
  if (records.length > MAX_CONNECTED_RECORDS) {
    const fields = tree.conditions.map(({ field }) => formatForError(`${connection.name} → ${field}`));
    throw new InputError(
      `Filter: the condition on ${fields.join(' and ')} reaches more than ${MAX_CONNECTED_RECORDS} records of ${await readTableName(client, tableId)}`,
      'Nothing was sent with this filter, because it must list the ID of each connected record. Add a condition that fewer connected records meet.',
    );
  }
  if (isForChange) ensureRecordsMatch(client, table, filters, records, 'Choose the records by other fields.');
  return records.map(({ id }) => id);
}

/** Without IDs, the returned filter matches no record. */
function createIdFilter({ slug: field }: Field, ids: string[]): FilterTree {
  const any = ids.map((value): Condition => ({ field, operator: 'is', value }));
  const none = ['is blank', 'is not blank'].map((operator) => ({ field, operator }));
  return ids.length > 0 ? createTree('any', any) : createTree('all', none);
}

/** Operators that compare a connection with a record (spec: Filters). */
const RECORD_OPERATORS = new Set(['is', 'is not', 'contains', ANY_OF]);

/** Finds the connection whose records a condition names: `Customer` in `Customer is Acme`. */
export function findComparedConnection(table: Table, condition: Condition): Field | undefined {
  const isComparing = findOperatorNames(condition.operator).some((name) => RECORD_OPERATORS.has(name));
  const field = isComparing ? table.findField(condition.field) : undefined;
  return field?.connection && field;
}

/**
 * Whether a filter names connected records by texts without the form of an ID.
 * @throws InputError for an invalid value
 */
export function hasRecordNames(tree: FilterTree, table: Table): boolean {
  const isName = (condition: Condition) => {
    const field = findComparedConnection(table, condition);
    // A blank value names no record. `buildRecordFilter` refuses it.
    if (!field || parseList(condition.value).some(hasNoContent)) return false;
    const { entries } = parseConnectionEntries(condition.value, field, condition.notation ?? 'detect');
    return entries.some(isGivenByName);
  };
  return tree.conditions.some(isName) || tree.groups.some((group) => hasRecordNames(group, table));
}

/** If several records have a name, the condition means any of them. With `is not`, it means none of them. */
async function replaceNamesByIds(
  client: Client,
  condition: Condition,
  { field, operator, value, notation = 'detect' }: ResolvedCondition,
  use: LookupPurpose,
): Promise<FilterTree> {
  const isSingle = operator.name !== ANY_OF;
  const settings = { use, notation, isSingle };
  const { records, entryCount } = await resolveConnection(client, field, value, settings);
  if (records.length > entryCount) {
    client.notices.addHint(
      `Filter: ${records.length} records have the name ${formatForError(value)}. The filter compares "${field.name}" with any of them.`,
    );
  }
  const ids = records.flatMap((record) => ('id' in record ? [record.id] : []));
  // Several names stay one list, which `encodeCondition` refuses for operators other than "is any of".
  const values = !isSingle || entryCount > 1 ? [ids] : ids;
  const named = values.map((one): Condition => ({ ...condition, value: one, notation: 'ids' }));
  return createTree(operator.name === 'is not' ? 'all' : 'any', named);
}

const resolvedFilters = memory.cache<FilterTree, 'user'>('resolvedFilters', {
  per: 'user',
  holds: 'the filter of a trigger with IDs in place of names',
  // A record may get another name, so the IDs are looked up again after a minute.
  ttlMs: 60_000,
});

/**
 * Replaces names by IDs, because a webhook delivery contains only the IDs of connected records.
 * @throws InputError for a name that no record has
 * @throws ApiError for a failed request
 */
export async function replaceNamesInStoredFilter(
  client: Client,
  filter: FilterTree | undefined,
  table: Table,
): Promise<FilterTree | undefined> {
  if (!filter || !hasRecordNames(filter, table)) return filter;
  const context = { timeZone: client.serviceTimeZone, now: new Date(), hasUserLogin: true };
  const resolve = async () => prepareFilter({ client, context, use: 'storedFilter' }, filter, table)();
  return resolvedFilters.get(client, [table.connections, filter], resolve);
}
