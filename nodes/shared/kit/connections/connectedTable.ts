import { type Field, getKind } from '../../model/fields';
import { joinParts } from '../../model/fields/kinds/composite';
import type { FilterItem } from '../../model/filter/tree';
import { InputError } from '../../model/input/inputError';
import { getRawValue } from '../../model/records/recordValues';
import type { Table } from '../../model/records/table';
import type { ServiceRecord } from '../../model/responses/records';
import type { Client } from '../../transport/client';
import { fetchTables, getTable } from '../../transport/schema';

/** The table that a connection leads to, and its field with the names of the records. */
export interface ConnectedTable {
  table: Table;
  nameField: Field;
}

/**
 * Reads the fields of the connected table and finds the field that the join names (spec: Field, full, `join`).
 * @throws InputError when the service names no such field
 */
export async function getConnectedTable(client: Client, field: Field): Promise<ConnectedTable> {
  const { tableId, nameField: names = [] } = field.connection ?? {};
  const table = tableId === undefined ? undefined : await getTable(client, tableId);
  const nameField = names.map((name) => table?.find(name)).find((ref) => ref && !ref.part)?.field;
  if (table && nameField && getKind(nameField).isMatchable) return { table, nameField };
  throw new InputError(
    `"${field.name}" cannot take names: the service names no field by which to find them`,
    'Nothing was sent. Give IDs, and choose IDs under "Connected Records".',
  );
}

/** Returns the name of a table, or its ID when the list of tables cannot be read. For error messages. */
export async function fetchTableName(client: Client, tableId: string): Promise<string> {
  const tables = await fetchTables(client).catch(() => []);
  return tables.find(({ id }) => id === tableId)?.name ?? tableId;
}

/** Returns the name of a record: the text of its name field, and '' for an empty field. */
export function formatRecordName(record: ServiceRecord, { table, nameField }: ConnectedTable): string {
  const kind = getKind(nameField);
  const value = kind.read(getRawValue(record, { table, field: nameField }), nameField);
  if (kind.parts) return joinParts(value, kind.parts);
  return value === undefined || value === null ? '' : String(value);
}

/** Creates the condition that finds a name. No condition for a text that the name field cannot hold. */
export function createNameCondition(name: string, nameField: Field): FilterItem[] {
  const kind = getKind(nameField);
  try {
    const val = kind.encodeOperand(name, nameField, { timeZone: 'utc' });
    return [{ field_id: nameField.slug, ...kind.createMatch(val) }];
  } catch {
    return [];
  }
}
