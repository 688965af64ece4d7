/** Get, Get Many and Count. */
import type { INodeProperties } from 'n8n-workflow';
import { limitColumns } from '../../../n8n/agent/agent';
import { connectedFieldsOption, addConnectedFields } from '../../../n8n/columns/connectedFields';
import { filterForm, filterParametersOption } from '../../../n8n/filter/filterForm';
import { hasFilter, readItemFilter } from '../../../n8n/filter/readFilter';
import { readSortBy, readSortRules, sortParameter, toolSortParameter } from '../../../n8n/filter/sortForm';
import { recordLocator } from '../../../n8n/lists/recordPicker';
import { hideUntilPicked, tableLocator } from '../../../n8n/lists/tablePickers';
import type { Item } from '../../../n8n/operation/item';
import type { Operation, Result, RunMode } from '../../../n8n/operation/operation';
import { toRecordOutputs } from '../../../n8n/operation/recordOutput';
import {
  includeTotalOption,
  listRecords,
  limitParameters,
  startPageOption,
} from '../../../n8n/operation/returnAll';
import { simplifyRecordsParameter } from '../../../n8n/operation/simplify';
import { createOptions } from '../../../n8n/parameters/parameter';
import { readRecordPage, type PageQuery, readRecord } from '../../../records';
import { type ServiceRecord } from '../../../service';
import { attachFiles, returnedFieldOptions, columnsOption, readColumns } from './columns';

async function readPageQuery(item: Item): Promise<PageQuery> {
  const needsFields = readSortRules(item).length > 0 || hasFilter(item);
  // The service ignores a sort rule or a condition on a field that was removed.
  const table = await item.getTable(item.read(tableLocator), { isFresh: needsFields });
  const filters = await readItemFilter(item, table);
  const columns = await readColumns(item);
  return { tableId: table.id, filters, columns, sort: readSortBy(item, table) };
}

const createReadOptions = (...more: INodeProperties[]): INodeProperties =>
  createOptions(...returnedFieldOptions, connectedFieldsOption, ...more);

async function formatRecords(item: Item, records: ServiceRecord[], mode: RunMode): Promise<Result[]> {
  const getTable = () => item.getTable(item.read(tableLocator));
  const outputs = await toRecordOutputs(item, records, getTable);
  const isLimited = item.isTool && item.readOptionOrDefault(columnsOption).length === 0;
  const shown = isLimited ? limitColumns(outputs) : outputs;
  const complete = await addConnectedFields(item, records, shown, getTable);
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
    simplifyRecordsParameter,
    createReadOptions(),
  ],
  async run(item, mode) {
    const columns = await readColumns(item);
    const record = await readRecord(item.client, item.read(tableLocator), item.read(recordLocator), {
      columns,
    });
    return formatRecords(item, [record], mode);
  },
};

const recordListOptions = createReadOptions(filterParametersOption, includeTotalOption, startPageOption);

export const getAll: Operation = {
  name: 'getAll',
  displayName: 'Get Many',
  action: 'Get many records',
  description: 'Get many records, filtered and sorted',
  parameters: [
    tableLocator,
    ...limitParameters,
    ...hideUntilPicked('dataTableId', [...filterForm, sortParameter, toolSortParameter]),
    simplifyRecordsParameter,
    recordListOptions,
  ],
  run: async (item, mode) =>
    listRecords(item, await readPageQuery(item), (records) => formatRecords(item, records, mode)),
};

export const count: Operation = {
  name: 'count',
  displayName: 'Count',
  action: 'Count records',
  description: 'Count the records that match a filter, without reading all of them',
  parameters: [
    tableLocator,
    ...hideUntilPicked('dataTableId', filterForm),
    createOptions(filterParametersOption),
  ],
  async run(item) {
    const list = await readRecordPage(item.client, await readPageQuery(item), 1, 1);
    return [{ json: { count: list.total_items } }];
  },
};
