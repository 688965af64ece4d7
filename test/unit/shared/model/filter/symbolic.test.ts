import { toField } from '../../../../../nodes/shared/model/fields';
import { buildSymbolicFilter, parseSymbolicJson } from '../../../../../nodes/shared/model/filter';
import { Table } from '../../../../../nodes/shared/model/records/table';
import { fullFieldSchema } from '../../../../../nodes/shared/model/responses/tables';

/** Spec: Filters, symbolic form. `build.test.ts` tests how values are encoded. */

const table = new Table(
  't',
  Object.entries({ text: 'Text', amount: 'Number', box: 'Decision Box', day: 'Date', when: 'Date-Time' }).map(
    ([slug, type]) => toField(fullFieldSchema.parse({ slug, name: slug.toUpperCase(), type })),
  ),
);
const context = { timeZone: 'UTC', now: new Date('2025-06-15T12:00:00Z') };
const build = (field: string, condition: string, value?: unknown) =>
  buildSymbolicFilter([{ field, condition, value }], table, context).map((item) => {
    expect(item.field_id).toBe(field);
    return [item.condition, item.value];
  });

test.each<[string, string, unknown, unknown[]]>([
  ['amount', 'equals', 5, ['=', 5]],
  ['amount', 'is', 5, ['=', 5]],
  ['amount', '$ne', 5, ['!=', 5]],
  ['amount', 'is not', 5, ['!=', 5]],
  ['amount', 'higher than', 5, ['>', 5]],
  ['day', 'is after', '2025-01-01', ['>', '2025-01-01']],
  ['amount', 'at least', 5, ['>=', 5]],
  ['day', 'is on or after', '2025-01-01', ['>=', '2025-01-01']],
  ['amount', 'lower than', 5, ['<', 5]],
  ['day', 'is before', '2025-01-01', ['<', '2025-01-01']],
  ['amount', 'lte', 5, ['<=', 5]],
  ['day', 'is on or before', '2025-01-01', ['<=', '2025-01-01']],
  ['text', 'includes', 'a', ['contains', 'a']],
  ['text', 'Starts With', 'a', ['startswith', 'a']],
  ['text', 'is blank', undefined, ['is_blank', undefined]],
  ['text', 'is empty', 'left over', ['is_blank', undefined]],
  ['text', 'is not blank', undefined, ['not_blank', undefined]],
  ['text', 'exists', true, ['not_blank', undefined]],
  ['text', 'like', '%a%', ['contains', 'a']],
  ['text', 'like', 'a%', ['startswith', 'a']],
  ['text', 'not like', 'a', ['!=', 'a']],
  ['box', 'is checked', undefined, ['=', 1]],
  ['box', 'is true', undefined, ['=', 1]],
  ['box', 'checked', false, ['=', 0]],
  ['box', 'is unchecked', undefined, ['=', 0]],
  ['box', '=', false, ['=', 0]],
  ['text', 'is any of', ['a'], ['=', 'a']],
  // A word with the value false means the opposite, as in the primary form.
  ['text', 'exists', false, ['is_blank', undefined]],
  ['text', 'is not null', 'false', ['is_blank', undefined]],
  ['text', 'is empty', false, ['not_blank', undefined]],
  ['amount', 'is_blank', false, ['not_blank', undefined]],
  ['box', 'is checked', false, ['=', 0]],
  ['box', 'exists', false, ['is_blank', undefined]],
])('%s %s %j', (field, condition, value, sent) => {
  expect(build(field, condition, value)).toEqual([sent]);
});

test.each([
  ['amount', { from: 1, to: 5 }, 1, 5],
  ['amount', '1 and 5', 1, 5],
  ['day', ['2025-01-01', '2025-01-31'], '2025-01-01', '2025-01-31'],
  ['when', ['2025-01-01', '2025-01-31'], '2025-01-01 00:00:00', '2025-01-31 23:59:59'],
])('%s between %j is two conditions', (field, value, from, to) => {
  const sent = [
    ['>=', from],
    ['<=', to],
  ];
  expect(build(field, 'between', value)).toEqual(sent);
  expect(build(field, 'in range', value)).toEqual(sent);
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
      remedy: 'From is above To: swap the two values.',
    }),
  );
});

test.each<[string, string, unknown]>([
  ['text', 'ends with', 'a'],
  ['text', 'does not contain', 'a'],
  ['text', 'is any of', 'a, b'],
  ['text', 'like', '%a'],
  ['when', 'is before today', undefined],
])('%s %s has no symbol', (field, condition, value) => {
  expect(() => build(field, condition, value)).toThrow(
    expect.objectContaining({
      message: `Filter: there is no condition "${condition}"`,
      remedy: 'Choose one of: =, !=, >, <, >=, <=, contains, startswith, is_blank, not_blank.',
    }),
  );
});

test('a day that is compared as != needs a time', () => {
  expect(() => build('when', '!=', '2025-06-02')).toThrow(
    expect.objectContaining({
      message: 'Filter: "WHEN" cannot be compared as != with a day',
      remedy:
        'It holds a time as well, such as "2025-06-02 00:00:00". Use < or > with the day, or give the time.',
    }),
  );
});

describe('groups', () => {
  const [a, b] = ['a', 'b'].map((field_id) => ({ field_id, operator: 'is blank' }));
  const read = (...fields: string[]) =>
    fields.map((field) => ({ field, condition: 'is blank', value: undefined }));

  test.each<[object, string[]]>([
    [{ and: [a, b] }, ['a', 'b']],
    [{ and: [a, { and: [b] }] }, ['a', 'b']],
    // A single alternative is no alternative.
    [{ or: [a] }, ['a']],
    [{ or: [{ and: [a, b] }] }, ['a', 'b']],
    [{ and: [a, { or: [b] }] }, ['a', 'b']],
    [{}, []],
  ])('%j is one list', (input, fields) => {
    expect(parseSymbolicJson(input)).toEqual(read(...fields));
  });

  test.each([
    { or: [a, b] },
    { or: [a, { and: [b] }] },
    { and: [a, { or: [b, b] }] },
    { or: [{ or: [a, b] }] },
  ])('%j has alternatives', (input) => {
    expect(() => parseSymbolicJson(input)).toThrow(
      expect.objectContaining({
        message: 'Filter (JSON): conditions joined by OR are not possible here',
        remedy:
          'Nothing was sent. A record must meet all conditions: run the operation once for each alternative.',
      }),
    );
  });

  test('several groups are not counted by the service', () => {
    expect(() => parseSymbolicJson({ child: [{ items: [a] }, { items: [b] }] })).toThrow(
      expect.objectContaining({
        message: 'Filter (JSON) has 2 groups',
        remedy:
          'Nothing was sent: the service counts and searches with one group only. Put all conditions into one list. A valid value: [{"field_id": "status", "condition": "=", "value": "Open"}]',
      }),
    );
  });

  test('without parameters, there is no $1', () => {
    expect(() => parseSymbolicJson([{ field_id: 'a', condition: '=', value: '$1' }])).toThrow(
      'Filter Parameters: there is no $1',
    );
  });
});
