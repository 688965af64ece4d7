import { buildSortBy, parseSortJson } from '../../../../nodes/n8n/filter/sortForm';
import { Table } from '../../../../nodes/records';
import { parseField } from '../../records/fields/fieldTools';

const createField = (slug: string, type: string) => parseField({ slug, name: slug, type });
const table = new Table('t1', [
  createField('page', 'Number'),
  createField('company', 'Text'),
  createField('who', 'Name'),
]);

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

test('sorting and columns name what the table has', () => {
  expect(
    buildSortBy(
      [
        { field: 'page', direction: 'desc' },
        { field: 'company', direction: 'asc' },
      ],
      table,
    ),
  ).toEqual([
    { sort: 'page', by: 'desc' },
    { sort: 'company', by: 'asc' },
  ]);
  expect(() => buildSortBy([{ field: 'page', direction: 'up' }], table)).toThrow(
    expect.objectContaining({
      message: 'Sort: the direction cannot be "up"',
      description: expect.stringContaining('Give one of: asc, desc.'),
    }),
  );
  expect(buildSortBy([{ field: ' page ', direction: 'asc' }], table)).toEqual([{ sort: 'page', by: 'asc' }]);
  for (const field of [undefined, null, ' ']) {
    expect(() => buildSortBy([{ field, direction: 'asc' }], table)).toThrow(
      expect.objectContaining({
        message: 'Sort: a rule has no field',
        description: 'Choose the field, or remove the rule. An expression may have returned nothing.',
      }),
    );
  }
  expect(() => buildSortBy([{ field: 5 as never, direction: 'asc' }], table)).toThrow('no field "5"');
  expect(() => buildSortBy([{ field: 'who-last', direction: 'asc' }], table)).toThrow('no field "who-last"');
  expect(() => buildSortBy([{ field: 'nosuch', direction: 'asc' }], table)).toThrow(
    'Sort: the table has no field',
  );
});

test.each([
  ['asc', 'asc'],
  ['DESC ', 'desc'],
])('the direction %j is %s', (direction, by) => {
  expect(buildSortBy([{ field: 'page', direction }], table)).toEqual([{ sort: 'page', by }]);
});
