/** The lines and cells of the CSV file that an import of items uploads (RFC 4180). */
import { toDayOrMoment } from '../../records';
import { formatForError, InputError, isObject } from '../../service';

/** Characters for which a cell needs quotes (RFC 4180). Spaces at the ends are quoted so that no reader trims them. */
const NEEDS_QUOTES = /[",\r\n]|^\s|\s$/;

const formatCell = (text: string): string =>
  NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;

/**
 * Formats one line of a CSV file with its line end (RFC 4180): `a,"b, c"\r\n`. A line that holds one empty cell is
 * `""`, because readers skip an empty line.
 */
export function formatCsvLine(cells: string[]): string {
  const line = cells.map(formatCell).join(',');
  return `${line === '' ? '""' : line}\r\n`;
}

export interface CellNotation {
  /** IANA name of the zone in which dates are written. */
  timeZone: string;
  /** Separates the entries of a list in one cell. */
  listSeparator: string;
}

/** The cells of one row by column name. */
export type Cells = Map<string, string>;

/** Whether a value is a JS or a Luxon date. */
const isDate = (value: unknown): value is { toJSON(): unknown } =>
  isObject(value) && typeof value.toJSON === 'function';

/**
 * Formats a date as `2025-03-31 08:00:00` (spec: Date-Time), and midnight in its own offset as `2025-03-31`. Text is
 * unchanged. @throws InputError for a value without a notation in a cell
 */
function formatScalar(column: string, value: unknown, notation: CellNotation): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return value ? '1' : '0';
  // A larger number was probably rounded when its JSON was read, as NaN is no number at all.
  if (typeof value === 'number' && Math.abs(value) <= Number.MAX_SAFE_INTEGER) return String(value);
  const date = isDate(value) ? toDayOrMoment(value.toJSON(), notation.timeZone) : undefined;
  if (date !== undefined) return date;
  throw new InputError(
    `"${column}": a CSV cell cannot hold ${formatForError(value)}`,
    'The item was not uploaded. Give text, a number of at most 15 digits, a date, true or false, or a list of these. Give a longer number as text.',
  );
}

/**
 * Formats the entries of a list as one cell: `a,b`.
 * @throws InputError for an entry that contains the separator: it would be read as two entries
 */
export function formatCellList(
  column: string,
  texts: string[],
  { listSeparator }: Pick<CellNotation, 'listSeparator'>,
): string {
  const broken = texts.find((text) => text.includes(listSeparator));
  if (broken === undefined) return texts.join(listSeparator);
  throw new InputError(
    `"${column}": the entry ${formatForError(broken)} contains the list separator "${listSeparator}"`,
    'The item was not uploaded. Choose another "List Separator" in the options.',
  );
}

/**
 * Returns the column of one part of an object, as in a payload (spec: Field-type value formats):
 * `name[first_name]`, and `term__start` or `term__end` for a Calendar.
 */
function formatPartColumn(column: string, part: string, parts: string[]): string {
  const isCalendar = parts.every((one) => one === 'start' || one === 'end');
  return isCalendar ? `${column}__${part}` : `${column}[${part}]`;
}

function listValues([column, value]: [string, unknown]): Array<[column: string, value: unknown]> {
  if (!isObject(value) || isDate(value)) return [[column, value]];
  const parts = Object.keys(value);
  return parts.map((part) => [formatPartColumn(column, part, parts), value[part]]);
}

/**
 * Converts the keys of an item to the cells of a CSV row. An object becomes one cell for each part, a list one cell
 * with all its entries: `{ name: { first_name: 'Ada' }, tags: ['a', 'b'], vip: true }` becomes
 * `name[first_name]: Ada`, `tags: a,b`, `vip: 1`.
 * @throws InputError for a value without a notation, or two values for one column
 */
export function readCells(json: Record<string, unknown>, notation: CellNotation): Cells {
  const cells: Cells = new Map();
  for (const [column, value] of Object.entries(json).flatMap(listValues)) {
    if (cells.has(column)) {
      throw new InputError(
        `Two values of the item belong to the column "${column}"`,
        'The item was not uploaded. Remove one of them.',
      );
    }
    const text = Array.isArray(value)
      ? formatCellList(
          column,
          value.map((entry) => formatScalar(column, entry, notation)),
          notation,
        )
      : formatScalar(column, value, notation);
    cells.set(column, text);
  }
  return cells;
}
