import type {
  ILoadOptionsFunctions,
  INodeListSearchResult,
  INodeProperties,
  INodePropertyOptions,
} from 'n8n-workflow';
import type { Field } from '../model/fields';
import { Client } from '../transport/client';
import { toNodeError } from '../transport/nodeError';
import { tableFields, tableNames } from '../transport/schema';
import { componentTable } from './componentTable';

/** Runs a dropdown's look-up; its failures get the same words as the operations' own. */
export async function lookUp<T>(
  context: ILoadOptionsFunctions,
  find: (client: Client) => Promise<T>,
): Promise<T> {
  try {
    return await find(await Client.for(context));
  } catch (error) {
    throw toNodeError(context.getNode(), error);
  }
}

/** The id in the resource locator `name`; empty while the user has not picked yet, or where none is shown. */
export function pickedId(context: ILoadOptionsFunctions, name: string): string {
  // n8n throws when asked to extract the value of a parameter that the node does not have.
  const given = context.getCurrentNodeParameter(name);
  if (given === undefined || given === null) return '';
  return String(context.getCurrentNodeParameter(name, { extractValue: true }) ?? '');
}

/** The table that a form is about: the picked one, or the one behind the picked component. */
export async function pickedTable(context: ILoadOptionsFunctions): Promise<string> {
  const tableId = pickedId(context, 'dataTableId');
  const [pageId, componentId] = [pickedId(context, 'pageId'), pickedId(context, 'componentId')];
  if (tableId || !pageId || !componentId) return tableId;
  return lookUp(context, (client) => componentTable(client, pageId, componentId));
}

/** Table: by searchable list or by id. */
export const tableLocator: INodeProperties = {
  displayName: 'Table',
  name: 'dataTableId',
  type: 'resourceLocator',
  default: { mode: 'list', value: '' },
  required: true,
  description: 'The data table to work with',
  modes: [
    {
      displayName: 'From List',
      name: 'list',
      type: 'list',
      placeholder: 'Select a table…',
      typeOptions: { searchListMethod: 'searchTables', searchable: true },
    },
    { displayName: 'By ID', name: 'id', type: 'string', placeholder: 'e.g. T1x9Kq' },
  ],
};

export async function searchTables(
  this: ILoadOptionsFunctions,
  filter?: string,
): Promise<INodeListSearchResult> {
  const wanted = (filter ?? '').toLowerCase();
  const tables = await lookUp(this, tableNames);
  return {
    results: tables
      .filter(({ name, id }) => name.toLowerCase().includes(wanted) || id === filter)
      .map(({ name, id }) => ({ name, value: id }))
      .sort((a, b) => a.name.localeCompare(b.name)),
  };
}

/** Fields of the picked table, as options with their type. */
export const fieldOption = ({ name, slug, type }: Field): INodePropertyOptions => ({
  name: `${name} (${type})`,
  value: slug,
});

export async function getFields(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
  const tableId = await pickedTable(this);
  if (!tableId) return [];
  const { fields } = await lookUp(this, (client) => tableFields(client, tableId));
  return fields.map(fieldOption);
}

/** Record: by id, as read records carry it. */
export const recordId: INodeProperties = {
  displayName: 'Record ID',
  name: 'recordId',
  type: 'string',
  default: '',
  required: true,
  placeholder: 'e.g. K7pQ2xW9Lm',
  description: 'The ID of the record, as a record that was read carries it',
};

/** Tables as plain options, for rows of a collection where a locator does not fit. */
export async function getTables(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
  return (await lookUp(this, tableNames)).map(({ id, name }) => ({ name, value: id }));
}

/** Unique fields of the picked table: what a Dedupe Field can be. */
export async function getUniqueFields(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
  const tableId = pickedId(this, 'dataTableId');
  if (!tableId) return [];
  const { fields } = await lookUp(this, (client) => tableFields(client, tableId));
  return fields.filter(({ unique }) => unique).map(fieldOption);
}

/** Connection fields of the table in the same row, by their field id (spec: Linked record creation). */
export async function getConnectionFields(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
  const tableId = String(this.getCurrentNodeParameter('&tableId') ?? '');
  if (!tableId) return [];
  const { fields } = await lookUp(this, (client) => tableFields(client, tableId));
  return fields
    .filter(({ kind }) => kind === 'connection')
    .map(({ name, fieldId }) => ({ name, value: fieldId }));
}
