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
