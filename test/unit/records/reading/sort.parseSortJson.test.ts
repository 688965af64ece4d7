import { parseSortJson } from '../../../../nodes/records';

const asc = (field: string) => ({ field, direction: 'asc' });
const desc = (field: string) => ({ field, direction: 'desc' });

test.each<[unknown, unknown[]]>([
  ['', []],
  [null, []],
  ['{"a": "asc", "b": "desc"}', [asc('a'), desc('b')]],
  [{ a: 'asc', b: 'desc' }, [asc('a'), desc('b')]],
  [
    [{ a: 'asc' }, { b: 'desc' }],
    [asc('a'), desc('b')],
  ],
  [[{ sort: 'a', by: 'desc' }], [desc('a')]],
  [{ sort: 'asc' }, [asc('sort')]],
  [{ a: ' Descending ' }, [{ field: 'a', direction: ' Descending ' }]],
])('%j is %j', (input, rules) => {
  expect(parseSortJson(input)).toEqual(rules);
});

const MANY = Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`f${n}`, 'asc']));

test.each<[unknown, string | undefined]>([
  ['price', '{"price":"asc"}'],
  ['-price', '{"price":"desc"}'],
  ['price desc, name', '{"price":"desc","name":"asc"}'],
  [['price', -1], '{"price":"desc"}'],
  [['price', 1], '{"price":"asc"}'],
  [['price', 'desc'], '{"price":"desc"}'],
  [['price', 'name'], '{"price":"asc","name":"asc"}'],
  [['price', 'desc', 'name'], undefined],
  [['price', 2], undefined],
  [[1, 'asc'], undefined],
  ['desc', undefined],
  ['price, a name with words', '{"price":"asc","a name with words":"asc"}'],
  ['price,', undefined],
  [{ sort: 7, by: 'asc' }, undefined],
  [{ price: ['asc'] }, '{"price":"asc"}'],
  ['[["price", "desc"]]', '{"price":"desc"}'],
  ['{"price": -1}', '{"price":"desc"}'],
  [[[[[[['price']]]]]], undefined],
  [{ orderBy: { orderBy: { orderBy: { orderBy: { orderBy: 'price' } } } } }, undefined],
  [{ field: 'price' }, '{"price":"asc"}'],
  [{ orderBy: 'price', limit: 5 }, undefined],
  [{ orderBy: 'desc', nulls: 1 }, '{"orderBy":"desc","nulls":"asc"}'],
  [[{ a: 'asc' }, { b: 'sideways' }], undefined],
  [{ price: 1 }, '{"price":"asc"}'],
  [{ price: { order: 'desc' } }, '{"price":"desc"}'],
  [{ field: 'price', direction: 'DESC' }, '{"price":"desc"}'],
  [{ orderBy: [{ price: 'desc' }] }, '{"price":"desc"}'],
  [{ sort: 'price', by: 'downwards' }, undefined],
  [{ sort: 'price', by: 'asc', nulls: 'last' }, '{"price":"asc"}'],
  [[{ a: 'asc', b: 'desc' }], '{"a":"asc","b":"desc"}'],
  [{ a: 'sideways' }, undefined],
  [7, undefined],
  ['x'.repeat(600), undefined],
])('%j is refused, and the error shows %p', (input, suggestion) => {
  const words = suggestion === undefined ? '' : `Write: ${suggestion}. `;
  expect(() => parseSortJson(input)).toThrow(
    expect.objectContaining({
      message: expect.stringMatching(/^Sort \(JSON\) cannot be/),
      description: expect.stringContaining(`Nothing was sent. ${words}A valid value`),
    }),
  );
});

test('more than 20 rules are refused', () => {
  expect(() => parseSortJson(MANY)).toThrow('Sort (JSON) cannot be');
  const { f0, ...others } = MANY;
  expect(f0).toBe('asc');
  expect(parseSortJson(others)).toHaveLength(20);
});
