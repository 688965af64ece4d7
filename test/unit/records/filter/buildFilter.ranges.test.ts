import { Table } from '../../../../nodes/records';
import { buildFilter } from '../../../../nodes/records/filter/buildFilter';
import { parseField } from '../fields/fieldTools';

/** Errors of ranges. `build.test.ts` tests the groups that operators become. */

const context = { timeZone: 'UTC', now: new Date('2025-06-15T12:00:00Z'), hasUserLogin: false };
const between = (type: string, from: unknown, to: unknown) => {
  const table = new Table('t', [parseField({ slug: 'price', name: 'Price', type })]);
  const condition = { field: 'price', operator: 'between', value: { from, to } };
  return buildFilter({ match: 'all', conditions: [condition], groups: [] }, table, context);
};

const MISSING =
  'Nothing was sent. Give both ends, in JSON as [5, 10]. An expression may have returned nothing.';
const SWAP = 'From is above To: swap the two values.';
test.each<[string, unknown, unknown, string, string]>([
  ['Number', 6, 5, 'Filter: "Price" between 6 and 5 matches no record', SWAP],
  ['Number', '10', '9', 'Filter: "Price" between 10 and 9 matches no record', SWAP],
  [
    'Date',
    '2025-02-01',
    '2025-01-31',
    'Filter: "Price" between "2025-02-01" and "2025-01-31" matches no record',
    SWAP,
  ],
  ['Number', '', 5, 'Filter: "Price" needs a From value for the operator "between"', MISSING],
  ['Number', 5, null, 'Filter: "Price" needs a To value for the operator "between"', MISSING],
])('%s between %j and %j', (type, from, to, message, description) => {
  expect(() => between(type, from, to)).toThrow(expect.objectContaining({ message, description }));
});

test('a range may be one value', () => {
  expect(between('Number', '9', 9).child[0]).toEqual({
    condition: 'AND',
    items: [
      { field_id: 'price', operator: 'higher than or equal to', val: 9 },
      { field_id: 'price', operator: 'lower than or equal to', val: 9 },
    ],
    child: [],
  });
});
