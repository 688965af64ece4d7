/**
 * Tables by their names: in the mode By Name, and as a tool, where a model gives the table.
 */
import { uniq } from 'lodash';
import type { IExecuteFunctions } from 'n8n-workflow';
import { findTable, listTables, requireTable, type TableSummary } from '../../records';
import { asObject, type Client, memory, tryOr } from '../../service';
import { isTool } from '../agent/agent';

const getLoadedTables = memory.attached<Client, { tables?: TableSummary[] }>(
  'namedTables',
  { to: 'client', holds: 'the tables, in an execution in which a table may be given by its name' },
  () => ({}),
);

const readTableText = (context: IExecuteFunctions, index: number) =>
  String(context.getNodeParameter('dataTableId', index, '', { extractValue: true }) ?? '').trim();

/**
 * Returns a function that reads the tables of a user's application if the node may name its table: in the mode By Name,
 * and as a tool, where a model gives the table. A table that is picked from the list, or given by ID in a workflow,
 * needs no request.
 */
export function createTableNameLoader(context: IExecuteFunctions): (client: Client) => Promise<void> {
  const { mode, value } = asObject(context.getNode().parameters.dataTableId);
  const isGivenByModel = typeof value === 'string' && value.startsWith('=') && isTool(context);
  if (mode !== 'name' && !isGivenByModel) return () => Promise.resolve();
  const texts = uniq(context.getInputData().map((_, index) => readTableText(context, index)));
  return async (client) => {
    const known = await listTables(client);
    const isComplete = texts.every((text) => tryOr(() => findTable(text, known), undefined));
    getLoadedTables(client).tables = isComplete ? known : await listTables(client, { isFresh: true });
  };
}

/**
 * Returns the ID of the table that a parameter gives by name or ID. Returns `text` unchanged if `createTableNameLoader`
 * loaded no tables for this client.
 * @throws InputError that lists the tables, or those with this name
 */
export function resolveTableId(client: Client, text: string): string {
  const { tables } = getLoadedTables(client);
  return tables ? requireTable(text, tables).id : text;
}
