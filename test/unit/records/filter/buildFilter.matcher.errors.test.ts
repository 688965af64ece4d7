import { type FilterGroup, Table } from '../../../../nodes/records';
import { buildMatcher } from '../../../../nodes/records/filter/buildFilter';
import { parseField } from '../fields/fieldTools';

/** Filters that the trigger cannot evaluate, and groups without conditions. */

const table = new Table(
  't',
  Object.entries({ label: 'Text', owner: 'User' }).map(([slug, type]) =>
    parseField({ slug, name: slug.toUpperCase(), type }),
  ),
);
const group = (
  condition: 'AND' | 'OR',
  items: FilterGroup['items'],
  ...child: FilterGroup[]
): FilterGroup => ({ condition, items, child });
const build = (filter: FilterGroup) => buildMatcher(filter, table, { timeZone: 'UTC', now: new Date(0) });

test.each([
  ['nosuch', 'is', 'Filter: the table has no field "nosuch"', /^The fields are: LABEL/],
  [
    'owner',
    'is logged in user',
    'Filter: "OWNER" is logged in user cannot be checked here',
    /^Only the service can evaluate it\. Use another condition, or filter with Get Many\.$/,
  ],
])('%s %s: %s', (field_id, operator, message, description) => {
  expect(() => build(group('AND', [{ field_id, operator, val: 'a' }]))).toThrow(
    expect.objectContaining({ message, description: expect.stringMatching(description) as string }),
  );
});

const A = { field_id: 'label', operator: 'is', val: 'a' };

test.each<[string, FilterGroup, string, boolean]>([
  ['a group without conditions excludes nothing', group('AND', [A], group('OR', [])), 'a', true],
  ['a missing value is empty text', group('AND', [{ ...A, val: undefined }]), '', true],
])('%s', (_what, filter, label, expected) => {
  expect(build(filter)({ label })).toBe(expected);
});
