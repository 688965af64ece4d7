import {
  findColumns,
  splitUploads,
} from '../../../../../nodes/RecordDatabaseImportExport/resources/runItems/splitUploads';
import { InputError } from '../../../../../nodes/shared/model/input/inputError';

const createRow = (index: number, cells: Record<string, string>) => ({
  index,
  cells: new Map(Object.entries(cells)),
});

const rows = [
  createRow(0, { company: 'Mill', 'name[first_name]': 'Ada', 'name[last_name]': 'Byron' }),
  createRow(1, { term__start: '2025-01-01', company: 'Dam', term__end: '2025-01-02', nickname: 'D' }),
];

test('without picked columns, all keys are columns, in the order in which the items have them', () => {
  expect(findColumns(rows, [])).toEqual([
    'company',
    'name[first_name]',
    'name[last_name]',
    'term__start',
    'term__end',
    'nickname',
  ]);
});

test('a picked object stands for its parts, and no other column', () => {
  expect(findColumns(rows, ['term', 'company', 'name'])).toEqual([
    'term__start',
    'term__end',
    'company',
    'name[first_name]',
    'name[last_name]',
  ]);
});

function catchError(run: () => unknown): InputError {
  try {
    run();
  } catch (error) {
    if (error instanceof InputError) return error;
  }
  throw new Error('no InputError');
}

test('a picked column that no item has is an error that lists the first 20 columns', () => {
  const wide = createRow(0, Object.fromEntries(Array.from({ length: 21 }, (_, i) => [`c${i}`, 'x'])));
  const { message, remedy } = catchError(() => findColumns([wide], ['c1', 'start']));
  expect(message).toBe('Columns: no item has "start"');
  expect(remedy).toMatch(/^Nothing was uploaded\. The items have: c0, c1, .*, c19\.$/);
});

test('items without keys are an error, also if columns are picked', () => {
  const { message, remedy } = catchError(() => findColumns([createRow(0, {})], []));
  expect(message).toBe('The items have no values to import');
  expect(remedy).toBe('Nothing was uploaded. Give the items keys.');
  expect(catchError(() => findColumns([createRow(0, {})], ['a'])).message).toBe('Columns: no item has "a"');
});

test('each file begins with the column names and holds at most the given number of rows', () => {
  const many = ['1', '2', '3', '4', '5'].map((a, index) => createRow(index + 10, { a }));
  expect([...splitUploads(['a', 'b'], many, 2)]).toEqual([
    { csv: 'a,b\r\n1,\r\n2,\r\n', itemIndexes: [10, 11] },
    { csv: 'a,b\r\n3,\r\n4,\r\n', itemIndexes: [12, 13] },
    { csv: 'a,b\r\n5,\r\n', itemIndexes: [14] },
  ]);
});

test('without rows there is no file', () => {
  expect([...splitUploads(['a'], [], 2)]).toEqual([]);
});

test.each([
  ['two rows of exactly 8,000,000 characters are one file', 0, [[0, 1]]],
  ['one character more begins a second file', 1, [[0], [1]]],
])('%s', (_, more, expected) => {
  // The line of names is "a", each line ends with two characters.
  const half = (8_000_000 - 3) / 2 - 2;
  const long = [Math.floor(half), Math.ceil(half) + more].map((length, index) =>
    createRow(index, { a: 'x'.repeat(length) }),
  );
  expect([...splitUploads(['a'], long, 100)].map(({ itemIndexes }) => itemIndexes)).toEqual(expected);
});

test('a row that is longer than a file is a file of its own', () => {
  const long = createRow(1, { a: 'x'.repeat(8_000_001) });
  const files = [...splitUploads(['a'], [createRow(0, { a: '1' }), long, createRow(2, { a: '2' })], 100)];
  expect(files.map(({ itemIndexes }) => itemIndexes)).toEqual([[0], [1], [2]]);
});
