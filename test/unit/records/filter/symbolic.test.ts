import { parseFilterJson, Table } from '../../../../nodes/records';
import { buildFilter } from '../../../../nodes/records/filter/buildFilter';
import { toSymbolicConditions } from '../../../../nodes/records/filter/symbolic';
import { parseField } from '../fields/fieldTools';

/** Spec: Filters, symbolic form. `build.test.ts` tests how values are encoded. */

const table = new Table(
  't',
  Object.entries({
    text: 'Text',
    amount: 'Number',
    box: 'Decision Box',
    day: 'Date',
    when: 'Date-Time',
    tags: 'Multi-select',
    checks: 'Checkbox',
    name: 'Name',
    file: 'File',
    other: 'Signature',
    link: 'Connection',
  }).map(([slug, type]) => parseField({ slug, name: slug.toUpperCase(), type })),
);
const context = { timeZone: 'UTC', now: new Date('2025-06-15T12:00:00Z'), hasUserLogin: true };
const convert = (tree: Parameters<typeof buildFilter>[0]) =>
  toSymbolicConditions(buildFilter(tree, table, context), table);
const build = (field: string, operator: string, value?: unknown) =>
  convert({ match: 'all', conditions: [{ field, operator, value }], groups: [] }).map((item) => {
    expect(item.field_id).toBe(field);
    return [item.condition, item.value];
  });

test.each<[string, string, unknown, unknown[]]>([
  ['amount', '=', 5, ['=', 5]],
  ['amount', 'is', 5, ['=', 5]],
  ['amount', '$ne', 5, ['!=', 5]],
  ['amount', 'is not', 5, ['!=', 5]],
  ['amount', 'higher than', 5, ['>', 5]],
  ['day', 'is after', '2025-01-01', ['>', '2025-01-01']],
  ['amount', '>=', 5, ['>=', 5]],
  ['day', 'is on or after', '2025-01-01', ['>=', '2025-01-01']],
  ['amount', 'lower than', 5, ['<', 5]],
  ['day', 'is before', '2025-01-01', ['<', '2025-01-01']],
  ['amount', '$lte', 5, ['<=', 5]],
  ['day', 'is on or before', '2025-01-01', ['<=', '2025-01-01']],
  ['text', 'contains', 'a', ['contains', 'a']],
  ['text', 'Starts With', 'a', ['startswith', 'a']],
  ['text', 'is blank', undefined, ['is_blank', undefined]],
  ['text', 'is not blank', undefined, ['not_blank', undefined]],
  ['text', '!=', 'a', ['!=', 'a']],
  ['tags', '!=', 'a', ['!=', 'a']],
  ['box', 'is checked', undefined, ['=', 1]],
  ['box', 'is unchecked', undefined, ['=', 0]],
  ['box', '=', false, ['=', 0]],
  ['text', 'is any of', ['a'], ['=', 'a']],
  ['text', 'is not', 'a', ['!=', 'a']],
  ['file', '=', 'filled', ['not_blank', undefined]],
])('%s %s %j', (field, condition, value, sent) => {
  expect(build(field, condition, value)).toEqual([sent]);
});

test.each([
  ['amount', { from: 1, to: 5 }, 1, 5],
  ['amount', '1, 5', 1, 5],
  ['day', ['2025-01-01', '2025-01-31'], '2025-01-01', '2025-01-31'],
  ['when', ['2025-01-01', '2025-01-31'], '2025-01-01 00:00:00', '2025-01-31 23:59:59'],
])('%s between %j is two conditions', (field, value, from, to) => {
  const sent = [
    ['>=', from],
    ['<=', to],
  ];
  expect(build(field, 'between', value)).toEqual(sent);
});

test.each([
  ['when', 'is within', { period: 'today' }],
  ['when', '=', 'today'],
  ['when', 'is', '2025-06-15'],
])('%s %s %j is two conditions', (field, condition, value) => {
  expect(build(field, condition, value)).toEqual([
    ['>=', '2025-06-15 00:00:00'],
    ['<=', '2025-06-15 23:59:59'],
  ]);
});

test('a range that no record can be in is an error', () => {
  expect(() => build('amount', 'between', [10, 5])).toThrow(
    expect.objectContaining({
      message: 'Filter: "AMOUNT" between 10 and 5 matches no record',
      description: 'From is above To: swap the two values.',
    }),
  );
});

test.each<[string, string, string, unknown]>([
  ['text', 'ends with', 'ends with', 'a'],
  ['text', 'does not contain', 'does not contain', 'a'],
  ['text', 'is exact', 'is exact', 'a'],
  ['text', 'is not exact', 'is not exact', 'a'],
  ['when', 'is before today', 'is before today', undefined],
  ['when', '<', 'is before today', 'today'],
  ['when', 'is after current time', 'is after current time', undefined],
  ['checks', 'is checked', 'is checked', undefined],
  ['other', 'is checked', 'is checked', undefined],
  ['link', 'is connected with current record', 'is connected with current record', undefined],
])('%s %s is refused', (field, written, operator, value) => {
  expect(() => build(field, written, value)).toThrow(
    expect.objectContaining({
      message: `Filter: Batch Update cannot compare "${field.toUpperCase()}" with "${operator}"`,
      description: expect.stringMatching(
        /Operators that it has for this field: .+\. For all operators, .*Nothing was changed\.$/,
      ),
    }),
  );
});

test('several parts of a composite are compared by AND, and refused where they need OR', () => {
  const parts = { first_name: 'Ada', last_name: 'Byron' };
  const tree = (operator: string) =>
    ({ match: 'all', conditions: [{ field: 'name', operator, value: parts }], groups: [] }) as const;
  expect(convert({ ...tree('is'), conditions: [...tree('is').conditions], groups: [] })).toEqual([
    { field_id: 'name-first', condition: '=', value: 'Ada' },
    { field_id: 'name-last', condition: '=', value: 'Byron' },
  ]);
  expect(() => build('name', '!=', parts)).toThrow(
    'Filter: Batch Update cannot match any of several conditions or values (OR)',
  );
});

describe('groups', () => {
  const [a, b] = ['text', 'amount'].map((field_id) => ({ field_id, operator: 'is blank' }));

  test.each<[object, string[]]>([
    [{ and: [a, b] }, ['text', 'amount']],
    [{ and: [a, { and: [b] }] }, ['text', 'amount']],
    // A single alternative is no alternative.
    [{ or: [a] }, ['text']],
    [{ or: [{ and: [a, b] }] }, ['text', 'amount']],
    [{ and: [a, { or: [b] }] }, ['text', 'amount']],
    [{ child: [{ items: [a] }, { items: [b] }] }, ['text', 'amount']],
    [
      [{ items: [a] }, { items: [b] }],
      ['text', 'amount'],
    ],
  ])('%j is one list', (input, fields) => {
    expect(convert(parseFilterJson(input)).map(({ field_id }) => field_id)).toEqual(fields);
  });

  test.each([
    { or: [a, b] },
    { or: [a, { and: [b] }] },
    { or: [a, { and: [a, b] }] },
    { and: [a, { or: [b, b] }] },
    { or: [{ or: [a, b] }] },
    { text: ['a', 'b'] },
    { when: { '!=': '2025-06-02' } },
  ])('%j has alternatives', (input) => {
    expect(() => convert(parseFilterJson(input))).toThrow(
      expect.objectContaining({
        message: 'Filter: Batch Update cannot match any of several conditions or values (OR)',
        description: expect.stringContaining('Run the operation once for each alternative.'),
      }),
    );
  });
});
