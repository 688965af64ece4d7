import { isObject } from '../../../shared/model/input/isObject';
import { parseCount } from '../../../shared/model/responses/findList';
import type { JobEntry } from '../../../shared/model/responses/jobState';
import { ApiError } from '../../../shared/transport/errors/apiError';

/** A refused row as the service describes it. `row` counts the rows below the column names, from 1 on. */
export interface RowError {
  row: number;
  reason: string;
}

export interface RowAccount {
  imported: number;
  refused: number;
  /** The refused rows. Undefined if the service does not show which rows it refused. */
  rowErrors?: RowError[];
}

const createCountError = (message: string, queueId: string): ApiError =>
  new ApiError({
    message,
    description: `Check the table before you import these items again: rows may have been imported. The queue ID is ${queueId}.`,
    details: { queueId },
  });

const formatRowReason = (value: unknown): string =>
  typeof value === 'object' && value !== null
    ? Object.entries(value)
        .map(([key, reason]) => `${Array.isArray(value) ? '' : `${key}: `}${formatRowReason(reason)}`)
        .join('; ')
    : String(value ?? 'no reason');

function readRowError(value: unknown): RowError | undefined {
  if (!isObject(value)) return undefined;
  const row = parseCount(value.row ?? value.row_number);
  const { message = value.msg, error = message, errors = error } = value;
  return row === undefined ? undefined : { row, reason: formatRowReason(errors) };
}

/**
 * Finds the list of refused rows in an entry. The spec defines only the number of refused rows, so a list is accepted
 * only if it names exactly that many different rows of the file.
 */
function findRowErrors(entry: JobEntry, rowCount: number, refused: number): RowError[] | undefined {
  for (const list of Object.values(entry).filter(Array.isArray)) {
    const errors = list.flatMap((value) => readRowError(value) ?? []);
    const rows = new Set(errors.map(({ row }) => row).filter((row) => row >= 1 && row <= rowCount));
    if (rows.size === refused && errors.length === refused) return errors;
  }
  return undefined;
}

/**
 * Accounts for every row of an upload by the counts of its final entry (spec: Import queue entry). A service may
 * count refused rows as processed or not.
 * @throws ApiError when the counts do not cover every row
 */
export function accountForRows(entry: JobEntry, rowCount: number, queueId: string): RowAccount {
  const [total, processed, refused] = [entry.total_rows, entry.processed_rows, entry.error_rows].map(
    parseCount,
  );
  if (total === undefined || processed === undefined || refused === undefined) {
    throw createCountError(
      'The import ended, and the service does not show how many rows it imported',
      queueId,
    );
  }
  if (total !== rowCount) {
    throw createCountError(`The service counted ${total} rows in an upload of ${rowCount}`, queueId);
  }
  if (processed < total && processed + refused < total) {
    throw createCountError(
      `The import ended after ${processed} of ${total} rows (status "${String(entry.status ?? 'not shown')}")`,
      queueId,
    );
  }
  const rowErrors = refused > 0 ? findRowErrors(entry, rowCount, refused) : [];
  return { imported: total - refused, refused, ...(rowErrors && { rowErrors }) };
}
