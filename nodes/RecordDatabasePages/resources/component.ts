/**
 * The resource Component, `component`: the components of a page, their records, and records that are saved through
 * them. `createGetRecordsOperation` reads records. `createSaveOperation` creates and updates them.
 */
import type { IDataObject, INodeProperties } from 'n8n-workflow';
import {
  clearColumnsOption,
  createColumnForm,
  readConnectionChange,
  updateOptions,
  withChangedConnections,
} from '../../n8n/columns/columnForm';
import {
  connectedFieldsOption,
  listChosenConnections,
  withConnectedFields,
} from '../../n8n/columns/connectedFields';
import { ItemValues, readRawValues } from '../../n8n/columns/itemValues';
import { filterForm, filterParametersOption } from '../../n8n/filter/filterForm';
import { hasFilter, readItemFilter } from '../../n8n/filter/readFilter';
import { createLocator } from '../../n8n/lists/listPicker';
import { recordLocator } from '../../n8n/lists/recordPicker';
import { findComponentTable, hideUntilPicked } from '../../n8n/lists/tablePickers';
import type { Item } from '../../n8n/operation/item';
import {
  type Operation,
  type Output,
  type Resource,
  createCallOperation,
  createListOperation,
  toOutputs,
} from '../../n8n/operation/operation';
import { createRecordOutput, outputForm, toWrittenJson } from '../../n8n/operation/recordOutput';
import {
  buildTotalKeys,
  ifNothingFoundOption,
  includeTotalOption,
  listRecords,
  readListRange,
  resolveNothingFound,
  returnAllOrLimit,
  startPageOption,
} from '../../n8n/operation/returnAll';
import { simplifyRecords } from '../../n8n/operation/simplify';
import { createOptions } from '../../n8n/parameters/parameter';
import {
  addConnectedTexts,
  type FilterGroup,
  saveRawThroughComponent,
  saveThroughComponent,
  Table,
} from '../../records';
import {
  ApiError,
  asThrown,
  componentEndpoints,
  InputError,
  isNotFoundByService,
  pageEndpoints,
  type ServiceRecord,
  tryOr,
} from '../../service';
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

/** The ID of the page of the application that holds the component: the child page if one is given. */
const readPageId = (item: Item): string => item.read(childPageLocator) || item.read(pageLocator);

const readComponentPath = (item: Item) => ({
  pageId: readPageId(item),
  componentId: item.read(componentLocator),
});

/** Reads the table that the component shows. Undefined if the service does not say which it is. */
async function readComponentTable(item: Item, { isFresh = false } = {}): Promise<Table | undefined> {
  const { pageId, componentId } = readComponentPath(item);
  const id = await findComponentTable(item.client, pageId, componentId);
  if (!id) return undefined;
  return isFresh ? item.getFreshTable(id) : item.getTable(id);
}

/**
 * A key that may only read pages, or for which the table does not exist, gets records that are neither simplified nor compared
 * with the fields of the table.
 */
function ignoreUnreadable(error: unknown): undefined {
  const isForbidden = error instanceof ApiError && error.status === 403;
  if (!isForbidden && !isNotFoundByService(error)) throw asThrown(error);
}

/**
 * Reads the component's table, and the item's filter, which is checked against it. Without a filter, the table is undefined
 * if the service does not name it, or the key may not read it.
 */
async function readQuery(item: Item): Promise<{ filters?: FilterGroup; table?: Table }> {
  if (!hasFilter(item, { startMeansAll: true }))
    return { table: await readComponentTable(item).catch(ignoreUnreadable) };
  const table = await readComponentTable(item, { isFresh: true });
  if (table) return { table, filters: await readItemFilter(item, table, { startMeansAll: true }) };
  throw new InputError(
    'The service does not return the table of this component',
    'Without the table, the fields of a filter cannot be checked, and the service ignores unknown fields. Remove the filter, and filter the output with a Filter node.',
  );
}

/** Simplifies the records unless Simplify is off. Without the component's table, they stay as the service returns them. */
async function simplifyFound(
  item: Item,
  found: ServiceRecord[],
  table: Table | undefined,
): Promise<unknown[]> {
  if (item.read(simplifyRecords) === 'off') return found;
  if (table) {
    const records = await addConnectedTexts(item.client, table, found);
    return records.map(createRecordOutput(item, table));
  }
  item.client.notices.addHint(
    'Simplify: the records are as the service returns them, because the table of the component could not be read.',
  );
  return found;
}

/** @throws InputError if the service does not return the table, whose fields say what a connection leads to */
async function requireComponentTable(item: Item): Promise<Table> {
  const table = await readComponentTable(item);
  if (table) return table;
  throw new InputError(
    'Connected Fields: the service does not return the table of this component',
    'Remove the option, and read the connected records with Get.',
  );
}

const createGetRecordsOperation = (locators: INodeProperties[]): Operation => ({
  name: 'getRecords',
  displayName: 'Get Records',
  action: 'Get records of component',
  description:
    "Get the records that a component shows. A filter is applied in addition to the component's own filter.",
  parameters: [
    ...locators,
    ...hideUntilPicked('componentId', filterForm),
    ...returnAllOrLimit,
    simplifyRecords,
    createOptions(
      connectedFieldsOption,
      filterParametersOption,
      ifNothingFoundOption,
      includeTotalOption,
      startPageOption,
    ),
  ],
  async run(item) {
    const query = await readQuery(item);
    await listChosenConnections(item, () => requireComponentTable(item));
    const range = readListRange(item);
    const list = { component: readComponentPath(item), ...query };
    const { records: found, total } = await listRecords(item, list, range);
    if (found.length === 0) return resolveNothingFound(item);
    const totals = buildTotalKeys(item, range, total);
    const outputs = await withConnectedFields(
      item,
      found,
      toOutputs(await simplifyFound(item, found, query.table)),
      () => requireComponentTable(item),
    );
    return outputs.map(({ json }) => ({ json: { ...json, ...totals } }));
  },
});

const optionalRecord = {
  ...recordLocator,
  required: false,
  description: 'The record to update. It is read first, which needs a key that may read records.',
  hint: 'Empty: a record is created. To update one, drag its id here.',
  inTools: { hint: 'Empty: a record is created' },
} as const;

/** Saves the values of the form as they are, where the component's table is not known. '' as the ID creates a record. */
async function saveRawValues(item: Item, recordId: string): Promise<Output> {
  const values = readRawValues(item);
  if (Object.keys(values).length === 0) throw createNothingToSaveError();
  const path = readComponentPath(item);
  const { action, id } = await saveRawThroughComponent(item.client, path, values, recordId || undefined);
  if (action === 'created') item.noteStart();
  return { json: { _action: action, id, ...values } as IDataObject };
}

/** The records that the items of a batch update through the same component. An item with an error is left out. */
const listBatchIds = (item: Item): string[] =>
  item.listPeers().flatMap((peer) => {
    const isSame = () => peer.read(componentLocator) === item.read(componentLocator);
    return tryOr(() => (isSame() ? [peer.read(optionalRecord)].filter(Boolean) : []), []);
  });

const createNothingToSaveError = () =>
  new InputError('Nothing to save: no field has a value', 'Add at least one field under "Fields".');

/** The response does not show the record, so the connected records are checked before. @throws InputError */
const readValues = (item: Item, table: Table): ItemValues =>
  new ItemValues(item, table, { nothing: createNothingToSaveError, use: 'uncheckedWrite' });

const createSaveOperation = (locators: INodeProperties[]): Operation => ({
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
    ...locators,
    ...hideUntilPicked('componentId', [optionalRecord]),
    ...createColumnForm('update', 'componentId'),
    ...hideUntilPicked('componentId', outputForm),
    createOptions(clearColumnsOption, ...updateOptions),
  ],
  // Items run in parallel, but writes to the same record run in the order of the items.
  serialKey: (item) => item.read(optionalRecord) || `new ${item.index}`,
  done: ['record', 'saved'],
  async check(item) {
    const table = await readComponentTable(item);
    if (table) readValues(item, table).check();
    else if (Object.keys(readRawValues(item)).length === 0) throw createNothingToSaveError();
  },
  async run(item) {
    const id = item.read(optionalRecord);
    const table = await readComponentTable(item);
    if (!table) return [await saveRawValues(item, id)];
    const values = readValues(item, table);
    const result = await saveThroughComponent(item.client, readComponentPath(item), {
      table,
      recordId: id || undefined,
      entries: await values.encode(),
      timeZone: item.timeZone,
      connectionChange: readConnectionChange(item),
      listNextIds: () => listBatchIds(item),
    });
    if (result.action === 'created') item.noteStart();
    const records = [result.before, result.record].flatMap((one) => one ?? []);
    values.hintLost(result.action === 'created' ? [] : records);
    return withChangedConnections(item, [{ json: await toWrittenJson(item, table, result) }], result);
  },
});

const componentLocators = [pageLocator, ...hideUntilPicked('pageId', [childPageLocator, componentLocator])];

/** Spec: Layouts, pages and components. */
export const component: Resource = {
  name: 'component',
  displayName: 'Component',
  operations: [
    createListOperation({
      name: 'getAll',
      displayName: 'Get Many',
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
    createGetRecordsOperation(componentLocators),
    createSaveOperation(componentLocators),
  ],
};
