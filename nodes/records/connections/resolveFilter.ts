/**
 * Filters that name connected records. `buildRecordFilter` replaces the names by IDs and builds the filter.
 * `resolveStoredFilter` replaces those in the filter of a trigger.
 */
import { isEqual } from 'lodash';
import {
  ApiError,
  asThrown,
  type Client,
  formatForError,
  InputError,
  memory,
  parseList,
} from '../../service';
import type { Field } from '../fields/field';
import { hasNoContent } from '../fields/inputValues';
import { ANY_OF } from '../fields/operators';
import type { Table } from '../fields/table';
import { type BuildContext, buildFilter } from '../filter/buildFilter';
import { checkFilterTree, findOperatorName } from '../filter/resolveCondition';
import { type Condition, type FilterGroup, type FilterTree, needsNoValue } from '../filter/tree';
import { findComparedField, hasConnectionNames, listConnectionTexts } from '../reading/displayNames';
import { type ConnectionUse, resolveConnection } from './connectionResolver';
import { omitConnectedConditions, resolveThroughConnections } from './throughConnection';

/**
 * Builds the service's primary form of a filter. Names of connected records are replaced by their IDs, and relative dates
 * by those of today.
 * @param timeZone IANA name of the zone of dates in the filter
 * @param purpose `change`: a name of several connected records is an error, and so is a connected record that does not match
 * @example
 * const tree = { match: 'all', conditions: [{ field: 'price', operator: '>', value: 50 }], groups: [] };
 * const filters = await buildRecordFilter(client, tree, table, 'Europe/Berlin');
 * await readAllRecords(client, { tableId: table.id, filters });
 * @throws InputError for an unknown field, operator or record, before the filter is sent
 */
export async function buildRecordFilter(
  client: Client,
  tree: FilterTree,
  table: Table,
  timeZone: string,
  purpose: 'read' | 'change' = 'read',
): Promise<FilterGroup> {
  // A wrong condition is an error before connected records are read.
  checkFilterTree(omitConnectedConditions(tree, table), table);
  hintAtServiceZone(client, tree, table);
  const isForChange = purpose === 'change';
  const own = await resolveThroughConnections(client, tree, table, {
    build: (inner, connected) => buildRecordFilter(client, inner, connected, timeZone, purpose),
    isForChange,
  });
  const resolved = await resolveFilterTree(client, own, table, isForChange ? 'key' : 'filter');
  return buildFilter(resolved, table, createBuildContext(client, timeZone));
}

/**
 * Replaces the names in a condition by the IDs of their records. A name of several records means any of them; with the
 * operator `is not`, none of them.
 */
async function resolveNames(
  client: Client,
  condition: Condition,
  table: Table,
  use: ConnectionUse,
): Promise<Condition | FilterTree> {
  const { operator, value, notation = 'detect' } = condition;
  const field = findComparedField(table, condition.field, operator);
  // The check of the condition refuses nothing, and a list with an entry that is nothing.
  if (!field || hasNoContent(value) || parseList(value).some(hasNoContent)) return condition;
  const name = findOperatorName(operator, field);
  const isSingle = name !== ANY_OF;
  const settings = { use, notation, isSingle };
  const { records, entryCount } = await resolveConnection(client, field, value, settings);
  if (records.length > entryCount) hintSeveral(client, field, value, records.length);
  const ids = records.flatMap((record) => ('id' in record ? [record.id] : []));
  const create = (given: unknown): Condition => ({ ...condition, value: given, notation: 'ids' });
  if (ids.length === 1 && isSingle) return create(ids[0]);
  // A list is a value of "is any of" only: the check of the condition refuses it.
  if (!isSingle || entryCount > 1) return create(ids);
  return { match: name === 'is not' ? 'all' : 'any', conditions: ids.map(create), groups: [] };
}

/** Says that a filter compares with more records than it names. */
const hintSeveral = (client: Client, { name }: Field, value: unknown, count: number): void =>
  client.notices.addHint(
    `Filter: ${count} records have the name ${formatForError(value)}. The filter compares "${name}" with any of them.`,
  );

/**
 * Replaces the names of connected records in a filter by their IDs. The conditions are not checked otherwise.
 * @throws InputError for a name that no record has; without `allowsSeveral` also for one that several records have
 */
async function resolveFilterTree(
  client: Client,
  tree: FilterTree,
  table: Table,
  use: ConnectionUse = 'filter',
): Promise<FilterTree> {
  const members = await Promise.all(
    tree.conditions.map((condition) => resolveNames(client, condition, table, use)),
  );
  const groups = await Promise.all(tree.groups.map((group) => resolveFilterTree(client, group, table, use)));
  return {
    ...tree,
    conditions: members.filter((member) => 'field' in member),
    groups: [...members.filter((member) => 'match' in member), ...groups],
  };
}

const CREATED_AT = 'created_at';

/** Whether a filter compares `created_at` with a date. */
const comparesCreation = ({ conditions, groups }: FilterTree, table: Table): boolean =>
  conditions.some(
    ({ field, operator }) => table.find(field)?.field.slug === CREATED_AT && !needsNoValue(operator),
  ) || groups.some((group) => comparesCreation(group, table));

/**
 * Says in which zone `created_at` was compared, as long as the credential names none: services write it in the zone of their
 * application (evidence 12), and the spec names no zone.
 * Open point: `timeZone`.
 */
function hintAtServiceZone(client: Client, tree: FilterTree, table: Table): void {
  if (client.credential.timeZone !== undefined || !comparesCreation(tree, table)) return;
  client.notices.addHint(
    `"Created At" was compared in the time zone of the workflow, ${client.serviceTimeZone}. If the service writes it in another one, give that as Service Time Zone in the credential.`,
  );
}

/** The zones and the rights with which a filter is built, and the present moment. */
const createBuildContext = ({ credential, serviceTimeZone }: Client, timeZone: string): BuildContext => ({
  timeZone,
  serviceTimeZone,
  now: new Date(),
  hasUserLogin: credential.hasUserLogin,
});

/** Milliseconds for which the IDs of connected records are kept. A record may get another name. */
const CACHE_TTL_MS = 60_000;

/** Milliseconds for which a filter counts as checked. A name with the form of an ID is rare. */
const CHECK_TTL_MS = 3_600_000;

const resolvedFilters = memory.cache<FilterTree, 'user'>('resolvedFilters', {
  per: 'user',
  holds: 'the filter of a trigger with IDs in place of names',
  ttlMs: CACHE_TTL_MS,
});

const checkedFilters = memory.cache<true, 'user'>('checkedFilters', {
  per: 'user',
  holds: 'that no ID in the filter of a trigger is the name of a record',
  ttlMs: CHECK_TTL_MS,
});

/**
 * Replaces the names of connected records in the filter of a trigger by their IDs, because a delivery has IDs only.
 * The IDs are kept for a minute, because deliveries can be many. A text with the form of an ID is an ID.
 * @param options `checksIds`: whether a text with the form of an ID that is the name of a record is an error. Without the
 *   check, such a filter never matches
 * @throws InputError for a name of no record or of several; ApiError for a failed request
 */
export async function resolveStoredFilter(
  client: Client,
  filter: FilterTree | undefined,
  table: Table,
  { checksIds = false } = {},
): Promise<FilterTree | undefined> {
  if (checksIds) await ensureIdsAreNoNames(client, filter, table);
  if (!filter || !hasConnectionNames(filter, table)) return filter;
  const resolve = () => resolveFilterTree(client, filter, table, 'storedFilter');
  return resolvedFilters.get(client, [table.id, filter], resolve);
}

async function checkIds(client: Client, filter: FilterTree, table: Table, texts: string[]): Promise<true> {
  const found = await resolveFilterTree(client, filter, table);
  if (isEqual(found, await resolveFilterTree(client, filter, table, 'storedFilter'))) return true;
  throw new InputError(
    `Filter: ${texts.map(formatForError).join(', ')} has the form of an ID, but is the name of a connected record`,
    'Give {"name": …} or {"id": …}, in a JSON filter or as an expression in the condition. The trigger was not started.',
  );
}

/**
 * Checks that no text with the form of an ID is the name of a record. `resolveStoredFilter` takes it for an ID without a
 * look-up, so the filter would never match. @throws InputError
 */
async function ensureIdsAreNoNames(
  client: Client,
  filter: FilterTree | undefined,
  table: Table,
): Promise<void> {
  const texts = filter ? listConnectionTexts(filter, table) : [];
  if (!filter || texts.length === 0) return;
  const check = () => checkIds(client, filter, table, texts);
  await checkedFilters.get(client, [table.id, filter], check).catch((error: unknown) => {
    // A key that may not read records cannot look names up. Its filter has IDs only, or it fails when it is resolved.
    if (!(error instanceof ApiError && error.status === 403)) throw asThrown(error);
  });
}
