import { range } from 'lodash';
import { accountForRows } from '../../../../nodes/RecordDatabaseImportExport/resources/upload';

/** Ten rows with the texts r0 to r9 in the column `text`. */
const ROWS = range(10).map((index) => new Map([['text', `r${index}`]]));

const account = (entry: object) =>
  accountForRows(
    { status: 'Complete', total_rows: 10, processed_rows: 10, error_rows: 0, ...entry },
    ROWS,
    'Q1',
  );

test('all rows imported', () => {
  expect(account({})).toEqual({ imported: 10, refused: 0, rowErrors: [] });
  expect(account({ total_rows: '10', processed_rows: '10', error_rows: '0' })).toMatchObject({
    imported: 10,
  });
});

test('refused rows count as processed or not', () => {
  expect(account({ error_rows: 3 })).toEqual({ imported: 7, refused: 3, rowErrors: [] });
  expect(account({ processed_rows: 7, error_rows: 3 })).toEqual({ imported: 7, refused: 3, rowErrors: [] });
});

test.each([
  [{ total_rows: 11, processed_rows: 11 }, 10],
  [{ total_rows: 11, processed_rows: 10 }, 10],
  [{ total_rows: 11, processed_rows: 11, error_rows: 3 }, 7],
  [{ total_rows: 11, processed_rows: 8, error_rows: 3 }, 7],
  [{ total_rows: 11, processed_rows: 11, error_rows: 11 }, 0],
])('the line of the column names may count as a row: %j', (entry, imported) => {
  expect(account(entry)).toMatchObject({ imported, refused: 10 - imported });
});

test.each([
  [{ total_rows: 12, processed_rows: 12 }, 'The service counted 12 rows in an upload of 10'],
  [{ total_rows: 11, processed_rows: 9 }, 'The import ended after 9 of 11 rows (status "Complete")'],
  [{ total_rows: 9, processed_rows: 9 }, 'The service counted 9 rows in an upload of 10'],
  [{ processed_rows: 6, error_rows: 3 }, 'The import ended after 6 of 10 rows (status "Complete")'],
  [{ error_rows: undefined }, 'The import ended, and the service does not show how many rows it imported'],
  [{ total_rows: '' }, 'The import ended, and the service does not show how many rows it imported'],
])('counts that do not cover every row: %j', (entry, message) => {
  expect(() => account(entry)).toThrow(message);
});

test.each([
  ['errors', [{ row: 2, message: 'unique' }], [{ row: 2, reason: 'unique' }]],
  [
    'failed',
    [{ row_number: '10', errors: { email: ['required', 'unique'] } }],
    [{ row: 10, reason: 'email: required; unique' }],
  ],
])('a list of refused rows under %s', (key, list, rowErrors) => {
  expect(account({ error_rows: 1, [key]: list })).toMatchObject({ refused: 1, rowErrors });
});

const findFirstRow = (errors: object[], refused = errors.length) =>
  account({ error_rows: refused, errors }).firstRow;

test.each([
  ['0, which no other numbering has', [{ row: 0 }], 0],
  ['11, which only lines of the file have', [{ row: 11 }], 2],
  ['the first and the last number from 1 on', [{ row: 1 }, { row: 10 }], 1],
  ['each row', range(10).map((index) => ({ row: index + 2 })), 2],
  ['a text of the row in its message', [{ row: 3, message: 'text "r2" is taken' }], 1],
  ['the values of the rows', [3, 4].map((row) => ({ row, data: { text: `r${row}` } })), 0],
])('the numbering is known by %s', (_, errors, firstRow) => {
  expect(findFirstRow(errors)).toBe(firstRow);
});

test.each([
  ['several numberings fit', [{ row: 3, message: 'unique' }]],
  ['no numbering fits', [{ row: 12 }]],
  ['the numbers have gaps that no numbering covers', [{ row: 0 }, { row: 11 }]],
  ['a row is named twice', [{ row: 11 }, { row: 11 }]],
  [
    'only one of two messages has a text of its row',
    [
      { row: 3, message: '"r2"' },
      { row: 5, message: 'unique' },
    ],
  ],
  [
    'the messages have texts of different numberings',
    [
      { row: 3, message: '"r2"' },
      { row: 5, message: '"r5"' },
    ],
  ],
  ['the message has the name of a field', [{ row: 3, field: 'text', message: 'unique' }]],
])('the numbering is not known if %s', (_, errors) => {
  expect(findFirstRow(errors)).toBeUndefined();
});

test('the numbering is not known if the list has other rows than counted', () => {
  expect(findFirstRow([{ row: 0 }, { row: 1 }], 1)).toBeUndefined();
  expect(findFirstRow([{ row: 0 }], 2)).toBeUndefined();
});

test('a list without numbers of rows is no list of refused rows', () => {
  expect(account({ error_rows: 1, errors: ['a reason'] })).toEqual({
    imported: 9,
    refused: 1,
    rowErrors: [],
  });
});
