/** What became of the rows of an import (spec: Import queue entry): `accountForRows`. */
import { ApiError } from '../errors/apiError';
import { parseCount } from '../responses/schemas';
import type { EndedRun } from './runs';

/** Numbers of rows. */
interface RowAccount {
  imported: number;
  refused: number;
}

/**
 * Accounts for every row of an upload by the counts of its final entry (spec: Import queue entry). A service may
 * count refused rows as processed or not.
 * @param rowCount the number of rows of the file
 * @throws ApiError when the counts do not cover every row
 */
export function accountForRows({ id: queueId, entry }: EndedRun, rowCount: number): RowAccount {
  const [total, processed, refused] = [entry.total_rows, entry.processed_rows, entry.error_rows].map(
    parseCount,
  );
  if (total === undefined || processed === undefined || refused === undefined) {
    throw createCountError(
      'The import ended, and the service does not show how many rows it imported',
      queueId,
    );
  }
  // The spec does not say whether the line of the column names counts as a row. Open point: `importParts`.
  if (total !== rowCount && total !== rowCount + 1) {
    throw createCountError(`The service counted ${total} rows in an upload of ${rowCount}`, queueId);
  }
  if (processed + refused < rowCount) {
    throw createCountError(
      `The import ended after ${processed} of ${total} rows (status "${String(entry.status ?? 'not shown')}")`,
      queueId,
    );
  }
  const refusedRows = Math.min(refused, rowCount);
  return { imported: rowCount - refusedRows, refused: refusedRows };
}

const createCountError = (message: string, queueId: string): ApiError =>
  new ApiError({
    message,
    description: `Check the table before you import these items again: rows may have been imported. The queue ID is ${queueId}.`,
    details: { queueId },
  });
