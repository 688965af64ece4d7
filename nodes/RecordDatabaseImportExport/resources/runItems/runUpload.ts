import type { IDataObject } from 'n8n-workflow';
import { startJob } from '../../../shared/kit/jobs/startJob';
import { waitForCompletion } from '../../../shared/kit/jobs/waitForCompletion';
import type { Item } from '../../../shared/kit/operation/item';
import { mayHaveStarted } from '../../../shared/kit/operation/loop/resume';
import { type Failure, isFailure, type Output, type Result } from '../../../shared/kit/operation/operation';
import { importEndpoints } from '../../../shared/model/endpoints/imports';
import { joinFirst } from '../../../shared/model/input/inputError';
import { ApiError } from '../../../shared/transport/errors/apiError';
import { buildCsvForm } from '../buildImportForm';
import { importPlan } from '../runImport';
import { accountForRows, type RowAccount, type RowError } from './accountForRows';
import type { ImportSettings } from './importItemsForm';
import type { ImportRow, Upload } from './splitUploads';

interface EndedUpload {
  /** The input items of the rows. */
  itemIndexes: number[];
  entry: IDataObject;
  queueId: string;
  account: RowAccount;
}

const listIndexes = (rows: ImportRow[]): number[] => rows.map(({ index }) => index);

/** Uploads one file, waits for the end of its import and accounts for its rows. @throws ApiError */
async function importFile(
  item: Item,
  importId: string,
  { limitSeconds }: ImportSettings,
  { csv, rows }: Upload,
): Promise<EndedUpload> {
  const start = async () => {
    const call = { path: { importId }, body: buildCsvForm(item, csv) };
    return (await item.client.call(importEndpoints.trigger, call)).body;
  };
  const job = await startJob(item, importPlan, start);
  // The counts decide what failed, not the status.
  const wait = { limitSeconds, failsAsError: false, timesOutAsError: true };
  const entry = await waitForCompletion(item, importPlan, wait, job);
  const cells = rows.map((row) => row.cells);
  const account = accountForRows(entry, cells, job.id);
  return { itemIndexes: listIndexes(rows), entry, queueId: job.id, account };
}

const toOutput = ({ entry, account }: EndedUpload, itemIndexes: number[]): Output => ({
  json: { ...entry, _items: account.imported + account.refused, _imported: account.imported },
  itemIndexes,
});

const createRowFailure = (queueId: string, { row, reason }: RowError, itemIndex: number): Failure => ({
  error: new ApiError({
    message: `The service refused row ${row} of the upload: ${reason}`,
    description: `Correct the item and import it again. The queue ID is ${queueId}.`,
    details: { queueId },
  }),
  itemIndexes: [itemIndex],
});

/** Quotes the service's list of refused rows. Empty without a list. */
const formatRowErrors = (rowErrors: RowError[]): string =>
  rowErrors.length === 0
    ? ''
    : `The service lists ${joinFirst(
        rowErrors.map(({ row, reason }) => `row ${row}: ${reason}`),
        '; ',
      )}. It may number the rows from 0, from 1, or as the lines of the file, whose first line holds the column names. `;

const createUploadFailure = ({ itemIndexes, queueId, account }: EndedUpload): Failure => ({
  error: new ApiError({
    message: `The service refused ${account.refused} of the ${itemIndexes.length} rows of an upload, and which items they are is not certain`,
    description: `${formatRowErrors(account.rowErrors)}The other ${account.imported} rows were imported: do not import all of them again. Check the import in the service (queue ID ${queueId}). For the counts instead of an error, change "If Rows Fail".`,
    details: { queueId },
  }),
  itemIndexes,
});

function toResults(upload: EndedUpload, { failsForRows }: ImportSettings): Result[] {
  const { account, itemIndexes, queueId } = upload;
  const { firstRow, refused, rowErrors } = account;
  if (refused === 0 || !failsForRows) return [toOutput(upload, itemIndexes)];
  if (firstRow === undefined) return [createUploadFailure(upload)];
  const failures = rowErrors.flatMap((rowError): Failure[] => {
    const index = itemIndexes[rowError.row - firstRow];
    return index === undefined ? [] : [createRowFailure(queueId, rowError, index)];
  });
  const failed = new Set(failures.flatMap((failure) => failure.itemIndexes));
  const imported = itemIndexes.filter((index) => !failed.has(index));
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
    return [{ error, itemIndexes: listIndexes(upload.rows), isFinal: mayHaveStarted(error, item) }];
  }
}
