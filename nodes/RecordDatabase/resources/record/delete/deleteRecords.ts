import type { IDataObject } from 'n8n-workflow';
import { runSteps } from '../../../../shared/kit/operation/loop/runSteps';
import type { Result, RunMode } from '../../../../shared/kit/operation/operation';
import { asThrown } from '../../../../shared/model/input/asThrown';
import type { ServiceRecord } from '../../../../shared/model/responses/records';
import type { Client } from '../../../../shared/transport/client';
import { isServiceNotFound, mayHaveChanged } from '../../../../shared/transport/errors/apiError';
import { explainPartialRun } from '../write/explainPartialRun';
import { keepOldRecords } from '../write/keepOldRecords';
import { sendDelete } from './sendDelete';

export const RESTORE = 'To restore deleted records, give them to the operation Create.';

/** Deletes one record and returns it with its old values and what happened to it. */
async function deleteOne(client: Client, dataTableId: string, record: ServiceRecord): Promise<IDataObject> {
  try {
    await sendDelete(client, { dataTableId, recordId: record.id });
    return { ...record, _action: 'deleted' } as IDataObject;
  } catch (error) {
    // Another client deleted the record after it was read.
    if (isServiceNotFound(error)) return { ...record, _action: 'notFound' } as IDataObject;
    throw asThrown(error);
  }
}

/**
 * Deletes records, several at once.
 * @returns for each record its old values with `_action`: `deleted`, or `notFound` when it no longer existed; or a
 *   failure with the old values that are in no output
 */
export async function deleteRecords(
  client: Client,
  mode: RunMode,
  tableId: string,
  records: ServiceRecord[],
): Promise<Result[]> {
  const results = await runSteps(client, mode, records, (record) => deleteOne(client, tableId, record));
  const deleted = results.filter(({ value }) => value?._action === 'deleted').map(({ step }) => step);
  const progress = mode.continuesOnFail
    ? ''
    : `${deleted.length} of ${records.length} records were deleted. A repeated run deletes the others. To go on after a failure, set "On Error" in the node's settings.`;
  return results.flatMap(({ step: record, value, error }): Result[] => {
    if (error === undefined) return value ? [{ json: value }] : [];
    const explained = explainPartialRun(error, progress, `Record ${record.id}`);
    const lost = [...(mode.continuesOnFail ? [] : deleted), ...(mayHaveChanged(error) ? [record] : [])];
    return [{ error: keepOldRecords(explained, lost, RESTORE) }];
  });
}
