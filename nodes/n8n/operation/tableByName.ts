/**
 * Tables by their names: in the mode By Name, and as a tool, where a model gives the table.
 */
import { uniq } from 'lodash';
import type { IExecuteFunctions } from 'n8n-workflow';
import { getCachedTables, type TableSummary } from '../../records';
import {
  asObject,
  type Client,
  findSimilarNames,
  formatForError,
  InputError,
  joinFirst,
  memory,
  NameIndex,
  toFieldKey,
} from '../../service';
import { isTool } from '../agent/agent';

/** Number of tables that an error message lists. */
const MAX_LISTED_TABLES = 40;

/** Finds the tables with an ID or a name. */
function findTables(text: string, tables: TableSummary[]): TableSummary[] {
  const byId = tables.filter(({ id }) => id === text);
  return byId.length > 0 ? byId : new NameIndex(tables, ({ name }) => [name], toFieldKey).find(text);
}

function createUnknownTableError(text: string, tables: TableSummary[]): InputError {
  const names = tables.map(({ name }) => name);
  const similar = findSimilarNames(text, names).map((name) => formatForError(name));
  const hint = similar.length > 0 ? `Did you mean ${similar.join(' or ')}? ` : '';
  const more = names.length > MAX_LISTED_TABLES ? ` and ${names.length - MAX_LISTED_TABLES} more` : '';
  return new InputError(
    `The application has no table ${formatForError(text)}`,
    `${hint}Nothing was sent. The tables are: ${joinFirst(names.slice(0, MAX_LISTED_TABLES), ', ', MAX_LISTED_TABLES)}${more}.`,
  );
}

const createAmbiguousTableError = (text: string, tables: TableSummary[]): InputError =>
  new InputError(
    `${formatForError(text)} is the name of several tables: ${joinFirst(tables.map(({ name, id }) => `${formatForError(name)} (${id})`))}`,
    'Nothing was sent. Give the ID of one of them.',
  );

/** Finds a table by its ID or name. @throws InputError for a name of several tables */
export function findTable(text: string, tables: TableSummary[]): TableSummary | undefined {
  const [table, ...others] = findTables(text, tables);
  if (table && others.length > 0) throw createAmbiguousTableError(text, [table, ...others]);
  return table;
}

/** Finds a table by its ID or name. @throws InputError that lists the tables, or those with this name */
export function requireTable(text: string, tables: TableSummary[]): TableSummary {
  const table = findTable(text, tables);
  if (!table) throw createUnknownTableError(text, tables);
  return table;
}

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
    const known = await getCachedTables(client);
    const isComplete = texts.every((text) => findTables(text, known).length === 1);
    getLoadedTables(client).tables = isComplete ? known : await getCachedTables(client, { isFresh: true });
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
