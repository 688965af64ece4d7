import { accountForRows } from '../../../../nodes/service';

const account = (entry: object) =>
  accountForRows(
    { id: 'Q1', entry: { status: 'Complete', total_rows: 10, processed_rows: 10, error_rows: 0, ...entry } },
    10,
  );

test('all rows imported', () => {
  expect(account({})).toEqual({ imported: 10, refused: 0 });
  expect(account({ total_rows: '10', processed_rows: '10', error_rows: '0' })).toMatchObject({
    imported: 10,
  });
});

test('refused rows count as processed or not', () => {
  expect(account({ error_rows: 3 })).toEqual({ imported: 7, refused: 3 });
  expect(account({ processed_rows: 7, error_rows: 3 })).toEqual({ imported: 7, refused: 3 });
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
