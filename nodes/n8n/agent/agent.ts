import { uniq } from 'lodash';
import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import type { Client } from '../../client/http/client';
import { InputError, formatForError, joinFirst } from '../../client/input/inputError';
import { NameIndex, findSimilarNames, toFieldKey } from '../../client/input/names';
import { asObject, isObject } from '../../client/input/values';
import { memory } from '../../client/memory/memory';
import { type TableSummary, getCachedTables } from '../../client/records/schema';
import { defineParameter } from '../parameters/parameter';
import { isToolNode } from '../parameters/parameterReader';

/**
 * Whether the node runs as a tool of an AI agent or of an MCP server. n8n's newer agents run a tool as a node of the
 * workflow, for which `isToolExecution` returns false; the type of the node still shows it.
 */
export const isTool = (context: IExecuteFunctions): boolean =>
  isToolNode(context.getNode()) || context.isToolExecution?.();

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
    `${hint}Nothing was sent. The tables are: ${names.slice(0, MAX_LISTED_TABLES).join(', ')}${more}.`,
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

const getNamedTables = memory.attached<Client, { tables?: TableSummary[] }>(
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
    getNamedTables(client).tables = isComplete ? known : await getCachedTables(client, { isFresh: true });
  };
}

/**
 * Returns the ID of the table that a parameter gives by name or ID. Returns `text` unchanged if `createTableNameLoader`
 * loaded no tables for this client.
 * @throws InputError that lists the tables, or those with this name
 */
export function resolveTableId(client: Client, text: string): string {
  const { tables } = getNamedTables(client);
  if (!tables) return text;
  const table = findTable(text, tables);
  if (!table) throw createUnknownTableError(text, tables);
  return table.id;
}

/** Number of characters of a text that a model sees. */
const MAX_TEXT = 300;

/** Number of columns of a record that a model sees if no columns are chosen. */
const MAX_COLUMNS = 10;

export const returnSecretsOption = defineParameter({
  displayName: 'Return Secrets to AI',
  name: 'returnSecrets',
  type: 'boolean',
  default: true,
  description:
    'Whether an AI model that uses this node as a tool sees tokens, login links and hook addresses. Other workflows always get them.',
});

const cutText = (text: string): string =>
  text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}… [cut, ${text.length} characters]` : text;

/** Copies a value and replaces each text in it by `convert`. */
function convertTexts(value: unknown, convert: (text: string, key: string) => string, key = ''): unknown {
  if (typeof value === 'string') return convert(value, key);
  if (Array.isArray(value)) return value.map((entry) => convertTexts(entry, convert, key));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, entry]) => [name, convertTexts(entry, convert, name)]),
  );
}

/**
 * Shortens the items that a tool returns to a model: "…" and the length replace the end of a long text.
 * @param secretKeys matches the keys whose texts a model must not see
 */
export const shortenAnswer = (items: INodeExecutionData[], secretKeys?: RegExp): INodeExecutionData[] =>
  items.map((item) => ({
    ...item,
    json: convertTexts(item.json, (text, key) =>
      secretKeys?.test(key) ? '•••' : cutText(text),
    ) as IDataObject,
  }));

/** Keys that are returned beside the columns: the ID, and the totals and actions of this package. */
const isAddedKey = (key: string) => key === 'id' || key.startsWith('_');

/**
 * Keeps the first ten columns of each record. The first record lists the others under `_moreColumns`, so that a
 * model can choose them.
 */
export function limitColumns<T extends { json: IDataObject }>(outputs: T[]): T[] {
  return outputs.map((output, index) => {
    const columns = Object.keys(output.json).filter((key) => !isAddedKey(key));
    const left = new Set(columns.slice(MAX_COLUMNS));
    if (left.size === 0) return output;
    const kept = Object.entries(output.json).filter(([key]) => !left.has(key));
    return {
      ...output,
      json: Object.fromEntries([
        ...kept,
        ...(index === 0 ? [['_moreColumns', [...left]]] : []),
      ]) as IDataObject,
    };
  });
}
