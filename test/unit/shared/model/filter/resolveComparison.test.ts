import { toField } from '../../../../../nodes/shared/model/fields';
import { readRange, resolveComparison } from '../../../../../nodes/shared/model/filter/resolveComparison';
import { fullFieldSchema } from '../../../../../nodes/shared/model/responses/tables';

const createField = (type: string) => toField(fullFieldSchema.parse({ slug: 's', name: 'S', type }));

test.each<[string, string, unknown, object]>([
  ['Text', 'like', '%a%', { operator: 'contains', value: 'a' }],
  ['Text', ' ILIKE ', '%a%', { operator: 'contains', value: 'a' }],
  ['Text', 'not like', '%a%', { operator: 'does not contain', value: 'a' }],
  ['Text', 'like', 'a%', { operator: 'starts with', value: 'a' }],
  ['Text', 'like', '%a', { operator: 'ends with', value: 'a' }],
  ['Text', 'like', 'a', { operator: 'is', value: 'a' }],
  ['Text', 'not like', 'a', { operator: 'is not', value: 'a' }],
  ['Text', 'ilike', 'a', { operator: 'is', value: 'a' }],
  ['Text', 'NOT ILIKE', '%a%', { operator: 'does not contain', value: 'a' }],
  // No operator of the service has the meaning of these.
  ['Text', 'not like', 'a%', { operator: 'not like', value: 'a%' }],
  ['Text', 'not like', '%a', { operator: 'not like', value: '%a' }],
  ['Text', 'like', 'a%b', { operator: 'like', value: 'a%b' }],
  ['Text', 'like', null, { operator: 'like', value: null }],
  ['Text', 'unlike', 'a', { operator: 'unlike', value: 'a' }],
  ['Text', 'likes', 'a', { operator: 'likes', value: 'a' }],
  ['Text', 'equals', 'a', { operator: 'is', value: 'a' }],
  ['Text', 'equals', false, { operator: 'is', value: false }],
  ['Text', 'isExact', 'a', { operator: 'is exact', value: 'a' }],
  ['Text', 'IS_NOT_EXACT', 'a', { operator: 'is not exact', value: 'a' }],
  ['Text', 'STARTS_WITH', 'a', { operator: 'starts with', value: 'a' }],
  ['Text', 'sounds like', 'a', { operator: 'sounds like', value: 'a' }],
  ['Text', 'sounds like', false, { operator: 'sounds like', value: false }],
  ['Text', '', 'a', { operator: '', value: 'a' }],
  ['Text', 'is empty', false, { operator: 'is not blank', value: false }],
  ['Text', 'is empty', 'false', { operator: 'is not blank', value: 'false' }],
  ['Text', 'is empty', true, { operator: 'is blank', value: true }],
  ['Text', 'is empty', undefined, { operator: 'is blank', value: undefined }],
  ['Text', 'exists', false, { operator: 'is blank', value: false }],
  ['Text', 'exists', true, { operator: 'is not blank', value: true }],
  ['Text', 'is', 'today', { operator: 'is', value: 'today' }],
  ['Time', 'is', 'tomorrow', { operator: 'is', value: 'tomorrow' }],
  ['Decision Box', 'checked', false, { operator: 'is unchecked', value: false }],
  ['Decision Box', 'not checked', false, { operator: 'is checked', value: false }],
  ['Decision Box', '=', true, { operator: 'is checked' }],
  ['Decision Box', '$ne', 'yes', { operator: 'is unchecked' }],
  ['Decision Box', 'equals', 'maybe', { operator: 'equals', value: 'maybe' }],
  ['Decision Box', 'is', true, { operator: 'is checked' }],
  ['Decision Box', 'is', 'false', { operator: 'is unchecked' }],
  ['Decision Box', 'is not', true, { operator: 'is unchecked' }],
  ['Decision Box', 'is', '', { operator: 'is', value: '' }],
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
    'past week',
    { operator: 'is within', value: { period: 'last', amount: '1', unit: 'week' } },
  ],
  [
    'Date',
    'is',
    'current year',
    { operator: 'is within', value: { period: 'this', amount: '1', unit: 'year' } },
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
  ['Date', 'equals', 'tomorrow', { operator: 'is within', value: { period: 'tomorrow' } }],
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
  expect(resolveComparison({ operator, value }, createField(type))).toEqual(expected);
});

test.each<[unknown, object]>([
  ['5 and 10', { from: '5', to: '10' }],
  ['5,10', { from: '5', to: '10' }],
  ['5 .. 10', { from: '5', to: '10' }],
  ['5...10', { from: '5', to: '10' }],
  ['5 to 10', { from: '5', to: '10' }],
  ['5 bis 10', { from: '5', to: '10' }],
  ['5', { from: '5' }],
  ['1, 2, 3', { from: '1, 2, 3' }],
  [[5, 10], { from: 5, to: 10 }],
  [[5], {}],
  [
    { from: 5, to: 10 },
    { from: 5, to: 10 },
  ],
  [
    { min: 5, max: 10 },
    { from: 5, to: 10 },
  ],
  [
    { start: 5, end: 10 },
    { from: 5, to: 10 },
  ],
  [undefined, {}],
])('the range %p', (value, expected) => {
  expect(readRange(value)).toEqual(expected);
});
