import { type Field, isBlank } from '../../model/fields';
import { ANY_OF, type Condition, type FilterTree, resolveComparison } from '../../model/filter';
import { findComparedField } from '../../model/records/connectionNames';
import type { Table } from '../../model/records/table';
import type { Client } from '../../transport/client';
import type { ConnectionSettings } from './connectionResolver';
import { resolveConnection } from './resolveConnection';

/** Returns the ID of the compared record, or a list of IDs for `is any of`. A blank value is returned unchanged. */
async function resolveValue(
  client: Client,
  field: Field,
  value: unknown,
  operator: string,
  { notation = 'detect', idCheck = 'compare' }: Partial<ConnectionSettings>,
): Promise<unknown> {
  if (isBlank(value) || (Array.isArray(value) && value.length === 0)) return value;
  const isSingle = resolveComparison({ operator }, field).operator !== ANY_OF;
  const settings = { notation, idCheck, isSingle };
  const { records } = await resolveConnection(client, field, value, settings);
  const ids = records.flatMap((record) => ('id' in record ? [record.id] : []));
  return isSingle && ids.length === 1 ? ids[0] : ids;
}

type IdCheck = ConnectionSettings['idCheck'];

async function resolveCondition(
  client: Client,
  condition: Condition,
  table: Table,
  idCheck?: IdCheck,
): Promise<Condition> {
  const { operator, value, notation } = condition;
  const field = findComparedField(table, condition.field, operator);
  if (!field) return condition;
  const ids = await resolveValue(client, field, value, operator, { notation, idCheck });
  return { ...condition, value: ids, notation: 'ids' };
}

/**
 * Replaces the names of connected records in a filter by their IDs. The conditions are not checked otherwise.
 * @throws InputError for a name that no record has, and for one that several records have
 */
export async function resolveFilterTree(
  client: Client,
  tree: FilterTree,
  table: Table,
  idCheck?: IdCheck,
): Promise<FilterTree> {
  const conditions = tree.conditions.map((condition) => resolveCondition(client, condition, table, idCheck));
  const groups = tree.groups.map((group) => resolveFilterTree(client, group, table, idCheck));
  return { ...tree, conditions: await Promise.all(conditions), groups: await Promise.all(groups) };
}
