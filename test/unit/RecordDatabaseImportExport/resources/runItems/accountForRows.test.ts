import { accountForRows } from '../../../../../nodes/RecordDatabaseImportExport/resources/runItems/accountForRows';

const account = (entry: object) =>
  accountForRows(
    { status: 'Complete', total_rows: 10, processed_rows: 10, error_rows: 0, ...entry },
    10,
    'Q1',
  );

test('all rows imported', () => {
  expect(account({})).toEqual({ imported: 10, refused: 0, rowErrors: [] });
  expect(account({ total_rows: '10', processed_rows: '10', error_rows: '0' })).toMatchObject({
    imported: 10,
  });
});

test('refused rows count as processed or not', () => {
  expect(account({ error_rows: 3 })).toEqual({ imported: 7, refused: 3 });
  expect(account({ processed_rows: 7, error_rows: 3 })).toEqual({ imported: 7, refused: 3 });
});

test.each([
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

test.each([
  ['other rows than counted', [{ row: 1 }, { row: 2 }]],
  ['rows that the file does not have', [{ row: 11 }]],
  ['no rows', ['a reason']],
])('a list with %s shows no refused rows', (_, errors) => {
  expect(account({ error_rows: 1, errors })).toEqual({ imported: 9, refused: 1 });
});
