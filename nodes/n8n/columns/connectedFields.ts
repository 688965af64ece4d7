/** The option Connected Fields: its list, and the fields that it adds to items. */
import { uniqBy } from 'lodash';
import type { IDataObject, INodePropertyOptions } from 'n8n-workflow';
import {
  type Field,
  listConnectedTables,
  labelFields,
  listConnectionSlugs,
  readConnectedFields,
  type Table,
} from '../../records';
import { asObject, type Client } from '../../service';
import type { OptionsLoader } from '../lists/editorList';
import { loadFormTables } from '../lists/tablePickers';
import type { Item } from '../operation/item';
import { readOutputFormat } from '../operation/recordOutput';
import { defineLoadedList, createLoadOptions } from '../parameters/parameter';

export const connectedFieldsOption = defineLoadedList({
  displayName: 'Connected Fields Names or IDs',
  name: 'connectedFields',
  typeOptions: createLoadOptions('getConnectedFields'),
  description:
    'Fields of the records that a connection leads to, such as "Customer → Email": they are returned under "customer_record".',
});

/**
 * Lists the connections that lead to the chosen fields of connected records. A request for chosen columns must
 * name these connections too, because they contain the IDs of the connected records.
 * @throws InputError for a name that is no field of a connected record
 */
export const listChosenConnections = async (
  item: Item,
  getOwnTable: () => Promise<Table>,
): Promise<string[]> => {
  const paths = item.readOptionOrDefault(connectedFieldsOption);
  return paths.length > 0 ? listConnectionSlugs(item.client, await getOwnTable(), paths) : [];
};

/** @param outputs in the order of `records`. @throws InputError as `listChosenConnections` does */
export async function addConnectedFields<O extends { json: IDataObject }>(
  item: Item,
  records: unknown[],
  outputs: O[],
  getOwnTable: () => Promise<Table>,
): Promise<O[]> {
  const paths = item.readOptionOrDefault(connectedFieldsOption);
  if (paths.length === 0) return outputs;
  const form = readOutputFormat(item);
  const table = await getOwnTable();
  const added = await readConnectedFields(item.client, table, paths, records.map(asObject), form);
  // A tool's answer is cut at its end, so the chosen fields come first.
  const { isTool } = item;
  return outputs.map((output, index) => ({
    ...output,
    json: { ...(isTool && { id: output.json.id, ...added[index] }), ...output.json, ...added[index] },
  }));
}

export const getConnectedFields: OptionsLoader = async (context, client) =>
  uniqBy(await listConnectedFieldOptions(client, await loadFormTables(context, client)), 'value');

const toFieldOptions = (fields: Field[]): INodePropertyOptions[] =>
  labelFields(fields).map(({ field, label }) => ({ name: label, value: field.slug }));

/** Lists the fields of the tables to which `tables` connect, as options: `Customer → City`. */
export async function listConnectedFieldOptions(
  client: Client,
  tables: Table[],
  format = toFieldOptions,
): Promise<INodePropertyOptions[]> {
  const connected = await Promise.all(tables.map(({ fields }) => listConnectedTables(client, fields)));
  return connected.flat().flatMap(({ table, label, path }) =>
    format(table.fields).map(({ name, value }) => ({
      name: `${label} ${name}`,
      value: `${path} ${String(value)}`,
    })),
  );
}
