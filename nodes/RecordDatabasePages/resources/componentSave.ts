import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { bodyOf } from '../../shared/kit/body';
import { columnMapper } from '../../shared/kit/columnMapper';
import { listComponents } from '../../shared/kit/componentTable';
import { clearColumns, entriesOf, mappedOf, valuesOf } from '../../shared/kit/givenValues';
import type { Item } from '../../shared/kit/item';
import { outputs, type Operation } from '../../shared/kit/operation';
import { getRecord } from '../../shared/kit/readRecord';
import { unlistedOption, updateKeeping } from '../../shared/kit/unlisted';
import { v11 } from '../../shared/model/endpoint';
import type { Entries } from '../../shared/model/fields';
import { InputError } from '../../shared/model/inputError';
import { fullFieldsInfo } from '../../shared/transport/schema';
import { pathOf, tableOf } from './table';

const path = '/pages/{pageId}/components/{componentId}/save';
const createRecord = v11(`POST ${path}`, 'once');
const updateRecord = v11(`POST ${path}`, 'idempotent');

/** `id` in the body makes it an update of that record (spec: Layouts, pages and components). */
async function send(item: Item, entries: Entries, id: string): Promise<unknown> {
  const body = bodyOf(id ? [['id', id], ...entries] : entries);
  return (await item.client.call(id ? updateRecord : createRecord, { path: pathOf(item), body })).body;
}

/** Without a known table there is nothing to encode by: the values go as they are. */
async function sendAsGiven(item: Item, id: string): Promise<unknown> {
  const values = mappedOf(item);
  if (Object.keys(values).length === 0) throw nothing();
  const body = { ...(id && { id }), ...values } as IDataObject;
  return (await item.client.call(id ? updateRecord : createRecord, { path: pathOf(item), body })).body;
}

const nothing = () =>
  new InputError('Nothing to save: no column has a value', 'Add at least one column under "Columns".');

export const save = (which: INodeProperties[]): Operation => ({
  name: 'save',
  displayName: 'Save',
  action: 'Save a record through a component',
  description: 'Create a record through a component, or update the one whose ID is given',
  endpoints: [createRecord, updateRecord, listComponents, fullFieldsInfo, getRecord],
  parameters: [
    ...which,
    {
      displayName: 'Record ID',
      name: 'recordId',
      type: 'string',
      default: '',
      placeholder: 'e.g. K7pQ2xW9Lm',
      description:
        'The record to update. Leave empty to create a new one. An update may read the record first, for which the key needs allow_get; see Columns Not Given in the options.',
    },
    columnMapper('update'),
    {
      displayName: 'Options',
      name: 'options',
      type: 'collection',
      placeholder: 'Add Option',
      default: {},
      options: [clearColumns, unlistedOption],
    },
  ],
  // Writes to one record keep their order, whatever runs in parallel.
  serialKey: (item) => item.id('recordId') || `new ${item.index}`,
  async run(item) {
    const id = item.optional('recordId');
    const table = await tableOf(item);
    if (!table) return outputs(await sendAsGiven(item, id));
    const entries = entriesOf(item, table, await valuesOf(item, table));
    if (entries.length === 0) throw nothing();
    if (!id) return outputs(await send(item, entries, ''));
    const sendAll = (all: Entries) => send(item, all, id);
    const update = { item, endpoint: updateRecord, table, recordId: id, entries, send: sendAll };
    return outputs(await updateKeeping(update));
  },
});
