import type { IDataObject } from 'n8n-workflow';
import { startJob } from '../../../shared/kit/jobs/startJob';
import { waitForCompletion } from '../../../shared/kit/jobs/waitForCompletion';
import type { Item } from '../../../shared/kit/operation/item';
import { mayHaveStarted } from '../../../shared/kit/operation/loop/resume';
import { type Failure, isFailure, type Output, type Result } from '../../../shared/kit/operation/operation';
import { importEndpoints } from '../../../shared/model/endpoints/imports';
import { ApiError } from '../../../shared/transport/errors/apiError';
import { buildCsvForm } from '../buildImportForm';
import { importPlan } from '../runImport';
import { accountForRows, type RowAccount, type RowError } from './accountForRows';
import type { ImportSettings } from './importItemsForm';
import type { Upload } from './splitUploads';

interface EndedUpload extends Upload {
  entry: IDataObject;
  queueId: string;
  account: RowAccount;
}

/** Uploads one file, waits for the end of its import and accounts for its rows. @throws ApiError */
async function importFile(
  item: Item,
  importId: string,
  { limitSeconds }: ImportSettings,
  upload: Upload,
): Promise<EndedUpload> {
  const start = async () => {
    const call = { path: { importId }, body: buildCsvForm(item, upload.csv) };
    return (await item.client.call(importEndpoints.trigger, call)).body;
  };
  const job = await startJob(item, importPlan, start);
  // The counts decide what failed, not the status.
  const wait = { limitSeconds, failsAsError: false, timesOutAsError: true };
  const entry = await waitForCompletion(item, importPlan, wait, job);
  const account = accountForRows(entry, upload.itemIndexes.length, job.id);
  return { ...upload, entry, queueId: job.id, account };
}

const toOutput = ({ entry, account }: EndedUpload, itemIndexes: number[]): Output => ({
  json: { ...entry, _items: account.imported + account.refused, _imported: account.imported },
  itemIndexes,
});

const createRowFailure = ({ itemIndexes, queueId }: EndedUpload, { row, reason }: RowError): Failure => ({
  error: new ApiError({
    message: `The service refused row ${row} of the upload: ${reason}`,
    description: `Correct the item and import it again. The queue ID is ${queueId}.`,
    details: { queueId },
  }),
  itemIndexes: itemIndexes.slice(row - 1, row),
});

const createUploadFailure = ({ itemIndexes, queueId, account }: EndedUpload): Failure => ({
  error: new ApiError({
    message: `The service refused ${account.refused} of the ${itemIndexes.length} rows of an upload, and does not show which`,
    description: `The other ${account.imported} rows were imported: do not import all of them again. Check the import in the service (queue ID ${queueId}). For the counts instead of an error, change "If Rows Fail".`,
    details: { queueId },
  }),
  itemIndexes,
});

function toResults(upload: EndedUpload, { failsForRows }: ImportSettings): Result[] {
  const { account, itemIndexes } = upload;
  if (account.refused === 0 || !failsForRows) return [toOutput(upload, itemIndexes)];
  if (!account.rowErrors) return [createUploadFailure(upload)];
  const refusedRows = new Set(account.rowErrors.map(({ row }) => row));
  const imported = itemIndexes.filter((_, position) => !refusedRows.has(position + 1));
  const failures = account.rowErrors.map((rowError) => createRowFailure(upload, rowError));
  return imported.length > 0 ? [toOutput(upload, imported), ...failures] : failures;
}

/** Imports one file. An error of the upload becomes a failure of all its items. */
export async function runUpload(
  item: Item,
  importId: string,
  settings: ImportSettings,
  upload: Upload,
): Promise<Result[]> {
  try {
    // The upload has been imported, so its rows must not be uploaded again.
    return toResults(await importFile(item, importId, settings, upload), settings).map((result) =>
      isFailure(result) ? { ...result, isFinal: true } : result,
    );
  } catch (error) {
    return [{ error, itemIndexes: upload.itemIndexes, isFinal: mayHaveStarted(error, item) }];
  }
}
