/** Spec: Layouts, pages and components. */
import {
  clearColumnsOption,
  createColumnForm,
  readConnectionChange,
  updatingOptions,
} from '../../n8n/columns/columnForm';
import {
  connectedFieldsOption,
  listChosenConnections,
  addConnectedFields,
} from '../../n8n/columns/connectedFields';
import { ItemValues, omitRemovedConnections } from '../../n8n/columns/itemValues';
import { filterForm, filterParametersOption } from '../../n8n/filter/filterForm';
import { hasFilter, readItemFilter } from '../../n8n/filter/readFilter';
import { createLocator } from '../../n8n/lists/listPicker';
import { listRecordIds, recordLocator } from '../../n8n/lists/recordPicker';
import { getComponentTableId, hideUntilPicked } from '../../n8n/lists/tablePickers';
import type { Item } from '../../n8n/operation/item';
import {
  type Operation,
  type Resource,
  createCallOperation,
  createListOperation,
} from '../../n8n/operation/operation';
import {
  addUnconfirmedUpdate,
  outputForm,
  readOutputFormat,
  toRecordOutputs,
} from '../../n8n/operation/recordOutput';
import {
  includeTotalOption,
  listRecords,
  limitParameters,
  startPageOption,
} from '../../n8n/operation/returnAll';
import { simplifyRecordsParameter } from '../../n8n/operation/simplify';
import { createOptions } from '../../n8n/parameters/parameter';
import { createRecord, Table, updateRecord } from '../../records';
import { componentEndpoints, InputError, pageEndpoints } from '../../service';
import { pageLocator } from './page';

const componentLocator = createLocator(
  'Components',
  'Component',
  'componentId',
  'The component of the page to work with',
);

const childPageLocator = {
  ...createLocator('ChildPages', 'Child Page', 'childPageId', 'The child page that holds the component'),
  required: false,
  hint: 'Empty: the page itself',
} as const;

const componentLocators = [pageLocator, ...hideUntilPicked('pageId', [childPageLocator, componentLocator])];

const readPageId = (item: Item): string => item.read(childPageLocator) || item.read(pageLocator);

const readComponentPath = (item: Item) => ({
  pageId: readPageId(item),
  componentId: item.read(componentLocator),
});

/** Reads the table whose records the component shows. @throws InputError if no response shows the table */
async function readComponentTable(item: Item, { isFresh = false } = {}): Promise<Table> {
  const { pageId, componentId } = readComponentPath(item);
  const id = await getComponentTableId(item.client, pageId, componentId);
  if (id) return item.getTable(id, { isFresh });
  throw new InputError(
    'The service does not return the table of this component',
    'Nothing was sent: the service ignores unknown fields, and its table shows which ones there are. To read the records as they are, turn off Simplify, and remove the filter and Connected Fields.',
  );
}

const getRecords: Operation = {
  name: 'getRecords',
  displayName: 'Get Records',
  action: 'Get records of component',
  description:
    "Get the records that a component shows. A filter is applied in addition to the component's own filter.",
  parameters: [
    ...componentLocators,
    ...limitParameters,
    ...hideUntilPicked('componentId', filterForm),
    simplifyRecordsParameter,
    createOptions(connectedFieldsOption, filterParametersOption, includeTotalOption, startPageOption),
  ],
  async run(item) {
    const getTable = () => readComponentTable(item);
    await listChosenConnections(item, getTable);
    const isFiltered = hasFilter(item);
    const needsTable = isFiltered || readOutputFormat(item).simplified;
    // The fields are read again for a filter, because the service ignores a condition on a field that was removed.
    const table = needsTable ? await readComponentTable(item, { isFresh: isFiltered }) : undefined;
    const filters = table && (await readItemFilter(item, table));
    const list = { component: readComponentPath(item), table, filters };
    return listRecords(item, list, async (records) =>
      addConnectedFields(item, records, await toRecordOutputs(item, records, getTable), getTable),
    );
  },
};

const optionalRecordLocator = {
  ...recordLocator,
  required: false,
  description: 'The record to update. It is read first, which needs a key that may read records.',
  hint: 'Empty: a record is created. To update one, drag its id here.',
  inTools: { hint: 'Empty: a record is created' },
} as const;

/** `checkedWrite`: the response to Save contains no record, so connected records are looked up before the write. */
const createItemValues = (item: Item, table: Table): ItemValues =>
  new ItemValues(item, table, {
    needsValue: 'save',
    use: 'checkedWrite',
    allowsRefused: true,
  });

const save: Operation = {
  name: 'save',
  displayName: 'Save',
  action: 'Save record through component',
  description: 'Create a record through a component, or update the one whose ID is given',
  makes: {
    noun: 'records',
    remedy:
      'The operation Create of the resource Record can find records that exist by its "Dedupe Field Name or ID".',
    isSafe: (item) => item.read(optionalRecordLocator) !== '',
  },
  writes: true,
  parameters: [
    ...componentLocators,
    ...hideUntilPicked('componentId', [optionalRecordLocator]),
    ...createColumnForm('update', 'componentId'),
    ...hideUntilPicked('componentId', outputForm),
    createOptions(clearColumnsOption, ...updatingOptions),
  ],
  // Items run in parallel, but writes to the same record run in the order of the items.
  serialKey: (item) => item.read(optionalRecordLocator) || `new ${item.index}`,
  async check(item) {
    const values = createItemValues(item, await readComponentTable(item));
    await values.checkUpdate(item.read(optionalRecordLocator), () => listRecordIds(item, componentLocator));
  },
  async run(item) {
    const table = await readComponentTable(item);
    const values = createItemValues(item, table);
    const recordId = item.read(optionalRecordLocator);
    const entries = await values.encodeEntries();
    const write = { table, component: readComponentPath(item), entries };
    const newEntries = omitRemovedConnections(item, table, entries);
    const update = { ...write, recordId, connectionChange: readConnectionChange(item) };
    const written =
      recordId === ''
        ? await createRecord(item.client, { ...write, entries: newEntries, onCreated: item.markAsStarted })
        : await item.updateInOrder(update, (left) =>
            updateRecord(item.client, {
              ...update,
              entries: left,
              timeZone: item.timeZone,
              listNextIds: () => listRecordIds(item, componentLocator),
              onUnclear: (result) => addUnconfirmedUpdate(item, table, result),
            }),
          );
    return [{ json: await values.formatWrite(written) }];
  },
};

export const component: Resource = {
  name: 'component',
  displayName: 'Component',
  operations: [
    createListOperation({
      action: 'Get many components',
      description: 'Get the components of a page that the key or user may see',
      endpoint: pageEndpoints.listComponents,
      parameters: [pageLocator, ...hideUntilPicked('pageId', [childPageLocator])],
      request: (item) => ({ path: { pageId: readPageId(item) } }),
    }),
    createCallOperation({
      name: 'getDetails',
      displayName: 'Get Details',
      action: 'Get details of component',
      description: 'Get the details of a component, such as its settings',
      endpoint: componentEndpoints.getDetails,
      parameters: componentLocators,
      request: (item) => ({ path: readComponentPath(item) }),
    }),
    getRecords,
    save,
  ],
};
