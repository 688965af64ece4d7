import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { formatCsvLine } from '../../../../nodes/RecordDatabaseImportExport/resources/importItems';

const cell = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: fc.constantFrom('"', ',', '\r', '\n', ' ', '\t', ';', 'a', "'", '\uFEFF', '=') }),
);

/** Tables with at least one column whose rows have equal lengths. */
const table = fc
  .integer({ min: 1, max: 5 })
  .chain((width) =>
    fc.array(fc.array(cell, { minLength: width, maxLength: width }), { minLength: 1, maxLength: 8 }),
  );

test('a CSV parser reads every cell as it was', () => {
  fc.assert(
    fc.property(table, (rows) => {
      const csv = rows.map(formatCsvLine).join('');
      // The parser of a user ends a row at any line end outside quotes.
      const options = { bom: true, skip_empty_lines: true, record_delimiter: ['\r\n', '\n', '\r'] };
      expect(parse(csv, options)).toEqual(rows);
    }),
    { numRuns: 500 },
  );
});

test.each(['a\rb', '\r', 'a\nb', 'a\r\nb'])('a line end in a cell does not end the row: %j', (text) => {
  expect(formatCsvLine([text, 'c'])).toBe(`"${text}",c\r\n`);
});

test('cells without special characters have no quotes', () => {
  expect(formatCsvLine(['a', 'b c', "d'e", '1.5', ''])).toBe("a,b c,d'e,1.5,\r\n");
  expect(formatCsvLine(['a "b"', 'c, d', 'e\nf', ' g', 'h\t'])).toBe(
    '"a ""b""","c, d","e\nf"," g","h\t"\r\n',
  );
});

test('a line with one empty cell is not an empty line', () => {
  expect(formatCsvLine([''])).toBe('""\r\n');
});
