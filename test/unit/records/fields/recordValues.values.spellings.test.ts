import { encodeRecordValues, Table } from '../../../../nodes/records';
import { encodeValue, areEqual, isEmptyFor } from '../../../../nodes/records/fields/recordValues';
import { buildFilter, buildMatcher } from '../../../../nodes/records/filter/buildFilter';
import { parseField } from './fieldTools';

/** Every notation of a value that a write accepts is read, compared and filtered with the same result. */

const options = [{ label: 'Red', value: 'r' }, { label: 'Blue, dark', value: 'b' }]; // prettier-ignore
const createField = (type: string, slug = 'f') =>
  parseField({ slug, name: 'Label', type, options, join: { join_type: '1-to-N' } });
const SLUGS = ['f', 'constructor', '__proto__', 'prototype', 'page', 'a|b', '😀', 'x'.repeat(10_000)];
const context = { timeZone: 'America/New_York', now: new Date('2025-06-15T12:00:00Z'), hasUserLogin: false };

const SPELLINGS: Array<[type: string, filter: [operator: string, value?: unknown], values: unknown[]]> = [
  ['Text', ['is exact', '5'], [5, '5']],
  ['Email', ['is', 'a@b'], ['a@b']],
  ['Number', ['is', '12.5'], [12.5, '12.5', ' 12.50 ', '+12.5']],
  ['Decision Box', ['is checked'], [1, true, '1', 'Yes', 'checked']],
  ['Date', ['is', '2025-03-31'], ['2025-03-31', '2025-03-31T00:00:00.000Z', '2025-03-31T00:00:00+00:00']],
  ['Date-Time', ['is', '2025-03-31 10:00:00'], ['2025-03-31 10:00:00', '2025-03-31T10:00:00']],
  ['Time', ['is', '09:05'], ['09:05:00', '9:05', '09:05']],
  ['Calendar', ['is', '2025-03-01'], [{ start: '2025-03-01', end: '2025-03-02' }, '{"start": "2025-03-01", "end": "2025-03-02"}']], // prettier-ignore
  ['Name', ['is', 'Ada Byron'], [{ first_name: 'Ada', last_name: 'Byron' }, { last: 'Byron', first: 'Ada' }, '{"first_name": "Ada", "last": "Byron"}']], // prettier-ignore
  ['Address', ['is', 'Leeds'], [{ city: 'Leeds' }, '{"city": "Leeds"}']],
  ['Select', ['is', 'red'], ['r', 'Red', ' RED ']],
  ['Multi-select', ['is', 'Blue, dark'], [['r', 'b'], '["Red", "b"]', 'Red, b']], // prettier-ignore
  ['Checkbox', ['is checked'], [['r'], 'Red', '["r"]']],
  ['Connection', ['is', { id: 'b', val: 'B' }], [['a', 'b'], 'a, b', '["a","b"]', [{ id: 'a', val: 'A' }, { id: 'b' }]]], // prettier-ignore
  ['Rating', ['higher than', '3'], [4, '4']],
];

test.each(SPELLINGS)('%s: all notations are the same value', (type, [operator, wanted], values) => {
  for (const slug of SLUGS) {
    const field = createField(type, slug);
    const table = new Table('t', [field]);
    const [first] = values.map((value) => encodeValue(value, field, context));
    const condition = { field: slug, operator, value: wanted };
    const filter = buildFilter({ match: 'all', conditions: [condition], groups: [] }, table, context);
    const matches = buildMatcher(filter, table, context);
    for (const value of values) {
      const record = Object.fromEntries([[slug, value]]);
      const sent = encodeRecordValues(record, table, context).map(([key, one]) => [key, one]);
      expect(Object.fromEntries(sent)).toEqual(Object.fromEntries(first!));
      expect(matches(record)).toBe(true);
      expect(matches({})).toBe(false);
      expect(areEqual(value, values[0], field)).toBe(true);
      expect(areEqual(value, null, field)).toBe(false);
      expect(isEmptyFor(value, field)).toBe(false);
    }
  }
});

const PART_KEYS = ['f[first_name]', 'f[first]', 'f__first_name', 'f-first'];
test.each(PART_KEYS)('%s names the first name in payloads and filters', (key) => {
  const table = new Table('t', [createField('Name')]);
  expect(encodeRecordValues({ [key]: 'Ada' }, table, context)).toEqual([['f[first_name]', 'Ada']]);
  for (const field of PART_KEYS) {
    const tree = { match: 'all' as const, conditions: [{ field, operator: 'is', value: 'Ada' }], groups: [] };
    const filter = buildFilter(tree, table, context);
    expect(filter.items).toEqual([{ field_id: 'f-first', operator: 'is', val: 'Ada' }]);
    expect(buildMatcher(filter, table, context)({ f: { first_name: 'Ada' } })).toBe(true);
    expect(buildMatcher(filter, table, context)({ f: { [key]: 'Eve' } })).toBe(false);
  }
});

test.each(['America/New_York', 'UTC', 'Asia/Tokyo', 'Europe/London', 'Pacific/Kiritimati'])(
  'in %s, text for midnight UTC is encoded as that day in a date field',
  (timeZone) => {
    const date = createField('Date');
    for (const text of ['2025-03-31T00:00:00.000Z', '2025-03-31T00:00:00Z', '2025-03-31 00:00:00+00']) {
      expect(encodeValue(text, date, { timeZone })).toEqual([['f', '2025-03-31']]);
      const tree = {
        match: 'all' as const,
        conditions: [{ field: 'f', operator: 'is', value: text }],
        groups: [],
      };
      const filter = buildFilter(tree, new Table('t', [date]), { ...context, timeZone });
      expect(filter.items[0]!.val).toBe('2025-03-31');
    }
  },
);

test('0 and unchecked are not empty, and an unreadable value equals itself alone', () => {
  expect(areEqual(0, null, createField('Number'))).toBe(false);
  expect(isEmptyFor(0, createField('Number'))).toBe(false);
  expect(areEqual('$5', '$5', createField('Number'))).toBe(true);
  expect(areEqual('$5', '$5.00', createField('Number'))).toBe(false);
  expect(areEqual('Ada Byron', { first: 'Ada', last: 'Byron' }, createField('Name'))).toBe(false);
  expect(() => encodeValue(NaN, createField('Text'), context)).toThrow('cannot take NaN');
});

test('a reversed range is refused', () => {
  const conditions = [{ field: 'f', operator: 'between', value: { from: 2, to: 1 } }];
  const build = () =>
    buildFilter({ match: 'all', conditions, groups: [] }, new Table('t', [createField('Number')]), context);
  expect(build).toThrow('Filter: "Label" between 2 and 1 matches no record');
});
