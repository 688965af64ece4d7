import type { Cells } from '../../../shared/model/csv/readCells';
import { isObject } from '../../../shared/model/input/isObject';
import { parseCount } from '../../../shared/model/responses/findList';
import type { JobEntry } from '../../../shared/model/responses/jobState';
import { ApiError } from '../../../shared/transport/errors/apiError';

/** A refused row as the service describes it. */
export interface RowError {
  /** The number that the service gives the row. */
  row: number;
  reason: string;
  /** The texts of the description: its values, and what its messages put into quotes. */
  texts: Set<string>;
}

export interface RowAccount {
  imported: number;
  refused: number;
  /** The refused rows as the service lists them; empty without a list. */
  rowErrors: RowError[];
  /** The number of the first item's row. Undefined unless the list allows one numbering alone. */
  firstRow?: number;
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

/** Lists the texts in a value, and the parts of them in quotes. */
function listTexts(value: unknown): string[] {
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(listTexts);
  const text = String(value ?? '');
  return [text, ...[...text.matchAll(/"([^"]+)"|'([^']+)'|`([^`]+)`/g)].flatMap((found) => found.slice(1))];
}

function readRowError(value: unknown): RowError | undefined {
  if (!isObject(value)) return undefined;
  const { row: number, row_number: otherNumber, message = value.msg, ...others } = value;
  const { error = message, errors = error } = others;
  const row = parseCount(number ?? otherNumber);
  if (row === undefined) return undefined;
  return { row, reason: formatRowReason(errors), texts: new Set(listTexts([message, others])) };
}

/** Finds the list of refused rows in an entry. The spec defines only their number. */
function findRowErrors(entry: JobEntry): RowError[] {
  const lists = Object.values(entry).filter(Array.isArray);
  return lists
    .map((list) => list.flatMap((value) => readRowError(value) ?? []))
    .reduce((longest, list) => (list.length > longest.length ? list : longest), []);
}

/** Whether a description has a value of the row. The names of the columns are the same for all rows. */
const showsRow = ({ texts }: RowError, cells: Cells | undefined): boolean =>
  [...(cells ?? [])].some(([, text]) => text !== '' && !cells?.has(text) && texts.has(text));

/**
 * Numbers that the row of the first item may have: from 0, from 1, or by the lines of the file, whose first one holds
 * the column names. The spec does not say how rows are counted.
 */
const FIRST_ROWS = [0, 1, 2];

/**
 * Finds the only numbering under which each refused row belongs to the file, or under which alone each description has
 * a value of its row. A guess would report a refused item as imported.
 */
function findFirstRow(errors: RowError[], rows: Cells[], refused: number): number | undefined {
  if (errors.length !== refused || new Set(errors.map(({ row }) => row)).size !== refused) return undefined;
  const possible = FIRST_ROWS.filter((first) => errors.every(({ row }) => rows[row - first] !== undefined));
  if (possible.length === 1) return possible[0];
  const countShown = (first: number) =>
    errors.filter((error) => showsRow(error, rows[error.row - first])).length;
  const [found, ...others] = possible.filter((first) => countShown(first) > 0);
  return found !== undefined && others.length === 0 && countShown(found) === refused ? found : undefined;
}

/**
 * Accounts for every row of an upload by the counts of its final entry (spec: Import queue entry). A service may
 * count refused rows as processed or not.
 * @param rows the rows of the file
 * @throws ApiError when the counts do not cover every row
 */
export function accountForRows(entry: JobEntry, rows: Cells[], queueId: string): RowAccount {
  const [total, processed, refused] = [entry.total_rows, entry.processed_rows, entry.error_rows].map(
    parseCount,
  );
  if (total === undefined || processed === undefined || refused === undefined) {
    throw createCountError(
      'The import ended, and the service does not show how many rows it imported',
      queueId,
    );
  }
  if (total !== rows.length) {
    throw createCountError(`The service counted ${total} rows in an upload of ${rows.length}`, queueId);
  }
  if (processed < total && processed + refused < total) {
    throw createCountError(
      `The import ended after ${processed} of ${total} rows (status "${String(entry.status ?? 'not shown')}")`,
      queueId,
    );
  }
  const rowErrors = refused > 0 ? findRowErrors(entry) : [];
  return { imported: total - refused, refused, rowErrors, firstRow: findFirstRow(rowErrors, rows, refused) };
}
