/**
 * Names of fields of connected records: `Customer → City` is the field City of the records to which Customer connects. Each
 * side is a name or a slug.
 */
import type { Client } from '../../service';
import type { Field } from '../fields/field';
import { getKind } from '../fields/kinds';
import { type Table, labelFields } from '../fields/table';
import { CONNECTED_SIGNS } from '../filter/tree';
import { getTable } from '../reading/tables';

interface ConnectedPath {
  connection: Field;
  /** ID of the connected table. */
  tableId: string;
  /** The name of a field of the connected table, or again of a connection and a field. */
  rest: string;
}

/** Finds the connection that a name goes through. Undefined for a name of the table itself, and for any other name. */
export function findConnectedPath(table: Table, name: string): ConnectedPath | undefined {
  const separator = CONNECTED_SIGNS.find((sign) => name.includes(sign));
  if (separator === undefined || table.find(name)) return undefined;
  const at = name.indexOf(separator);
  const connection = table.findField(name.slice(0, at).trim());
  const tableId = connection?.connection?.tableId;
  const rest = name.slice(at + separator.length).trim();
  return connection && tableId !== undefined && rest !== '' ? { connection, tableId, rest } : undefined;
}

/** A table to which a connection leads. With a field of it, `path` and `label` are a name such as `customer → city`. */
interface ListedTable {
  table: Table;
  /** How names of its fields begin: `customer →`. */
  path: string;
  /** How labels of its fields begin: `Customer →`. */
  label: string;
}

/**
 * Lists the tables to which connections lead. A table that may not be read is left out.
 * @example
 * await listConnectedTables(client, orders.fields); // [{ table: customers, path: 'customer →', label: 'Customer →' }]
 */
export async function listConnectedTables(client: Client, fields: Field[]): Promise<ListedTable[]> {
  const found = await Promise.all(
    labelFields(fields).map(async ({ field, label }) => {
      const { connection } = field;
      if (connection?.tableId === undefined || !getKind(field).hasDisplayValues) return [];
      const table = await getTable(client, connection.tableId).catch(() => undefined);
      return table ? [{ table, path: `${field.slug} →`, label: `${label} →` }] : [];
    }),
  );
  return found.flat();
}
