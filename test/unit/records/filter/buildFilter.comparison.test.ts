import { Table } from '../../../../nodes/records';
import { parseRangeEnds, resolveCondition } from '../../../../nodes/records/filter/buildFilter';
import { parseField } from '../fields/fieldTools';

/** Resolves a condition on a field of the type. */
function resolve(type: string, operator: string, given: unknown) {
  const table = new Table('t', [parseField({ slug: 's', name: 'S', type })]);
  const condition = { field: 's', operator, value: given };
  const { operator: found, value } = resolveCondition(condition, table, { hasUserLogin: true });
  return { operator: found.name, value };
}

test.each<[string, string, unknown, object]>([
  ['Text', '=', 'a', { operator: 'is', value: 'a' }],
  ['Text', ' $eq ', false, { operator: 'is', value: false }],
  ['Text', 'isExact', 'a', { operator: 'is exact', value: 'a' }],
  ['Text', 'IS_NOT_EXACT', 'a', { operator: 'is not exact', value: 'a' }],
  ['Text', 'STARTS_WITH', 'a', { operator: 'starts with', value: 'a' }],
  ['Text', 'is_blank', undefined, { operator: 'is blank', value: undefined }],
  ['Text', 'not_blank', undefined, { operator: 'is not blank', value: undefined }],
  ['Text', '!=', 'a', { operator: 'is not', value: 'a' }],
  ['Number', '>', 1, { operator: 'higher than', value: 1 }],
  ['Date', '$lte', '2025-01-01', { operator: 'is on or before', value: '2025-01-01' }],
  ['Text', 'is', 'today', { operator: 'is', value: 'today' }],
  ['Time', 'is', 'tomorrow', { operator: 'is', value: 'tomorrow' }],
  ['Decision Box', '=', true, { operator: 'is checked' }],
  ['Decision Box', '$ne', 'yes', { operator: 'is unchecked' }],
  ['Decision Box', 'is', true, { operator: 'is checked' }],
  ['Decision Box', 'is', 'false', { operator: 'is unchecked' }],
  ['Decision Box', 'is not', true, { operator: 'is unchecked' }],
  ['File', 'is', 'Filled', { operator: 'is not blank' }],
  ['File', '!=', 'filled', { operator: 'is blank' }],
  ['Date', 'is', 'today', { operator: 'is within', value: { period: 'today' } }],
  [
    'Date',
    'is',
    ' Last 7 Days ',
    { operator: 'is within', value: { period: 'last', amount: '7', unit: 'day' } },
  ],
  [
    'Date',
    'is',
    'next month',
    { operator: 'is within', value: { period: 'next', amount: '1', unit: 'month' } },
  ],
  [
    'Date',
    'is within',
    'last  14  weeks',
    { operator: 'is within', value: { period: 'last', amount: '14', unit: 'week' } },
  ],
  ['Date', '=', 'tomorrow', { operator: 'is within', value: { period: 'tomorrow' } }],
  ['Date', 'is', 'today at noon', { operator: 'is', value: 'today at noon' }],
  ['Date', 'is', 'not today', { operator: 'is', value: 'not today' }],
  ['Date', 'is', 'the last week', { operator: 'is', value: 'the last week' }],
  ['Date', 'is', 'last weekend', { operator: 'is', value: 'last weekend' }],
  ['Date', 'is', 'last two days', { operator: 'is', value: 'last two days' }],
  ['Date', 'is', 'last 2days', { operator: 'is', value: 'last 2days' }],
  ['Date', 'is', 20250101, { operator: 'is', value: 20250101 }],
  ['Date', 'is before', ' Today ', { operator: 'is before today' }],
  ['Date', 'is before', 'yesterday', { operator: 'is before', value: 'yesterday' }],
  ['Date', 'is', '2025-01-01', { operator: 'is', value: '2025-01-01' }],
])('%s: %s %p', (type, operator, value, expected) => {
  expect(resolve(type, operator, value)).toEqual(expected);
});

// No sign is dropped, and no word of another system is guessed.
test.each([
  ['Text', '!'],
  ['Text', '=!'],
  ['Text', '=='],
  ['Text', '$is'],
  ['Text', '!is'],
  ['Text', 'equals'],
  ['Number', 'gt'],
  ['Text', 'like'],
  ['Number', 'contains'],
  ['Text', ''],
])('%s has no operator "%s"', (type, operator) => {
  expect(() => resolve(type, operator, 'a')).toThrow(`"S" has no operator "${operator}"`);
});

test.each<[unknown, object]>([
  ['5,10', { from: '5', to: '10' }],
  ['5 and 10', { from: '5 and 10' }],
  [5, { from: 5 }],
  ['5', { from: '5' }],
  ['1, 2, 3', {}],
  [[5, 10], { from: 5, to: 10 }],
  [[5], {}],
  [
    { from: 5, to: 10 },
    { from: 5, to: 10 },
  ],
  [undefined, { from: undefined }],
  [null, { from: null }],
])('the range %p', (value, expected) => {
  expect(parseRangeEnds(value)).toEqual(expected);
});
