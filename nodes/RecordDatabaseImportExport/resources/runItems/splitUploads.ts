import { formatCsvLine } from '../../../shared/model/csv/formatCsv';
import type { Cells } from '../../../shared/model/csv/readCells';
import { InputError } from '../../../shared/model/input/inputError';

/** An item as a row of a CSV file. */
export interface ImportRow {
  /** Index of the input item. */
  index: number;
  cells: Cells;
}

/** A CSV file with a line of column names, and its rows. */
export interface Upload {
  csv: string;
  rows: ImportRow[];
}

/** Bytes of a file after which the next one begins. The service does not show its limit. */
const MAX_UPLOAD_BYTES = 8_000_000;

/** Lists the columns of a picked name: the column itself, or the parts of an object, such as `name[first_name]`. */
function expandName(name: string, columns: string[]): string[] {
  if (columns.includes(name)) return [name];
  return columns.filter((column) => column.startsWith(`${name}[`) || column.startsWith(`${name}__`));
}

/**
 * Lists the columns of the file: all keys in the order in which the items have them, or the picked ones in their
 * order.
 * @throws InputError when no item has a picked column, or the items have no keys
 */
export function findColumns(rows: ImportRow[], picked: string[]): string[] {
  const columns = [...new Set(rows.flatMap(({ cells }) => [...cells.keys()]))];
  if (picked.length === 0 && columns.length === 0) {
    throw new InputError('The items have no values to import', 'Nothing was uploaded. Give the items keys.');
  }
  return picked.length === 0
    ? columns
    : picked.flatMap((name) => {
        const found = expandName(name, columns);
        if (found.length > 0) return found;
        throw new InputError(
          `Columns: no item has "${name}"`,
          `Nothing was uploaded. The items have: ${columns.slice(0, 20).join(', ')}.`,
        );
      });
}

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
      yield { csv: lines.join(''), rows: fileRows };
      [lines, bytes, fileRows] = [[header], headerBytes, []];
    }
    lines.push(line);
    bytes += lineBytes;
    fileRows.push(row);
  }
  if (fileRows.length > 0) yield { csv: lines.join(''), rows: fileRows };
}
