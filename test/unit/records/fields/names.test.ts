import {
  findSimilarNames,
  NameIndex,
  toLooseNameKey,
  toNameKey,
} from '../../../../nodes/records/fields/names';

describe('the nearest names', () => {
  const names = ['status', 'state', 'street', 'zip', 'sum'];
  test.each([
    ['status', ['status', 'state']],
    ['STATUS', ['status', 'state']],
    ['statsu', ['status', 'state']],
    ['stat', ['state', 'status']],
    ['zi', ['zip']],
    ['id', []],
    ['zipp', ['zip']],
    ['zipcodes', []],
    // One letter of three may differ; two letters are no part that says much.
    ['sim', ['sum']],
    ['at', []],
    ['', []],
  ])('of "%s": %j', (word, expected) => {
    expect(findSimilarNames(word, names)).toEqual(expected);
  });

  test('are at most three, and allow more differences for a long word', () => {
    expect(findSimilarNames('aaa', ['aab', 'aac', 'aad', 'aae'])).toEqual(['aab', 'aac', 'aad']);
    expect(findSimilarNames('customer_number', ['customer_nam'])).toEqual(['customer_nam']);
    expect(findSimilarNames('customer_number', ['customer'])).toEqual([]);
  });

  test('have at most 100 characters, and so has the word', () => {
    const [long, longer] = ['a'.repeat(100), 'a'.repeat(101)];
    expect(findSimilarNames(long, [longer, long])).toEqual([long]);
    expect(findSimilarNames(longer, [longer, long])).toEqual([]);
  });
});

test.each([
  ['Credit Limit', 'credit limit'],
  [' A+ ', 'a+'],
  ['<65', '<65'],
  ['-1', '-1'],
  ['!Active', '!active'],
  // Composed and decomposed.
  ['Größe', 'größe'],
  ['Gro\u0308ße', 'größe'],
  // Full width forms stay.
  ['ＡB', 'ａb'],
  ['  ', ''],
])('the key of the name %j is %j', (name, key) => expect(toNameKey(name)).toBe(key));

test.each([
  ['Credit Limit', 'creditlimit'],
  ['creditLimit', 'creditlimit'],
  ['credit-limit', 'creditlimit'],
  [' credit_limit ', 'creditlimit'],
  ['Street 2', 'street2'],
  ['价 格', '价格'],
  ['re\u0301f client', 'réfclient'],
  // Signs that are no separators stay, and so do separators that are not between two word characters.
  ['Price €', 'price €'],
  ['price_€', 'price_€'],
  ['Level -1', 'level -1'],
  ['-1', '-1'],
  ['a - b', 'a - b'],
  ['--', '--'],
  // Two numbers stay two numbers.
  ['Rate 1-5', 'rate1 5'],
  ['rate_1_5', 'rate1 5'],
  ['Rate 15', 'rate15'],
])('the key of the field %j is %j', (name, key) => expect(toLooseNameKey(name)).toBe(key));

test('the key of a long name takes time in proportion to its length', () => {
  // A pattern with nested repetition would not end.
  expect(toLooseNameKey(`a${'-'.repeat(100_000)}!`)).toHaveLength(100_002);
  expect(toLooseNameKey(`a${' '.repeat(100_000)}!`)).toHaveLength(100_002);
});

describe('a candidate', () => {
  const index = new NameIndex(
    [
      { id: 1, names: ['credit_limit', 'Limit'] },
      { id: 2, names: ['total', 'Sum'] },
      { id: 3, names: ['tax', 'SUM'] },
      { id: 4, names: ['Sum '] },
      { id: 5, names: ['--', '--'] },
      { id: 6, names: [' '] },
    ],
    ({ names }) => names,
    toLooseNameKey,
  );
  test.each([
    ['Credit Limit', [1]],
    ['limit', [1]],
    ['TOTAL', [2]],
    ['Tax', [3]],
    // An equal name takes precedence.
    ['Sum', [2]],
    ['SUM', [3]],
    ['sum', [2, 3, 4]],
    ['--', [5]],
    ['taxes', []],
    ['', []],
    [' ', []],
  ])('with the name %j is among the numbers %p', (name, ids) => {
    expect(index.lookUp(name).map(({ id }) => id)).toEqual(ids);
  });
});
