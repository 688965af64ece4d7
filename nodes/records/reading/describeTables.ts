import { intersection, partition, sortBy, uniq } from 'lodash';
import { type Client, mapSteps } from '../../service';
import type { Field } from '../fields/field';
import { getKind } from '../fields/kinds';
import { getTable, type TableSummary } from './tables';

/**
 * Describes tables in the order in which they can be filled: a table comes after the tables that it connects to. Sends
 * one request for each table.
 * @param all all tables of the application, for the names of connected tables
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
  const byId = await readTableDetails(client, wanted);
  const names = new Map(all.map(({ id, name }) => [id, name]));
  const listTargets = ({ connections }: TableDetails) => uniq(connections.map(({ target }) => target));
  const groups = sortTopologically([...byId.values()], listTargets);
  const filled = new Set<TableDetails>();
  const describe = (table: TableDetails, group: TableDetails[]): TableDescription => {
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
      connectLater: later.map(({ field }) => getNameOrSlug(field, fields)),
      keyField: keyField ? getNameOrSlug(keyField, fields) : null,
      fields: fields.map((field) => describeField(field, names, byId)),
    };
  };
  return groups.flatMap((group) => group.map((table) => describe(table, group)));
}

interface FieldDescription {
  slug: string;
  name: string;
  type: string;
  unique: boolean;
  writable: boolean;
  choices?: string[];
  /** `several`: the field takes several records. `namedBy`: the field with the names of these records. */
  connectsTo?: { table: string; several: boolean; namedBy?: string };
}

/** `connectLater` and `keyField` contain the name of a field, or its slug if several fields have this name. */
interface TableDescription extends TableSummary {
  /** The position of the table in the order in which tables can be filled, from 1 on. */
  order: number;
  /** Names of the tables that must be filled before this table. */
  fillAfter: string[];
  /** Names of all tables in the circle of connections that this table is part of. Empty if it is in no circle. */
  cycle: string[];
  /** Fields that connect to this table or to a table filled after it. Fill these fields once all records exist. */
  connectLater: string[];
  /** The first unique field by which records can be found. Null if there is none. */
  keyField: string | null;
  fields: FieldDescription[];
}

/**
 * Orders nodes so that each node comes after its targets. Nodes in a circle form one group, which starts with the node
 * that has the fewest targets in the group. The nodes are sorted by the number of nodes that they reach: a node always
 * reaches more nodes than a target that does not lead back to it.
 */
function sortTopologically<T>(nodes: T[], listTargets: (node: T) => T[]): T[][] {
  const reached = new Map<T, Set<T>>();
  for (const node of nodes) {
    const found = new Set([node]);
    // A loop over a Set also visits the nodes that the loop adds, so `found` gets all nodes that can be reached.
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

interface TableDetails extends TableSummary {
  fields: Field[];
  connections: Array<{ field: Field; target: TableDetails }>;
}

/** Returns the tables by ID, in the order of `wanted`. Leaves out connections to tables that are not in `wanted`. */
async function readTableDetails(client: Client, wanted: TableSummary[]): Promise<Map<string, TableDetails>> {
  const tables = await mapSteps(wanted, client.concurrency, async ({ id, name }): Promise<TableDetails> => {
    const { fields } = await getTable(client, id, { isFresh: true });
    // `Table` adds the field `created_at`, which the service does not list.
    return { id, name, fields: fields.filter(({ slug }) => slug !== 'created_at'), connections: [] };
  });
  const byId = new Map(tables.map((table) => [table.id, table]));
  for (const { fields, connections } of tables)
    for (const field of fields) {
      const target = byId.get(field.connection?.tableId ?? '');
      if (target && !field.isReadOnly) connections.push({ field, target });
    }
  return byId;
}

const getNameOrSlug = ({ name, slug }: Field, fields: Field[]): string =>
  fields.filter((field) => field.name === name).length > 1 ? slug : name;

const isKeyField = (field: Field): boolean => field.unique && !field.isReadOnly && getKind(field).isMatchable;

function describeField(
  { slug, name, type, unique, isReadOnly, options, connection }: Field,
  names: Map<string, string>,
  tables: Map<string, TableDetails>,
): FieldDescription {
  const { tableId, many = false, nameField: [namedBy] = [] } = connection ?? {};
  const others = tables.get(tableId ?? '')?.fields ?? [];
  const naming = others.find((field) => field.slug === namedBy || field.fieldId === namedBy);
  return {
    slug,
    name,
    type,
    unique,
    writable: !isReadOnly,
    ...(options.length > 0 && { choices: options.map(({ label }) => label) }),
    ...(tableId !== undefined && {
      connectsTo: {
        table: names.get(tableId) ?? tableId,
        several: many,
        ...(namedBy !== undefined && { namedBy: naming ? getNameOrSlug(naming, others) : namedBy }),
      },
    }),
  };
}
