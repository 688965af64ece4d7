import { listColumns, splitUploads } from '../../../../nodes/RecordDatabaseImportExport/resources/upload';

const createRow = (index: number, cells: Record<string, string>) => ({
  index,
  cells: new Map(Object.entries(cells)),
});

const rows = [
  createRow(0, { company: 'Mill', 'name[first_name]': 'Ada', 'name[last_name]': 'Byron' }),
  createRow(1, { term__start: '2025-01-01', company: 'Dam', term__end: '2025-01-02', nickname: 'D' }),
];

test('all keys are columns, in the order in which the rows have them', () => {
  expect(listColumns(rows)).toEqual([
    'company',
    'name[first_name]',
    'name[last_name]',
    'term__start',
    'term__end',
    'nickname',
  ]);
});

test('each file begins with the column names and holds at most the given number of rows', () => {
  const many = ['1', '2', '3', '4', '5'].map((a, index) => createRow(index + 10, { a }));
  const columns = ['a', 'b'];
  expect([...splitUploads(columns, many, 2)]).toEqual([
    { columns, csv: 'a,b\r\n1,\r\n2,\r\n', rows: many.slice(0, 2) },
    { columns, csv: 'a,b\r\n3,\r\n4,\r\n', rows: many.slice(2, 4) },
    { columns, csv: 'a,b\r\n5,\r\n', rows: many.slice(4) },
  ]);
});

test('without rows there is no file', () => {
  expect([...splitUploads(['a'], [], 2)]).toEqual([]);
});

/** The indexes of the items in each file. */
const split = (texts: string[]) => {
  const files = splitUploads(
    ['a'],
    texts.map((a, index) => createRow(index, { a })),
    100,
  );
  return [...files].map((file) => file.rows.map(({ index }) => index));
};

// The specification names no limit, so a file is counted as it is sent: in UTF-8.
test.each([
  ['x', 1],
  ['ü', 2],
  ['中', 3],
  ['🙂', 4],
])(
  'two rows of exactly 8,000,000 bytes are one file, and one byte more begins a second: %s',
  (letter, size) => {
    // The line of names is "a", and each line ends with two bytes.
    const half = (8_000_000 - 3 - 2 * 2) / 2;
    const fill = (bytes: number) => letter.repeat(Math.floor(bytes / size)) + 'x'.repeat(bytes % size);
    const [first, second] = [Math.floor(half), Math.ceil(half)].map(fill) as [string, string];
    expect(split([first, second])).toEqual([[0, 1]]);
    expect(split([first, `${second}x`])).toEqual([[0], [1]]);
  },
);

test('a row that is longer than a file is a file of its own', () => {
  expect(split(['1', 'x'.repeat(8_000_001), '2'])).toEqual([[0], [1], [2]]);
});
