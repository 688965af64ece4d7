import type { IDataObject } from 'n8n-workflow';
import { createDryRunOption, createMaximumRecords } from '../../../../shared/kit/bulkLimits';
import { createColumnForm } from '../../../../shared/kit/columns/json/columnForm';
import { clearColumnsOption, writeOptions } from '../../../../shared/kit/columns/writeOptions';
import { withLookupEndpoints } from '../../../../shared/kit/connections/lookupEndpoints';
import { requiredFilterForm } from '../../../../shared/kit/filter/filterForm';
import { readSymbolicFilter } from '../../../../shared/kit/filter/readFilter';
import { explainUncertainWrite } from '../../../../shared/kit/operation/explainUncertainWrite';
import type { Item } from '../../../../shared/kit/operation/item';
import { type Operation, toOutputs } from '../../../../shared/kit/operation/operation';
import { createOptions } from '../../../../shared/kit/operation/parameter';
import { hideUntilPicked } from '../../../../shared/kit/pickers/hideUntilPicked';
import { tableLocator } from '../../../../shared/kit/pickers/tablePickers';
import { recordEndpoints } from '../../../../shared/model/endpoints/records';
import { InputError } from '../../../../shared/model/input/inputError';
import { batchOutput } from '../../../../shared/model/outputs/records';
import type { Table } from '../../../../shared/model/records/table';
import type { ServiceRecord } from '../../../../shared/model/responses/records';
import { mayHaveChanged } from '../../../../shared/transport/errors/apiError';
import { fetchBatchCheck } from './batchUpdateCheck';
import { prepareBatchValues } from './batchValues';
import { keepOldRecords } from './keepOldRecords';
import { noteOtherTotal, readOldRecords, returnOldRecordsOption } from './oldRecords';

const maximumRecords = createMaximumRecords(
  'Nothing is changed when the conditions match more records than this',
);

const dryRunOption = createDryRunOption('Whether to only count the records that would be changed');

/**
 * @param expected number of records that the check counted
 * @throws ApiError that says whether records may have been changed, and then has the old records
 */
async function sendBatchUpdate(
  item: Item,
  table: Table,
  request: object,
  expected: number,
  oldRecords: ServiceRecord[],
): Promise<unknown> {
  try {
    const { body, attempts } = await item.client.call(recordEndpoints.batchUpdate, {
      path: { dataTableId: table.id },
      body: request,
    });
    // After the first request, records may no longer meet the conditions. The count of the repeated request can
    // therefore be too low.
    if (attempts === 1) return body;
    const msg = `The answer to the first request was lost, so the request was repeated. ${expected} records met the conditions before.`;
    return { ...(body as IDataObject), total: expected, msg };
  } catch (error) {
    const explained = explainUncertainWrite(
      error,
      `${expected} records met the conditions before. Check them before you run it again.`,
    );
    const changed = mayHaveChanged(error) ? oldRecords : [];
    throw keepOldRecords(explained, changed, 'To undo the update, give them to the operation Update.');
  }
}

export const batchUpdate: Operation = {
  name: 'batchUpdate',
  displayName: 'Batch Update',
  action: 'Update many records at once',
  description: 'Count the records that meet the conditions, then give them all the same values at once',
  output: batchOutput,
  endpoints: withLookupEndpoints(
    recordEndpoints.batchUpdateCheck,
    recordEndpoints.batchUpdate,
    recordEndpoints.search,
    recordEndpoints.create,
  ),
  parameters: [
    tableLocator,
    ...hideUntilPicked('dataTableId', requiredFilterForm),
    ...createColumnForm('update'),
    maximumRecords,
    createOptions(...writeOptions, clearColumnsOption, dryRunOption, returnOldRecordsOption),
  ],
  // Batches on one table run in input order. When two batches match a record, the later one must win.
  serialKey: (item) => item.read(tableLocator),
  async run(item) {
    const table = await item.getFreshTable(item.read(tableLocator));
    const items = await readSymbolicFilter(item, table, {
      operation: 'Batch Update',
      alternative:
        'For all operators, groups and OR, find the records with Get Many and change them with Update.',
    });
    const completeValues = await prepareBatchValues(item, table);
    const maximum = item.read(maximumRecords);
    const isDry = item.readOption(dryRunOption);
    const returnsOld = item.readOption(returnOldRecordsOption) === true;
    const { total } = await fetchBatchCheck(item, table, items);
    if (total > maximum) {
      throw new InputError(
        `The conditions reach ${total} records, more than Maximum Records (${maximum})`,
        'Nothing was changed. Add conditions, or raise the maximum.',
      );
    }
    if (isDry) return toOutputs({ dryRun: true, total });
    if (total === 0) return returnsOld ? [] : toOutputs({ total, msg: 'No record meets the conditions' });
    const oldRecords = returnsOld ? await readOldRecords(item, table, items, total) : [];
    const values = await completeValues();
    const request = { conditions: [{ items }], values };
    const response = await sendBatchUpdate(item, table, request, total, oldRecords);
    if (!returnsOld) return toOutputs(response);
    noteOtherTotal(item, oldRecords.length, response);
    return toOutputs(oldRecords);
  },
};
