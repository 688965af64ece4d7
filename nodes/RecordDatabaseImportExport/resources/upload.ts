import type { IDataObject } from 'n8n-workflow';
import { type Item, mayHaveStarted } from '../../n8n/operation/item';
import { type Failure, type Output, type Result, isFailure } from '../../n8n/operation/operation';
import {
  ApiError,
  FormBody,
  importPlan,
  isObject,
  type JobEntry,
  joinFirst,
  parseCount,
  startImport,
  waitForCompletion,
} from '../../service';
import { type Cells, formatCsvLine } from './csv';
import { fileFieldOption, readFormFields } from './importFile';

/** A refused row as the service describes it. */
interface RowError {
  /** The number that the service gives the row. */
  row: number;
  reason: string;
  /** The texts of the description: its values, and what its messages put into quotes. */
  texts: Set<string>;
}

interface RowAccount {
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
 * Open point: `importParts`.
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
  // The spec does not say whether the line of the column names counts as a row. Open point: `importParts`.
  if (total !== rows.length && total !== rows.length + 1) {
    throw createCountError(`The service counted ${total} rows in an upload of ${rows.length}`, queueId);
  }
  if (processed + refused < rows.length) {
    throw createCountError(
      `The import ended after ${processed} of ${total} rows (status "${String(entry.status ?? 'not shown')}")`,
      queueId,
    );
  }
  const rowErrors = refused > 0 ? findRowErrors(entry) : [];
  const refusedRows = Math.min(refused, rows.length);
  return {
    imported: rows.length - refusedRows,
    refused: refusedRows,
    rowErrors,
    firstRow: findFirstRow(rowErrors, rows, refused),
  };
}

/** An item as a row of a CSV file. */
export interface ImportRow {
  /** Index of the input item. */
  index: number;
  cells: Cells;
  /** Creates the connected records that are missing, and returns the cells with their IDs. */
  complete?: () => Promise<Cells>;
}

/** A CSV file with a line of column names, and its rows. */
interface Upload {
  columns: string[];
  csv: string;
  rows: ImportRow[];
}

/** Bytes of a file after which the next one begins. The service does not show its limit. */
const MAX_UPLOAD_BYTES = 8_000_000;

/** Lists the columns of the file: those of all rows, in the order in which the rows have them. */
export const listColumns = (rows: ImportRow[]): string[] => [
  ...new Set(rows.flatMap(({ cells }) => [...cells.keys()])),
];

/** Writes the rows to files of at most `maxRows` rows, one file at a time. */
export function* splitUploads(columns: string[], rows: ImportRow[], maxRows: number): Generator<Upload> {
  const header = formatCsvLine(columns);
  const headerBytes = Buffer.byteLength(header);
  let lines = [header];
  let bytes = headerBytes;
  let fileRows: ImportRow[] = [];
  for (const row of rows) {
    const line = formatCsvLine(columns.map((column) => row.cells.get(column) ?? ''));
    const lineBytes = Buffer.byteLength(line);
    const isFull = fileRows.length >= maxRows || bytes + lineBytes > MAX_UPLOAD_BYTES;
    if (isFull && fileRows.length > 0) {
      yield { columns, csv: lines.join(''), rows: fileRows };
      [lines, bytes, fileRows] = [[header], headerBytes, []];
    }
    lines.push(line);
    bytes += lineBytes;
    fileRows.push(row);
  }
  if (fileRows.length > 0) yield { columns, csv: lines.join(''), rows: fileRows };
}

/** How items are imported. The values apply to all items. */
export interface ImportSettings {
  rowsPerUpload: number;
  /** Seconds to wait for the end of one upload. */
  limitSeconds: number;
  /** Whether a refused row is an error. */
  failsForRows: boolean;
}

/** Creates the form of an upload with a CSV file. */
function createCsvForm(item: Item, csv: string): FormBody {
  const field = item.readOption(fileFieldOption) || fileFieldOption.default;
  const file = { fileName: 'items.csv', mimeType: 'text/csv', data: Buffer.from(csv) };
  return new FormBody([...readFormFields(item), [field, file]]);
}

interface EndedUpload {
  columns: string[];
  /** The input items of the rows. */
  itemIndexes: number[];
  entry: JobEntry;
  queueId: string;
  account: RowAccount;
}

const listIndexes = (rows: ImportRow[]): number[] => rows.map(({ index }) => index);

/** Uploads one file, waits for the end of its import and accounts for its rows. @throws ApiError */
async function importUpload(
  item: Item,
  importId: string,
  { limitSeconds }: ImportSettings,
  { columns, csv, rows }: Upload,
): Promise<EndedUpload> {
  const job = await startImport(item.client, importId, createCsvForm(item, csv), item.noteStart);
  // The counts decide what failed, not the status.
  const wait = { limitSeconds, failsAsError: false, timesOutAsError: true };
  const entry = await waitForCompletion(item.client, importPlan, wait, job);
  const cells = rows.map((row) => row.cells);
  const account = accountForRows(entry, cells, job.id);
  return { columns, itemIndexes: listIndexes(rows), entry, queueId: job.id, account };
}

const toOutput = ({ entry, account }: EndedUpload, itemIndexes: number[]): Output => ({
  json: {
    ...(entry as IDataObject),
    _items: account.imported + account.refused,
    _imported: account.imported,
  },
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

/** The error for an upload of which no row was accepted: its form is more likely wrong than every item. */
const createRefusedUploadFailure = ({ columns, itemIndexes, queueId, account }: EndedUpload): Failure => ({
  error: new ApiError({
    message:
      itemIndexes.length === 1
        ? 'The service refused the only row of an upload'
        : `The service refused all ${itemIndexes.length} rows of an upload`,
    description: `${formatRowErrors(account.rowErrors)}No row was imported. Compare the headings of the file (${joinFirst(columns, ', ', 20)}) with the columns that the import template expects, and the choices and dates with a file that it accepts. "Headings" and "Choices" change how the file is written. The queue ID is ${queueId}.`,
    details: { queueId },
  }),
  itemIndexes,
});

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
  if (firstRow === undefined && refused === itemIndexes.length) return [createRefusedUploadFailure(upload)];
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
    return toResults(await importUpload(item, importId, settings, upload), settings).map((result) =>
      isFailure(result) ? { ...result, isFinal: true } : result,
    );
  } catch (error) {
    return [{ error, itemIndexes: listIndexes(upload.rows), isFinal: mayHaveStarted(error, item) }];
  }
}
