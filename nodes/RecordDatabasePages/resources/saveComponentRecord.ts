import type { INodeProperties } from 'n8n-workflow';
import { componentEndpoints } from '../../client/endpoints/catalogue';
import type { PayloadEntries } from '../../client/fields/field';
import { Table } from '../../client/fields/table';
import type { ApiResponse } from '../../client/http/client';
import { InputError } from '../../client/input/inputError';
import { toRequestBody } from '../../client/records/payload';
import { writeWithConnections } from '../../n8n/columns/changeConnections';
import { createColumnForm } from '../../n8n/columns/columnForm';
import { readFormValues } from '../../n8n/columns/formValues';
import { checkRecordValues, readRecordEntries } from '../../n8n/columns/recordEntries';
import { clearColumnsOption, updateOptions } from '../../n8n/columns/writeOptions';
import { recordLocator } from '../../n8n/lists/recordPicker';
import type { Item } from '../../n8n/operation/item';
import { type Operation, toOutputs } from '../../n8n/operation/operation';
import { createOptions } from '../../n8n/parameters/parameter';
import { readComponentPath, readComponentTable } from './readComponentTable';

const { createRecord: createComponentRecord, updateRecord: updateComponentRecord } = componentEndpoints;

const optionalRecord = {
  ...recordLocator,
  required: false,
  description:
    'The record to update. Leave empty to create a new record. An update reads the record first, which needs a key with allow_get, unless the credential says "Kept by the Service".',
} as const;

/** Creates a record, or updates the record `id`, which is sent in the body (spec: Layouts, pages and components). */
async function sendBody(item: Item, body: object, id: string): Promise<ApiResponse<Record<string, unknown>>> {
  const endpoint = id ? updateComponentRecord : createComponentRecord;
  const response = await item.client.call(endpoint, { path: readComponentPath(item), body });
  item.hasStarted ||= !id;
  return response;
}

/** Sends the values unchanged. Values cannot be encoded if the component's table is not known. */
async function sendRawValues(item: Item, id: string): Promise<unknown> {
  const values = readFormValues(item);
  if (Object.keys(values).length === 0) throw createNothingToSaveError();
  return (await sendBody(item, { ...(id && { id }), ...values }, id)).body;
}

/** Updates one record. Columns that `entries` does not name keep their values. */
const updateThroughComponent = (item: Item, table: Table, id: string, entries: PayloadEntries) =>
  writeWithConnections(item, table, id, entries, async (change) => {
    const { action, body } = await item.client.records.update({
      timeZone: item.timeZone,
      table,
      recordId: id,
      ...change,
      target: {
        endpoint: updateComponentRecord,
        path: readComponentPath(item),
        createBody: (all) => toRequestBody([['id', id], ...all], 'update'),
      },
    });
    return toOutputs({ id, ...('msg' in body && { msg: body.msg }), _action: action });
  });

const createNothingToSaveError = () =>
  new InputError('Nothing to save: no column has a value', 'Add at least one column under "Columns".');

export const createSaveOperation = (which: INodeProperties[]): Operation => ({
  name: 'save',
  displayName: 'Save',
  action: 'Save record through component',
  description: 'Create a record through a component, or update the one whose ID is given',
  makes: {
    noun: 'records',
    remedy:
      'The operation Create of the resource Record can find records that exist by its "Dedupe Field Name or ID".',
    isSafe: (item) => item.read(optionalRecord) !== '',
  },
  writes: true,
  parameters: [
    ...which,
    optionalRecord,
    ...createColumnForm('update', 'componentId'),
    createOptions(clearColumnsOption, ...updateOptions),
  ],
  // Items run in parallel, but writes to the same record run in the order of the items.
  serialKey: (item) => item.read(optionalRecord) || `new ${item.index}`,
  done: ['record', 'saved'],
  async check(item) {
    const table = await readComponentTable(item);
    if (table) checkRecordValues(item, table);
  },
  async run(item) {
    const id = item.read(optionalRecord);
    const table = await readComponentTable(item);
    if (!table) return toOutputs(await sendRawValues(item, id));
    // The response does not show the record, so the connected records are checked before.
    const entries = await readRecordEntries(item, table, { idCheck: 'check' });
    if (entries.length === 0) throw createNothingToSaveError();
    if (id) return updateThroughComponent(item, table, id, entries);
    // Only a create of Records takes a link or lists records (spec: Records), so a column may have any slug here.
    return toOutputs((await sendBody(item, toRequestBody(entries, 'update'), '')).body);
  },
});
