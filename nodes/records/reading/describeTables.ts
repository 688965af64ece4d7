import { intersection, partition, sortBy, uniq } from 'lodash';
import { type Client, mapMany } from '../../service';
import type { Field } from '../fields/field';
import { getKind } from '../fields/kinds';
import { getTable, type TableSummary } from './tables';

/**
 * Describes tables, with one request for each, in the order in which they can be filled: a table comes after the tables
 * that its connections lead to.
 * @param all all tables of the application, for the names of connected tables
 * @param wanted the tables to describe. The order depends only on the connections between them
 * @example
 * const tables = await listTables(client, { isFresh: true });
 * await describeTables(client, tables, tables); // [{ order: 1, name: 'Customers', … }, { order: 2, name: 'Orders', … }]
 * @throws ApiError for a failed request
 */
export async function describeTables(
  client: Client,
  all: TableSummary[],
  wanted: TableSummary[],
): Promise<TableDescription[]> {
  const byId = await linkTables(client, wanted);
  const names = new Map(all.map(({ id, name }) => [id, name]));
  const listTargets = ({ connections }: LinkedTable) => uniq(connections.map(({ target }) => target));
  const groups = orderByLinks([...byId.values()], listTargets);
  const filled = new Set<LinkedTable>();
  const describe = (table: LinkedTable, group: LinkedTable[]): TableDescription => {
    const { id, name, fields, connections } = table;
    const [before, later] = partition(connections, ({ target }) => filled.has(target));
    const isCycle = group.length > 1 || later.length > 0;
    const keyField = fields.find(isKeyField);
    filled.add(table);
    return {
      order: filled.size,
      id,
      name,
      fillAfter: uniq(before.map(({ target }) => target.name)),
      cycle: isCycle ? group.map((one) => one.name) : [],
      connectLater: later.map(({ field }) => getUniqueName(field, fields)),
      keyField: keyField ? getUniqueName(keyField, fields) : null,
      fields: fields.map((field) => describeField(field, names, byId)),
    };
  };
  return groups.flatMap((group) => group.map((table) => describe(table, group)));
}

/** A field, with names in place of IDs. Only a field with choices has `choices`, and only a connection has `connectsTo`. */
interface FieldDescription {
  slug: string;
  name: string;
  type: string;
  unique: boolean;
  writable: boolean;
  /** The labels of the choices. */
  choices?: string[];
  /** `namedBy`: the field of the other table whose values name its records. */
  connectsTo?: { table: string; several: boolean; namedBy?: string };
}

/** A table, with names in place of IDs. A field whose name another field of the table also has is described by its slug. */
interface TableDescription extends TableSummary {
  /** The position in the order of filling, from 1 on. */
  order: number;
  /** Names of the tables that must be filled before this one. */
  fillAfter: string[];
  /** Names of the tables whose connections form a circle, including this table. Empty if there is no circle. */
  cycle: string[];
  /** Connections to this table or a later one. They can be filled only after the connected tables have their records. */
  connectLater: string[];
  /** The first unique field, by which records can be found again. Null if there is none. */
  keyField: string | null;
  fields: FieldDescription[];
}

/**
 * Orders nodes so that each node comes after its targets: a node reaches more nodes than its targets do. Nodes that lead to
 * each other form a group, in which the node with the fewest links comes first.
 */
function orderByLinks<T>(nodes: T[], listTargets: (node: T) => T[]): T[][] {
  const reached = new Map<T, Set<T>>();
  for (const node of nodes) {
    const found = new Set([node]);
    // A loop over a Set also visits entries that are added during the loop.
    for (const one of found) for (const target of listTargets(one)) found.add(target);
    reached.set(node, found);
  }
  const leadsTo = (one: T, other: T) => reached.get(one)?.has(other) === true;
  const groups: T[][] = [];
  for (const node of sortBy(nodes, (one) => reached.get(one)?.size)) {
    const group = groups.find((members) => members.every((one) => leadsTo(one, node) && leadsTo(node, one)));
    if (group) group.push(node);
    else groups.push([node]);
  }
  return groups.map((group) => sortBy(group, (one) => intersection(listTargets(one), group).length));
}

/** A table, and its connections to tables that are described too. */
interface LinkedTable extends TableSummary {
  fields: Field[];
  connections: Array<{ field: Field; target: LinkedTable }>;
}

/** Reads the tables. @returns the tables by their IDs, in the order of `wanted` */
async function linkTables(client: Client, wanted: TableSummary[]): Promise<Map<string, LinkedTable>> {
  const tables = await mapMany(wanted, client.concurrency, async ({ id, name }): Promise<LinkedTable> => {
    const { fields } = await getTable(client, id, { isFresh: true });
    // Every record has `created_at`, and the service does not list it as a field.
    return { id, name, fields: fields.filter(({ slug }) => slug !== 'created_at'), connections: [] };
  });
  const byId = new Map(tables.map((table) => [table.id, table]));
  for (const { fields, connections } of tables)
    for (const field of fields) {
      const target = byId.get(field.connection?.tableId ?? '');
      if (target && !field.computed) connections.push({ field, target });
    }
  return byId;
}

const getUniqueName = ({ name, slug }: Field, fields: Field[]): string =>
  fields.filter((field) => field.name === name).length > 1 ? slug : name;

/** Whether a field identifies one record and can be written. */
const isKeyField = (field: Field): boolean => field.unique && !field.computed && getKind(field).isMatchable;

function describeField(
  { slug, name, type, unique, computed, options, connection }: Field,
  names: Map<string, string>,
  tables: Map<string, LinkedTable>,
): FieldDescription {
  const { tableId, many = false, nameField: [namedBy] = [] } = connection ?? {};
  const others = tables.get(tableId ?? '')?.fields ?? [];
  const naming = others.find((field) => field.slug === namedBy || field.fieldId === namedBy);
  return {
    slug,
    name,
    type,
    unique,
    writable: !computed,
    ...(options.length > 0 && { choices: options.map(({ label }) => label) }),
    ...(tableId !== undefined && {
      connectsTo: {
        table: names.get(tableId) ?? tableId,
        several: many,
        ...(namedBy !== undefined && { namedBy: naming ? getUniqueName(naming, others) : namedBy }),
      },
    }),
  };
}
