/** The operations that delete one record by its ID, or the records of a filter. */
import { filterParametersOption, requiredFilterForm } from '../../../n8n/filter/filterForm';
import { selectItemRecords } from '../../../n8n/filter/readFilter';
import { recordLocator } from '../../../n8n/lists/recordPicker';
import { hideUntilPicked, tableLocator } from '../../../n8n/lists/tablePickers';
import { dryRunParameter, maximumRecordsParameter } from '../../../n8n/operation/bulkChange';
import type { Operation, Result } from '../../../n8n/operation/operation';
import { createChangeConverter } from '../../../n8n/operation/recordOutput';
import { simplifyRecordsParameter } from '../../../n8n/operation/simplify';
import { createOptions } from '../../../n8n/parameters/parameter';
import { deleteMatchingRecords, deleteRecord } from '../../../records';
import { describeProgress, explainChangeError } from './changeErrors';

export const deleteMany: Operation = {
  name: 'deleteMany',
  displayName: 'Delete Many',
  action: 'Delete many records',
  description: 'Delete all records that match a filter, up to a maximum, and return them as they were',
  writes: true,
  parameters: [
    tableLocator,
    ...hideUntilPicked('dataTableId', [dryRunParameter, maximumRecordsParameter, ...requiredFilterForm]),
    simplifyRecordsParameter,
    createOptions(filterParametersOption),
  ],
  // In parallel, two items whose filters match the same record would both delete it.
  serialKey: (item) => item.read(tableLocator),
  async run(item, mode) {
    const table = await item.getTable(item.read(tableLocator), { isFresh: true });
    const isDry = item.read(dryRunParameter);
    const found = await selectItemRecords(item, table, item.read(maximumRecordsParameter));
    const { records } = found;
    const toJson = createChangeConverter(item, table);
    if (isDry) return records.map((record) => ({ json: toJson('delete', record, { isDry }) }));
    const results = await deleteMatchingRecords(item.client, found, mode);
    const progress = describeProgress(mode, results, records.length);
    return results.flatMap((result): Result[] => {
      const { action, record } = result;
      // A hint names the records that were kept, so they have no output item.
      if (action === 'kept') return [];
      const isFailed = action === 'failed';
      const json = toJson(isFailed ? 'deleted' : action, record);
      return [isFailed ? { error: explainChangeError(result.error, progress, json) } : { json }];
    });
  },
};

export const deleteOne: Operation = {
  name: 'delete',
  displayName: 'Delete',
  action: 'Delete record',
  description: 'Permanently delete a record',
  writes: true,
  parameters: [tableLocator, ...hideUntilPicked('dataTableId', [recordLocator])],
  serialKey: (item) => `${item.read(tableLocator)}/${item.read(recordLocator)}`,
  async run(item) {
    const recordId = item.read(recordLocator);
    await deleteRecord(item.client, item.read(tableLocator), recordId);
    return [{ json: { _action: 'deleted', deleted: true, id: recordId } }];
  },
};
