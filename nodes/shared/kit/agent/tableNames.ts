import type { IExecuteFunctions } from 'n8n-workflow';
import { findBySpelling } from '../../model/input/findSimilarNames';
import { formatForError, InputError } from '../../model/input/inputError';
import { asObject } from '../../model/input/isObject';
import type { Client } from '../../transport/client';
import { getCachedTables, type TableSummary } from '../../transport/schema';
import { isTool } from './isTool';

/** Number of tables that an error message lists. */
const MAX_LISTED_TABLES = 40;

/** Finds a table by its ID, or by its name in any spelling. */
export const findTable = (text: string, tables: TableSummary[]): TableSummary | undefined =>
  tables.find(({ id }) => id === text) ?? findBySpelling(text, tables, ({ name }) => [name]);

function createUnknownTableError(text: string, tables: TableSummary[]): InputError {
  const names = tables.slice(0, MAX_LISTED_TABLES).map(({ name }) => name);
  const more = tables.length > names.length ? ` and ${tables.length - names.length} more` : '';
  return new InputError(
    `The application has no table ${formatForError(text)}`,
    `Nothing was sent. The tables are: ${names.join(', ')}${more}.`,
  );
}

/** The tables of executions in which a table may be given by its name. */
const tablesByClient = new WeakMap<Client, TableSummary[]>();

const readTableText = (context: IExecuteFunctions, index: number) =>
  String(context.getNodeParameter('dataTableId', index, '', { extractValue: true }) ?? '').trim();

/**
 * Reads the tables of the application if the node may name its table: in the mode By Name, and as a tool, where a
 * model gives the table. A table that is picked from the list, or given by ID in a workflow, needs no request.
 */
export async function loadTableNames(context: IExecuteFunctions, client: Client): Promise<void> {
  const { mode, value } = asObject(context.getNode().parameters.dataTableId);
  const isGivenByModel = typeof value === 'string' && value.startsWith('=') && isTool(context);
  if (mode !== 'name' && !isGivenByModel) return;
  const texts = context.getInputData().map((_, index) => readTableText(context, index));
  const known = await getCachedTables(client);
  const isComplete = texts.every((text) => findTable(text, known) !== undefined);
  tablesByClient.set(client, isComplete ? known : await getCachedTables(client, { isFresh: true }));
}

/**
 * Returns the ID of the table that a parameter gives by name or ID. Returns `text` unchanged if `loadTableNames`
 * loaded no tables for this execution.
 * @throws InputError that lists the tables
 */
export function resolveTableId(client: Client, text: string): string {
  const tables = tablesByClient.get(client);
  if (!tables) return text;
  const table = findTable(text, tables);
  if (!table) throw createUnknownTableError(text, tables);
  return table.id;
}
