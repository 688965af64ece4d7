import { DateTime } from 'luxon';
import { fieldFrom } from '../../../nodes/shared/model/fields';
import {
  buildFilter,
  buildSymbolic,
  isEmptyTree,
  operatorsOf,
  OPERATORS_WITHOUT_VALUE,
  type Condition,
} from '../../../nodes/shared/model/filter';
import { InputError } from '../../../nodes/shared/model/inputError';
import { fullFieldSchema } from '../../../nodes/shared/model/responses';
import { Table } from '../../../nodes/shared/model/table';

/** How a filter is spelled, by example; `filter.property.test.ts` shows at random what it finds. */

const options = [{ label: 'Open, new', value: 'o' }];
const field = (slug: string, type: string, more: object = {}) =>
  fieldFrom(fullFieldSchema.parse({ slug, name: slug.toUpperCase(), type, ...more }));
const table = new Table('t', [
  field('text', 'Text'),
  field('mail', 'Email'),
  field('amount', 'Number'),
  field('box', 'Decision Box'),
  field('day', 'Date'),
  field('when', 'Date-Time'),
  field('clock', 'Time'),
  field('term', 'Calendar'),
  field('who', 'Name'),
  field('place', 'Address'),
  field('state', 'Select', { options }),
  field('tags', 'Multi-select', { options }),
  field('scan', 'File'),
  field('links', 'Connection', { join: { join_type: '1-to-N' } }),
  field('owner', 'User'),
]);
const context = { timeZone: 'Europe/Berlin', now: new Date('2025-06-15T12:00:00Z'), userLogin: false };
const build = (condition: Condition, userLogin = false) =>
  buildFilter({ match: 'all', conditions: [condition], groups: [] }, table, { ...context, userLogin });
const itemOf = (name: string, operator: string, value?: unknown) =>
  build({ field: name, operator, value }).items[0];

const failureOf = (act: () => unknown): InputError => {
  try {
    act();
  } catch (error) {
    if (error instanceof InputError) return error;
    throw error;
  }
  throw new Error('it was built');
};

/** Spec: "Operators by field kind", as it stands there; after the bar, ours. */
const BLANK = 'is blank, is not blank';
const TEXT = `is, is exact, is not, is not exact, contains, does not contain, starts with, ends with, ${BLANK} | is any of`;
const MOMENT = `is, is not, is before, is on or before, is after, is on or after, is before today, is after today, is before current time, is after current time, ${BLANK} | between`;
const LINK = `is, is not, contains, ${BLANK}, is connected with current record, is connected with current record's field | is any of`;
test.each([
  ['text', TEXT],
  ['email', TEXT],
  ['name', TEXT],
  ['address', TEXT],
  ['choice', TEXT],
  ['choices', TEXT],
  ['number', `is, is not, higher than, higher than or equal to, lower than, lower than or equal to, ${BLANK} | between, is any of`], // prettier-ignore
  ['date', `${MOMENT}, is within`],
  ['dateTime', `${MOMENT}, is within`],
  ['calendar', `${MOMENT}, is within`],
  ['time', MOMENT],
  ['checkbox', 'is checked, is unchecked | '],
  ['file', `${BLANK} | `],
  ['connection', LINK],
  ['user', `is logged in user, is not logged in user, is connected to logged in user, is not connected to logged in user, ${LINK}`], // prettier-ignore
] as const)('%s: %s', (kind, listed) => {
  const names = listed.split(/, | \| /).filter(Boolean);
  expect(operatorsOf(kind).map(({ name }) => name)).toEqual(names);
});

test('what each operator compares with decides the input that is shown', () => {
  const operands = new Map(
    (['text', 'number', 'date', 'checkbox', 'user'] as const).flatMap((kind) =>
      operatorsOf(kind).map(({ name, operand }) => [name, operand] as const),
    ),
  );
  const none = [...operands].filter(([, operand]) => operand === 'none').map(([name]) => name);
  expect(new Set(none)).toEqual(new Set(OPERATORS_WITHOUT_VALUE));
  expect(OPERATORS_WITHOUT_VALUE).toHaveLength(none.length);
  expect(new Set(none)).toEqual(
    new Set([
      'is blank',
      'is not blank',
      'is checked',
      'is unchecked',
      'is before today',
      'is after today',
      'is before current time',
      'is after current time',
      'is logged in user',
      'is not logged in user',
      'is connected to logged in user',
      'is not connected to logged in user',
      'is connected with current record',
    ]),
  );
  expect([operands.get('between'), operands.get('is any of'), operands.get('is within')]).toEqual([
    'two',
    'list',
    'relative',
  ]);
  expect(operands.get("is connected with current record's field")).toBe('one');
});

test.each<[string, string, unknown, string | number]>([
  ['text', 'is', 5, '5'],
  ['text', 'starts with', true, 'true'],
  ['mail', 'is', 'not an address', 'not an address'],
  ['amount', 'is', '12.5', 12.5],
  ['amount', 'lower than', 0, 0],
  ['day', 'is', '2025-06-15T23:30:00Z', '2025-06-16'],
  ['when', 'is after', '2025-06-15T10:00:00Z', '2025-06-15 12:00:00'],
  ['clock', 'is', '10:00', '10:00:00'],
  ['term', 'is before', '2025-06-15', '2025-06-15'],
  ['who', 'is', 'Ada Byron', 'Ada Byron'],
  ['who-first', 'is', 'Ada', 'Ada'],
  ['place-city', 'contains', 'Lee', 'Lee'],
  ['state', 'is', 'open, NEW', 'o'],
  ['tags', 'is', 'Open, new', 'o'],
  ...['contains', 'does not contain', 'starts with', 'ends with'].map(
    (operator): [string, string, string, string] => ['state', operator, 'Op', 'Op'],
  ),
  ['links', 'is', ' r1 ', 'r1'],
  ['links', 'contains', { id: 'r1' }, 'r1'],
  ['owner', 'is', 'u1', 'u1'],
])('%s %s %j compares with %j', (name, operator, value, val) => {
  expect(itemOf(name, operator, value)).toEqual({ field_id: name, operator, val });
});

test('a Date-Time is compared with the first or the last second of a day', () => {
  const vals = ['is before', 'is on or before', 'is after', 'is on or after'].map(
    (operator) => (itemOf('when', operator, '2025-06-02') as { val?: unknown }).val,
  );
  const [first, last] = ['2025-06-02 00:00:00', '2025-06-02 23:59:59'];
  expect(vals).toEqual([first, last, last, first]);
  expect(build({ field: 'when', operator: 'is not', value: '2025-06-02' }).child).toEqual([
    {
      condition: 'OR',
      items: [
        { field_id: 'when', operator: 'is before', val: first },
        { field_id: 'when', operator: 'is after', val: last },
        { field_id: 'when', operator: 'is blank' },
      ],
      child: [],
    },
  ]);
});

test.each(['contains', 'does not contain'])('what a choice %s may be given by its label', (operator) => {
  expect(itemOf('tags', operator, 'Open, new')).toMatchObject({ val: 'o' });
  expect(itemOf('tags', operator, 'Open')).toMatchObject({ val: 'Open' });
  expect(itemOf('text', operator, 'Open, new')).toMatchObject({ val: 'Open, new' });
});

test.each<[unknown, boolean]>([
  ['2025-06-02', true],
  [' 2025-06-02 ', true],
  ['2025-06-02T00:00:00', true],
  ['2025-06-02T00:00:00.000', true],
  ['2025-06-01T22:00:00Z', false],
  ['2025-06-02T00:00:00.000+02:00', true],
  ['2025-06-02T01:00:00.000+03:00', false],
  [new Date('2025-06-01T22:00:00Z'), true],
  [DateTime.fromISO('2025-06-02T00:00:00', { zone: 'Europe/Berlin' }), true],
  ['2025-06-02 00:00:00', false],
  ['2025-06-02T00:00:01', false],
  ['2025-06-02T00:00:00Z', false],
])('%p for a Date-Time is a day of the workflow: %p', (value, isDay) => {
  expect(build({ field: 'when', operator: 'is', value }).child).toHaveLength(isDay ? 1 : 0);
  const { val } = itemOf('when', 'is on or before', value) as { val: string };
  expect(val.endsWith('23:59:59')).toBe(isDay);
});

test.each([
  ['text', 'is blank'],
  ['box', 'is checked'],
  ['day', 'is before today'],
  ['links', 'is connected with current record'],
])('%s %s compares with nothing, whatever value was left in the form', (name, operator) => {
  expect(itemOf(name, operator, 'left over')).toEqual({ field_id: name, operator });
});

const group = (condition: 'AND' | 'OR', field_id: string, rows: Array<[string, unknown]>) => ({
  condition,
  items: rows.map(([operator, val]) => ({ field_id, operator, val })),
  child: [],
});
test.each<[Condition, object]>([
  [
    { field: 'amount', operator: 'between', value: { from: 1, to: '2' } },
    group('AND', 'amount', [['higher than or equal to', 1], ['lower than or equal to', 2]]), // prettier-ignore
  ],
  [
    { field: 'day', operator: 'between', value: { from: '2025-01-01', to: '2025-01-31' } },
    group('AND', 'day', [['is on or after', '2025-01-01'], ['is on or before', '2025-01-31']]), // prettier-ignore
  ],
  [
    { field: 'day', operator: 'is within', value: { period: 'yesterday' } },
    group('AND', 'day', [['is on or after', '2025-06-14'], ['is on or before', '2025-06-14']]), // prettier-ignore
  ],
  [
    { field: 'when', operator: 'is within', value: { period: 'next', amount: 2, unit: 'day' } },
    group('AND', 'when', [['is on or after', '2025-06-15 00:00:00'], ['is on or before', '2025-06-17 23:59:59']]), // prettier-ignore
  ],
  [
    { field: 'text', operator: 'is any of', value: ' a, b ,,' },
    group('OR', 'text', [['is', 'a'], ['is', 'b']]), // prettier-ignore
  ],
  [
    { field: 'amount', operator: 'is any of', value: [0, '5', null, ''] },
    group('OR', 'amount', [['is', 0], ['is', 5]]), // prettier-ignore
  ],
  [
    { field: 'text', operator: 'is any of', value: ['Smith, John', ' Doe '] },
    group('OR', 'text', [['is', 'Smith, John'], ['is', 'Doe']]), // prettier-ignore
  ],
  [
    { field: 'when', operator: 'is', value: '2025-06-02' },
    group('AND', 'when', [['is on or after', '2025-06-02 00:00:00'], ['is on or before', '2025-06-02 23:59:59']]), // prettier-ignore
  ],
  [
    { field: 'when', operator: 'between', value: { from: '2025-06-02', to: ' 2025-06-03 ' } },
    group('AND', 'when', [['is on or after', '2025-06-02 00:00:00'], ['is on or before', '2025-06-03 23:59:59']]), // prettier-ignore
  ],
  [{ field: 'amount', operator: 'is any of', value: 7 }, group('OR', 'amount', [['is', 7]])],
])('%j becomes conditions that the service has', (condition, expected) => {
  expect(build(condition)).toEqual({ condition: 'AND', items: [], child: [expected] });
});

test('a tree keeps its words and its nesting; expanded conditions come before the groups', () => {
  const one: Condition = { field: 'text', operator: 'is', value: 'a' };
  const between: Condition = { field: 'amount', operator: 'between', value: { from: 1, to: 2 } };
  const built = buildFilter(
    {
      match: 'any',
      conditions: [between, one],
      groups: [{ match: 'all', conditions: [one], groups: [] }],
    },
    table,
    context,
  );
  const item = { field_id: 'text', operator: 'is', val: 'a' };
  expect(built).toMatchObject({ condition: 'OR', items: [item] });
  expect(built.child).toMatchObject([
    { condition: 'AND', items: [{}, {}] },
    { condition: 'AND', items: [item], child: [] },
  ]);
});

test('a tree without a condition anywhere is empty', () => {
  const empty = { match: 'all' as const, conditions: [], groups: [] };
  const one = { ...empty, conditions: [{ field: 'a', operator: 'is' }] };
  expect(isEmptyTree(empty)).toBe(true);
  expect(isEmptyTree({ ...empty, groups: [empty, { ...empty, groups: [empty] }] })).toBe(true);
  expect(isEmptyTree(one)).toBe(false);
  expect(isEmptyTree({ ...empty, groups: [empty, one] })).toBe(false);
});

describe('what cannot be sent', () => {
  test.each(['', null, undefined])('no value: %p would widen the filter', (value) => {
    const { message, remedy } = failureOf(() => itemOf('text', 'is', value));
    expect(message).toBe('Filter: "TEXT" is has no value');
    expect(remedy).toMatch(/^Give a value, or ask for what is blank\. .*found nothing\.$/);
  });

  test.each<[string, string, unknown, string]>([
    ['who-first', 'is', '', 'Filter: "WHO: First" is has no value'],
    ['amount', 'between', { from: 1 }, 'Filter: "AMOUNT" lower than or equal to has no value'],
    ['amount', 'between', undefined, 'Filter: "AMOUNT" higher than or equal to has no value'],
    ['day', 'between', { to: '2025-01-01' }, 'Filter: "DAY" is on or after has no value'],
    ['text', 'is any of', ' , ', 'Filter: "TEXT" is any of has no values, but " , "'],
    ['text', 'is any of', [], 'Filter: "TEXT" is any of has no values, but []'],
    ['text', 'is any of', undefined, 'Filter: "TEXT" is any of has no values, but undefined'],
    ['text', 'contains', [], 'Filter: "TEXT" contains has no value'],
    ['text', 'contains', ['a'], 'Filter: "TEXT" cannot be compared with ["a"]'],
    ['text', 'does not contain', { a: 1 }, 'Filter: "TEXT" cannot be compared with {"a":1}'],
    ['links', 'is', [], 'Filter: "LINKS" is has no value'],
    ['links', 'is not', ' ', 'Filter: "LINKS" is not has no value'],
    ['links', 'contains', [[]], '"LINKS" cannot take [[]]'],
    ['when', 'is', '00:00', '"WHEN" cannot take "00:00"'],
    ['when', 'is on or before', '24:00', '"WHEN" cannot take "24:00"'],
    ['amount', 'is', 'many', '"AMOUNT" cannot take "many"'],
    ['state', 'is', 'Closed', '"STATE" cannot take "Closed"'],
    ['links', 'is', 'r1, r2', '"LINKS" cannot take "r1, r2"'],
    ['nosuch', 'is', 'x', 'Filter: the table has no field "nosuch"'],
    ['text', 'higher than', 1, 'Filter: "TEXT" has no operator "higher than"'],
    ['who-first', 'higher than', 1, 'Filter: "WHO" has no operator "higher than"'],
  ])('%s %s %j: %s', (name, operator, value, message) => {
    expect(failureOf(() => itemOf(name, operator, value)).message).toBe(message);
  });

  test('the remedy lists what there is', () => {
    expect(failureOf(() => itemOf('box', 'is', 1)).remedy).toBe(
      'Operators of the type Decision Box: is checked, is unchecked.',
    );
    expect(failureOf(() => itemOf('text', 'is any of', '')).remedy).toBe(
      'Give at least one value, or several with commas between them.',
    );
  });

  test('an operator that asks for the logged-in user, with nobody logged in', () => {
    const asking: Condition = { field: 'owner', operator: 'is logged in user' };
    const { message, remedy } = failureOf(() => build(asking));
    expect(message).toBe('Filter: "is logged in user" needs a logged-in user');
    expect(remedy).toMatch(/^Turn on "Act as a User" in the Record Database API credential: /);
    expect(build(asking, true).items).toEqual([{ field_id: 'owner', operator: 'is logged in user' }]);
    const link: Condition = { field: 'owner', operator: 'is', value: 'u1' };
    expect(build(link).items).toHaveLength(1);
  });
});

describe('the symbolic form', () => {
  const one = (name: string, condition: string, value?: unknown) =>
    buildSymbolic([{ field: name, condition, value }], table, context);

  test.each<[string, string, unknown, unknown]>([
    ...['=', '!=', '>', '<', '>=', '<='].map((condition): [string, string, unknown, unknown] => [
      'amount',
      condition,
      '5',
      5,
    ]),
    ['state', 'contains', 'Op', 'Op'],
    ['state', 'startswith', 'Op', 'Op'],
    ['state', '=', 'Open, new', 'o'],
    ['who-last', '=', 'Byron', 'Byron'],
    ['when', '>', '2025-06-15T10:00:00Z', '2025-06-15 12:00:00'],
  ])('%s %s %j', (name, condition, value, sent) => {
    expect(one(name, condition, value)).toEqual([{ field_id: name, condition, value: sent }]);
  });

  test.each(['is_blank', 'not_blank'])('%s takes no value', (condition) => {
    expect(one('amount', condition, 5)).toEqual([{ field_id: 'amount', condition }]);
  });

  test('a day is a span for a Date-Time, and one may not lie outside of it', () => {
    const [first, last] = ['2025-06-02 00:00:00', '2025-06-02 23:59:59'];
    const sent = (condition: string) =>
      one('when', condition, '2025-06-02').map((item) => [item.condition, item.value]);
    expect(sent('=')).toEqual([['>=', first], ['<=', last]]); // prettier-ignore
    expect(['<', '<=', '>', '>='].flatMap(sent)).toEqual([['<', first], ['<=', last], ['>', last], ['>=', first]]); // prettier-ignore
    expect(sent('startswith')).toEqual([['startswith', '2025-06-02']]);
    const { message, remedy } = failureOf(() => sent('!='));
    expect(message).toBe('Filter: "WHEN" cannot be compared as != with a day');
    expect(remedy).toContain('"2025-06-02 00:00:00"');
    expect(one('day', '!=', '2025-06-02')).toEqual([{ field_id: 'day', condition: '!=', value: '2025-06-02' }]); // prettier-ignore
  });

  test('another condition is refused with those there are, a blank value and an unknown field too', () => {
    const { message, remedy } = failureOf(() => one('amount', 'is', 5));
    expect(message).toBe('Filter: there is no condition "is"');
    expect(remedy).toBe(
      'The symbolic form has: =, !=, >, <, >=, <=, contains, startswith, is_blank, not_blank.',
    );
    expect(failureOf(() => one('amount', '=', '')).message).toBe('Filter: "AMOUNT" = has no value');
    expect(failureOf(() => one('nosuch', '=', 1)).message).toBe('Filter: the table has no field "nosuch"');
  });
});
