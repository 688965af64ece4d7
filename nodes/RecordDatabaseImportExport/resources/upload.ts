/**
 * One upload of Run With Items: a CSV file, its import, and the count of its rows. `splitUploads` divides the rows into
 * files. `runUpload` imports one file.
 */
import type { IDataObject } from 'n8n-workflow';
import { type Item, mayHaveStarted } from '../../n8n/operation/item';
import { type Failure, type Output, type Result, isFailure } from '../../n8n/operation/operation';
import { accountForRows, ApiError, type EndedRun, FormBody, joinFirst, runToEnd } from '../../service';
import { type Cells, formatCsvLine } from './csv';
import { fileFieldOption, readFormFields } from './importFile';

/** Imports one file. An error of the upload becomes a failure of all its items. */
export async function runUpload(
  item: Item,
  importId: string,
  settings: ImportSettings,
  upload: Upload,
): Promise<Result[]> {
  try {
    // The upload has been imported, so its rows must not be uploaded again.
    const result = toResult(await importUpload(item, importId, settings, upload), settings);
    return [isFailure(result) ? { ...result, isFinal: true } : result];
  } catch (error) {
    return [{ error, itemIndexes: listIndexes(upload.rows), isFinal: mayHaveStarted(error, item) }];
  }
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
  run: EndedRun;
  /** Numbers of rows. */
  account: { imported: number; refused: number };
}

const listIndexes = (rows: ImportRow[]): number[] => rows.map(({ index }) => index);

/** Uploads one file, waits for the end of its import and accounts for its rows. @throws ApiError */
async function importUpload(
  item: Item,
  importId: string,
  { limitSeconds }: ImportSettings,
  { columns, csv, rows }: Upload,
): Promise<EndedUpload> {
  // The counts decide what failed, not the status.
  const wait = { limitSeconds, failsAsError: false, timesOutAsError: true };
  const target = { kind: 'import', id: importId, body: createCsvForm(item, csv) } as const;
  const run = await runToEnd(item.client, target, wait, item.noteStart);
  return { columns, itemIndexes: listIndexes(rows), run, account: accountForRows(run, rows.length) };
}

const toOutput = ({ run, account, itemIndexes }: EndedUpload): Output => ({
  json: {
    _items: account.imported + account.refused,
    _imported: account.imported,
    ...(run.entry as IDataObject),
  },
  itemIndexes,
});

/** The error for an upload of which no row was accepted: its form is more likely wrong than every item. */
const createRefusedUploadFailure = ({ columns, itemIndexes, run }: EndedUpload): Failure => ({
  error: new ApiError({
    message:
      itemIndexes.length === 1
        ? 'The service refused the only row of an upload'
        : `The service refused all ${itemIndexes.length} rows of an upload`,
    description: `No row was imported. Compare the headings of the file (${joinFirst(columns, ', ', 20)}) with the columns that the import template expects, and the choices and dates with a file that it accepts. "Headings" and "Choices" change how the file is written. The queue ID is ${run.id}.`,
    details: { queueId: run.id },
  }),
  itemIndexes,
});

const createUploadFailure = ({ itemIndexes, run, account }: EndedUpload): Failure => ({
  error: new ApiError({
    message: `The service refused ${account.refused} of the ${itemIndexes.length} rows of an upload, and does not show which`,
    description: `The other ${account.imported} rows were imported: do not import all of them again. Check the import in the service (queue ID ${run.id}). For the counts instead of an error, change "If Rows Fail".`,
    details: { queueId: run.id },
  }),
  itemIndexes,
});

function toResult(upload: EndedUpload, { failsForRows }: ImportSettings): Result {
  const { account, itemIndexes } = upload;
  if (account.refused === 0 || !failsForRows) return toOutput(upload);
  // The spec shows how many rows were refused, not which (Import queue entry).
  return account.refused === itemIndexes.length
    ? createRefusedUploadFailure(upload)
    : createUploadFailure(upload);
}
