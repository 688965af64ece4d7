import { parseSortJson } from '../../../../nodes/records';

const asc = (field: string) => ({ field, direction: 'asc' });
const desc = (field: string) => ({ field, direction: 'desc' });

test.each<[unknown, unknown[]]>([
  ['', []],
  [null, []],
  ['{"a": "asc", "b": "desc"}', [asc('a'), desc('b')]],
  [{ a: 'asc', b: 'desc' }, [asc('a'), desc('b')]],
  [{ sort: 'asc' }, [asc('sort')]],
])('%j is %j', (input, rules) => {
  expect(parseSortJson(input)).toEqual(rules);
});

test.each<[unknown]>([['price'], ['price desc'], [['price', 'desc']], [[{ price: 'asc' }]], [7]])(
  '%j is refused with an example',
  (input) => {
    expect(() => parseSortJson(input)).toThrow(
      expect.objectContaining({
        message: expect.stringContaining('Sort (JSON) cannot be'),
        description: expect.stringContaining('Nothing was sent. A valid value: {"Status": "asc"'),
      }),
    );
  },
);
