import type { IDataObject } from 'n8n-workflow';
import { isTool } from '../../../../shared/kit/agent/isTool';
import { withLookupEndpoints } from '../../../../shared/kit/connections/lookupEndpoints';
import { filterForm } from '../../../../shared/kit/filter/filterForm';
import { sortForm } from '../../../../shared/kit/filter/sortForm';
import type { Item } from '../../../../shared/kit/operation/item';
import {
  isFailure,
  type Operation,
  type Result,
  type RunMode,
} from '../../../../shared/kit/operation/operation';
import {
  describeTotal,
  includeTotalOption,
  readPageableWindow,
  returnAllOrLimit,
  startPageOption,
} from '../../../../shared/kit/operation/returnAll';
import { hideUntilPicked } from '../../../../shared/kit/pickers/hideUntilPicked';
import { tableLocator } from '../../../../shared/kit/pickers/tablePickers';
import { createEmptyResult, ifNothingFoundOption } from '../../../../shared/kit/records/ifNothingFound';
import { simplifyRecords } from '../../../../shared/kit/records/simplifyRecords';
import { recordEndpoints } from '../../../../shared/model/endpoints/records';
import { countOutput, recordOutput } from '../../../../shared/model/outputs/records';
import { ApiError } from '../../../../shared/transport/errors/apiError';
import { fastPagingOption, listRecords } from './listRecords';
import { type CreatePageReader, preparePageReader } from './recordPageReader';
import { createReadOptions, shapeRecords } from './shapeRecords';

/** Adds the total to the first record only, because an AI model does not need it in every record. */
const withTotal = ([first, ...others]: Result[], totals: IDataObject): Result[] =>
  first && !isFailure(first)
    ? [{ ...first, json: { ...first.json, ...totals } }, ...others]
    : [...(first ? [first] : []), ...others];

/** Reads pages up to the item's limit and returns the records in the format that the options specify. */
export async function readRecords(
  item: Item,
  mode: RunMode,
  createReader: CreatePageReader,
): Promise<Result[]> {
  const window = readPageableWindow(item);
  const { records, total } = await listRecords(item, createReader, window);
  if (records.length === 0) return createEmptyResult(item);
  const found = await shapeRecords(item, records, mode);
  const knownTotal = total ?? (window.startPage ? undefined : records.length);
  const totals = describeTotal(item, window, knownTotal);
  if (isTool(item.context)) return withTotal(found, { ...totals, _total: knownTotal });
  return Object.keys(totals).length === 0
    ? found
    : found.map((one) => (isFailure(one) ? one : { ...one, json: { ...one.json, ...totals } }));
}

/** Options of the operations that list records. */
export const listReadOptions = createReadOptions(
  ifNothingFoundOption,
  includeTotalOption,
  fastPagingOption,
  startPageOption,
);

export const getAll: Operation = {
  name: 'getAll',
  displayName: 'Get Many',
  action: 'Get many records',
  description: 'Get many records, filtered and sorted',
  output: recordOutput,
  endpoints: withLookupEndpoints(recordEndpoints.list, recordEndpoints.listFiltered),
  parameters: [
    tableLocator,
    ...returnAllOrLimit,
    ...hideUntilPicked('dataTableId', [...filterForm, sortForm]),
    simplifyRecords,
    listReadOptions,
  ],
  run: async (item, mode) => readRecords(item, mode, await preparePageReader(item)),
};

export const count: Operation = {
  name: 'count',
  displayName: 'Count',
  action: 'Count records',
  description: 'Count the records that match a filter, in one small request',
  output: countOutput,
  endpoints: withLookupEndpoints(recordEndpoints.list, recordEndpoints.listFiltered),
  parameters: [tableLocator, ...hideUntilPicked('dataTableId', filterForm)],
  async run(item) {
    const createReader = await preparePageReader(item);
    const list = await createReader([])(1, 1);
    if (list.total_items === undefined) {
      throw new ApiError({
        message: 'The service does not show how many records match',
        description: 'Use Get Many and count its items instead.',
      });
    }
    return [{ json: { count: list.total_items } }];
  },
};
