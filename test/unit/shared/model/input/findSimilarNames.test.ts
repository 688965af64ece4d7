import {
  findBySpelling,
  findSimilarNames,
  toNameKey,
} from '../../../../../nodes/shared/model/input/findSimilarNames';

describe('the nearest names', () => {
  const names = ['status', 'state', 'street', 'zip', 'sum'];
  test.each([
    ['status', ['status', 'state']],
    ['STATUS', ['status', 'state']],
    ['statsu', ['status', 'state']],
    ['stat', ['state', 'status']],
    ['zi', ['zip']],
    ['zipp', ['zip']],
    ['zipcodes', []],
    ['', ['zip', 'sum', 'state']],
  ])('of "%s": %j', (word, expected) => {
    // An empty word is part of every name, so the shortest names are the nearest.
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
  ['Credit Limit', 'creditlimit'],
  ['creditLimit', 'creditlimit'],
  ['credit-limit', 'creditlimit'],
  [' credit_limit: 2 ', 'creditlimit2'],
  ['Größe', 'größe'],
  ['价格', '价格'],
  ['-- ', ''],
])('the spelling key of %j is %j', (name, key) => expect(toNameKey(name)).toBe(key));

describe('a candidate', () => {
  const candidates = [
    { id: 1, names: ['credit_limit', 'Limit'] },
    { id: 2, names: ['total', 'Sum'] },
    { id: 3, names: ['tax', 'SUM'] },
    { id: 4, names: ['--'] },
  ];
  test.each([
    ['Credit Limit', 1],
    ['limit', 1],
    ['TOTAL', 2],
    ['Tax', 3],
    // Two candidates have this name.
    ['sum', undefined],
    ['taxes', undefined],
    // A name without letters and digits has no other spelling.
    ['--', undefined],
    ['', undefined],
  ])('named %j is number %p', (name, id) => {
    expect(findBySpelling(name, candidates, ({ names }) => names)?.id).toBe(id);
  });
});
