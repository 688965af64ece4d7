import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { limitColumns } from '../../../n8n/agent/agent';
import { connectedFieldsOption, withConnectedFields } from '../../../n8n/columns/connectedFields';
import { filterForm, filterParametersOption } from '../../../n8n/filter/filterForm';
import { hasFilter, readItemFilter } from '../../../n8n/filter/readFilter';
import { readSort, readSortRules, sortForm, toolSort } from '../../../n8n/filter/sortForm';
import { recordLocator } from '../../../n8n/lists/recordPicker';
import { hideUntilPicked, tableLocator } from '../../../n8n/lists/tablePickers';
import type { Item } from '../../../n8n/operation/item';
import {
  type Operation,
  type Output,
  type Result,
  type RunMode,
  isFailure,
  toOutputs,
} from '../../../n8n/operation/operation';
import { createRecordOutput } from '../../../n8n/operation/recordOutput';
import {
  buildTotalKeys,
  ifNothingFoundOption,
  includeTotalOption,
  listRecords,
  readListRange,
  resolveNothingFound,
  returnAllOrLimit,
  startPageOption,
} from '../../../n8n/operation/returnAll';
import { simplifyRecords } from '../../../n8n/operation/simplify';
import { createOptions } from '../../../n8n/parameters/parameter';
import { addConnectedTexts, fetchRecordPage, type PageQuery, readRecord } from '../../../records';
import { type ServiceRecord } from '../../../service';
import { attachFiles, columnOptions, columnsOption, readColumnQuery } from './columns';

/** Reads the item's filter, columns and order. */
async function readQuery(item: Item): Promise<PageQuery> {
  const isSorted = readSortRules(item).length > 0;
  const needsFields = isSorted || hasFilter(item, { startMeansAll: true });
  const tableId = item.read(tableLocator);
  // The service also silently ignores a sort rule on an unknown field.
  const table = await (needsFields ? item.getFreshTable(tableId) : item.getTable(tableId));
  const filters = await readItemFilter(item, table, { startMeansAll: true });
  const selection = await readColumnQuery(item);
  return { tableId: table.id, filters, selection, sort: readSort(item, table) };
}

/** Creates the options of an operation that reads records. `more` are the options of this operation alone. */
const createReadOptions = (...more: INodeProperties[]): INodeProperties =>
  createOptions(...columnOptions, connectedFieldsOption, ...more);

async function formatRecords(item: Item, given: ServiceRecord[]): Promise<Output[]> {
  if (item.read(simplifyRecords) === 'off') return toOutputs(given);
  const table = await item.getTable(item.read(tableLocator));
  const records = await addConnectedTexts(item.client, table, given);
  return toOutputs(records.map(createRecordOutput(item, table)));
}

/** Returns records in the format that the options specify, with the files of the chosen columns. */
async function shapeRecords(item: Item, records: ServiceRecord[], mode: RunMode): Promise<Result[]> {
  const outputs = await formatRecords(item, records);
  const isLimited = item.isToolCall && item.readOptionOrDefault(columnsOption).length === 0;
  const shown = isLimited ? limitColumns(outputs) : outputs;
  const getTable = () => item.getTable(item.read(tableLocator));
  const complete = await withConnectedFields(item, records, shown, getTable);
  return attachFiles(item, records, complete, mode);
}

export const get: Operation = {
  name: 'get',
  displayName: 'Get',
  action: 'Get record',
  description: 'Get one record by its ID',
  parameters: [
    tableLocator,
    ...hideUntilPicked('dataTableId', [recordLocator]),
    simplifyRecords,
    createReadOptions(),
  ],
  async run(item, mode) {
    const selection = await readColumnQuery(item);
    const record = await readRecord(item.client, item.read(tableLocator), item.read(recordLocator), {
      selection,
    });
    return shapeRecords(item, [record], mode);
  },
};

/** Adds the total to the first record only, because an AI model does not need it in every record. */
const withTotal = ([first, ...others]: Result[], totals: IDataObject): Result[] =>
  first && !isFailure(first)
    ? [{ ...first, json: { ...first.json, ...totals } }, ...others]
    : [...(first ? [first] : []), ...others];

/** Reads pages up to the item's limit and returns the records in the format that the options specify. */
async function readRecords(item: Item, mode: RunMode, query: PageQuery): Promise<Result[]> {
  const range = readListRange(item);
  const { records, total } = await listRecords(item, query, range);
  if (records.length === 0) return resolveNothingFound(item);
  const found = await shapeRecords(item, records, mode);
  const totals = buildTotalKeys(item, range, total);
  if (item.isToolCall) return withTotal(found, { ...totals, _total: total });
  return Object.keys(totals).length === 0
    ? found
    : found.map((one) => (isFailure(one) ? one : { ...one, json: { ...one.json, ...totals } }));
}

/** Options of the operations that list records. */
const listReadOptions = createReadOptions(
  filterParametersOption,
  ifNothingFoundOption,
  includeTotalOption,
  startPageOption,
);

export const getAll: Operation = {
  name: 'getAll',
  displayName: 'Get Many',
  action: 'Get many records',
  description: 'Get many records, filtered and sorted',
  parameters: [
    tableLocator,
    ...returnAllOrLimit,
    ...hideUntilPicked('dataTableId', [...filterForm, sortForm, toolSort]),
    simplifyRecords,
    listReadOptions,
  ],
  run: async (item, mode) => readRecords(item, mode, await readQuery(item)),
};

export const count: Operation = {
  name: 'count',
  displayName: 'Count',
  action: 'Count records',
  description: 'Count the records that match a filter, in one small request',
  parameters: [
    tableLocator,
    ...hideUntilPicked('dataTableId', filterForm),
    createOptions(filterParametersOption),
  ],
  async run(item) {
    const list = await fetchRecordPage(item.client, await readQuery(item), 1, 1);
    return [{ json: { count: list.total_items } }];
  },
};
