import { parseFilterJson, Table } from '../../../../nodes/records';
import { isSymbolicOperator } from '../../../../nodes/records/filter/symbolic';
import { buildSymbolicFilter, flattenForSymbolic } from '../../../../nodes/records/filter/symbolic';
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
const context = { timeZone: 'UTC', now: new Date('2025-06-15T12:00:00Z') };
const use = { operation: 'Search', alternative: 'Get Many has all operators.' };
const build = (field: string, operator: string, value?: unknown) =>
  buildSymbolicFilter(
    { match: 'all', conditions: [{ field, operator, value }], groups: [] },
    table,
    context,
    use,
  ).map((item) => {
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
  ['box', 'is_blank', undefined, ['is_blank', undefined]],
  ['box', 'not_blank', undefined, ['not_blank', undefined]],
  // The spec limits no condition of the symbolic form to a kind of field.
  ['text', '>', 'a', ['>', 'a']],
  ['amount', 'startswith', 'a', ['startswith', 'a']],
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
  ['text', 'is not', 'is not', 'a'],
  ['text', 'is any of', 'is any of', 'a, b'],
  ['text', 'higher than', 'higher than', 'a'],
  ['amount', 'starts with', 'starts with', 'a'],
  ['when', 'is before today', 'is before today', undefined],
  ['when', '<', 'is before today', 'today'],
  ['when', 'is after current time', 'is after current time', undefined],
  ['when', '!=', 'is not', '2025-06-02'],
  ['when', 'is not', 'is not', '2025-06-02'],
  ['tags', 'is not', 'is not', 'a'],
  ['checks', 'is checked', 'is checked', undefined],
  ['other', 'is checked', 'is checked', undefined],
  ['box', 'is blank', 'is blank', undefined],
  ['name-first', 'is not', 'is not', 'a'],
  ['link', 'is not', 'is not', 'K7pQ2xW9Lm'],
  ['link', 'is connected with current record', 'is connected with current record', undefined],
  ['link', 'is logged in user', 'is logged in user', undefined],
  ['text', 'resembles', 'resembles', 'a'],
])('%s %s is refused', (field, written, operator, value) => {
  const name = field === 'name-first' ? 'NAME: First' : field.toUpperCase();
  expect(() => build(field, written, value)).toThrow(
    expect.objectContaining({
      message: `Filter: Search cannot compare "${name}" with "${operator}"`,
      description: expect.stringMatching(
        /Operators that it has for this field: .+\. Get Many has all operators\. Nothing was sent\.$/,
      ),
    }),
  );
});

test.each([
  [['m', 'l'], true],
  [['m', 'M'], false],
])('the choices %j can be compared by "!=": %p', (values, isPossible) => {
  const options = values.map((value) => ({ value, label: value }));
  expect(isSymbolicOperator('is not', { kind: 'choice', options })).toBe(isPossible);
});

test('the error lists the operators that are possible, and how to send != as it is', () => {
  expect(() => build('text', 'is not', 'a')).toThrow(
    expect.objectContaining({
      description:
        'The service does not document whether "!=" ignores case or compares one value of a list, so it could match more records. As JSON, {"field_id": "text", "condition": "!=", "value": …} sends it as it is. Operators that it has for this field: is, contains, starts with, is blank, is not blank. Get Many has all operators. Nothing was sent.',
    }),
  );
});

test('several parts of a composite are compared by AND, and refused where they need OR', () => {
  const parts = { first_name: 'Ada', last_name: 'Byron' };
  const tree = (operator: string) =>
    ({ match: 'all', conditions: [{ field: 'name', operator, value: parts }], groups: [] }) as const;
  expect(
    buildSymbolicFilter(
      { ...tree('is'), conditions: [...tree('is').conditions], groups: [] },
      table,
      context,
      use,
    ),
  ).toEqual([
    { field_id: 'name-first', condition: '=', value: 'Ada' },
    { field_id: 'name-last', condition: '=', value: 'Byron' },
  ]);
  expect(() => build('name', '!=', parts)).toThrow(
    'Filter: Search cannot match any of several conditions (OR)',
  );
});

describe('groups', () => {
  const [a, b] = ['text', 'amount'].map((field_id) => ({ field_id, operator: 'is blank' }));
  const flatten = (input: object) => flattenForSymbolic(parseFilterJson(input), table, use);

  test.each<[object, string[]]>([
    [{ and: [a, b] }, ['text', 'amount']],
    [{ and: [a, { and: [b] }] }, ['text', 'amount']],
    // A single alternative is no alternative.
    [{ or: [a] }, ['text']],
    [{ or: [{ and: [a, b] }] }, ['text', 'amount']],
    [{ and: [a, { or: [b] }] }, ['text', 'amount']],
  ])('%j is one list', (input, fields) => {
    const { match, conditions, groups } = flatten(input);
    expect([match, conditions.map(({ field }) => field), groups]).toEqual(['all', fields, []]);
  });

  test.each([
    { or: [a, b] },
    { or: [a, { and: [b] }] },
    { or: [a, { and: [a, b] }] },
    { and: [a, { or: [b, b] }] },
    { or: [{ or: [a, b] }] },
  ])('%j has alternatives', (input) => {
    expect(() => flatten(input)).toThrow(
      expect.objectContaining({
        message: 'Filter: Search cannot match any of several conditions (OR)',
        description:
          'A record must meet all conditions. Run the operation once for each alternative. Get Many has all operators. Nothing was sent.',
      }),
    );
  });

  test.each([
    { child: [{ items: [a] }, { items: [b] }] },
    [{ items: [a] }, { items: [b] }],
    [
      { condition: 'AND', items: [a] },
      { condition: 'AND', items: [b, a] },
    ],
  ])('several groups are refused, in %j: the spec does not say how a batch update joins them', (input) => {
    expect(() => flatten(input)).toThrow(
      expect.objectContaining({
        message: 'Filter: Search cannot match 2 groups of conditions',
        description:
          'A record must meet all conditions. Put them into one list. Get Many has all operators. Nothing was sent.',
      }),
    );
  });
});
