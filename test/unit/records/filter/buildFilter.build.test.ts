/* eslint-disable @n8n/community-nodes/require-node-api-error -- not shipped: runs on Node */
import { DateTime } from 'luxon';
import { listOperatorNames, Table } from '../../../../nodes/records';
import { buildFilter } from '../../../../nodes/records/filter/buildFilter';
import { type Condition, listOperators } from '../../../../nodes/records/filter/tree';
import { InputError } from '../../../../nodes/service';
import { parseField } from '../fields/fieldTools';

/** Examples of the filter notation. `build.property.test.ts` tests the results of random filters. */

const options = [{ label: 'Open, new', value: 'o' }];
const createField = (slug: string, type: string, more: object = {}) =>
  parseField({ slug, name: slug.toUpperCase(), type, ...more });
const table = new Table('t', [
  createField('text', 'Text'),
  createField('mail', 'Email'),
  createField('amount', 'Number'),
  createField('box', 'Decision Box'),
  createField('day', 'Date'),
  createField('when', 'Date-Time'),
  createField('clock', 'Time'),
  createField('term', 'Calendar'),
  createField('who', 'Name'),
  createField('place', 'Address'),
  createField('state', 'Select', { options }),
  createField('tags', 'Multi-select', { options }),
  createField('scan', 'File'),
  createField('links', 'Connection', { join: { join_type: '1-to-N' } }),
  createField('owner', 'User'),
]);
const context = { timeZone: 'Europe/Berlin', now: new Date('2025-06-15T12:00:00Z'), hasUserLogin: false };
const build = (condition: Condition, hasUserLogin = false) =>
  buildFilter({ match: 'all', conditions: [condition], groups: [] }, table, { ...context, hasUserLogin });
const buildItem = (name: string, operator: string, value?: unknown) =>
  build({ field: name, operator, value }).items[0];

const catchError = (act: () => unknown): InputError => {
  try {
    act();
  } catch (error) {
    if (error instanceof InputError) return error;
    throw error;
  }
  throw new Error('it was built');
};

/** Spec: "Operators by field kind". The operators after the bar are added by the node. */
const BLANK = 'is blank, is not blank';
const TEXT = `is, is exact, is not, is not exact, contains, does not contain, starts with, ends with, ${BLANK} | is any of`;
const MOMENT = `is, is not, is before, is on or before, is after, is on or after, is before today, is after today, is before current time, is after current time, ${BLANK} | between`;
const LOGGED_IN =
  'is logged in user, is not logged in user, is connected to logged in user, is not connected to logged in user';
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
  ['checkbox', 'is, is checked, is unchecked | '],
  ['file', `is, ${BLANK} | `],
  ['connection', `${LINK}, ${LOGGED_IN}`],
  ['user', `${LOGGED_IN}, ${LINK}`],
] as const)('%s: %s', (kind, listed) => {
  const names = listed.split(/, | \| /).filter(Boolean);
  expect(listOperators(kind, { hasUserLogin: true }).map(({ name }) => name)).toEqual(names);
});

test('the operator decides which input is shown', () => {
  const operands = new Map(
    (['text', 'number', 'date', 'checkbox', 'user'] as const).flatMap((kind) =>
      listOperators(kind, { hasUserLogin: true }).map(({ name, operand }) => [name, operand] as const),
    ),
  );
  const none = [...operands].filter(([, operand]) => operand === 'none').map(([name]) => name);
  expect(listOperatorNames({ operand: 'none' }).toSorted()).toEqual(none.toSorted());
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
  ['owner', 'is', 'K7pQ2xW9Lm', 'K7pQ2xW9Lm'],
])('%s %s %j compares with %j', (name, operator, value, val) => {
  expect(buildItem(name, operator, value)).toEqual({ field_id: name, operator, val });
});

test('a Date-Time is compared with the first or the last second of a day', () => {
  const vals = ['is before', 'is on or before', 'is after', 'is on or after'].map(
    (operator) => (buildItem('when', operator, '2025-06-02') as { val?: unknown }).val,
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

test.each(['contains', 'does not contain'])('the value that a choice %s may be its label', (operator) => {
  expect(buildItem('tags', operator, 'Open, new')).toMatchObject({ val: 'o' });
  expect(buildItem('tags', operator, 'OPEN, NEW')).toMatchObject({ val: 'o' });
  // No value contains this text, so the service would find no record.
  expect(() => buildItem('tags', operator, 'Open')).toThrow('cannot be compared with "Open"');
  expect(buildItem('text', operator, 'Open, new')).toMatchObject({ val: 'Open, new' });
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
  const { val } = buildItem('when', 'is on or before', value) as { val: string };
  expect(val.endsWith('23:59:59')).toBe(isDay);
});

test.each([
  ['text', 'is blank'],
  ['box', 'is checked'],
  ['day', 'is before today'],
  ['links', 'is connected with current record'],
])('%s %s ignores a value that remained in the form', (name, operator) => {
  expect(buildItem(name, operator, 'left over')).toEqual({ field_id: name, operator });
});

const createGroup = (condition: 'AND' | 'OR', field_id: string, rows: Array<[string, unknown]>) => ({
  condition,
  items: rows.map(([operator, val]) => ({ field_id, operator, val })),
  child: [],
});
test.each<[Condition, object]>([
  [
    { field: 'amount', operator: 'between', value: { from: 1, to: '2' } },
    createGroup('AND', 'amount', [['higher than or equal to', 1], ['lower than or equal to', 2]]), // prettier-ignore
  ],
  [
    { field: 'day', operator: 'between', value: { from: '2025-01-01', to: '2025-01-31' } },
    createGroup('AND', 'day', [['is on or after', '2025-01-01'], ['is on or before', '2025-01-31']]), // prettier-ignore
  ],
  [
    { field: 'day', operator: 'is within', value: { period: 'yesterday' } },
    createGroup('AND', 'day', [['is on or after', '2025-06-14'], ['is on or before', '2025-06-14']]), // prettier-ignore
  ],
  [
    { field: 'when', operator: 'is within', value: { period: 'next', amount: 2, unit: 'day' } },
    createGroup('AND', 'when', [['is on or after', '2025-06-15 00:00:00'], ['is on or before', '2025-06-16 23:59:59']]), // prettier-ignore
  ],
  [
    { field: 'text', operator: 'is any of', value: ' a, b ,,' },
    createGroup('OR', 'text', [['is', 'a'], ['is', 'b']]), // prettier-ignore
  ],
  [
    { field: 'amount', operator: 'is any of', value: [0, '5'] },
    createGroup('OR', 'amount', [['is', 0], ['is', 5]]), // prettier-ignore
  ],
  [
    { field: 'text', operator: 'is any of', value: ['Smith, John', ' Doe '] },
    createGroup('OR', 'text', [['is', 'Smith, John'], ['is', 'Doe']]), // prettier-ignore
  ],
  [
    { field: 'when', operator: 'is', value: '2025-06-02' },
    createGroup('AND', 'when', [['is on or after', '2025-06-02 00:00:00'], ['is on or before', '2025-06-02 23:59:59']]), // prettier-ignore
  ],
  [
    { field: 'when', operator: 'between', value: { from: '2025-06-02', to: ' 2025-06-03 ' } },
    createGroup('AND', 'when', [['is on or after', '2025-06-02 00:00:00'], ['is on or before', '2025-06-03 23:59:59']]), // prettier-ignore
  ],
  [{ field: 'amount', operator: 'is any of', value: 7 }, createGroup('OR', 'amount', [['is', 7]])],
])('%j becomes conditions that the service supports', (condition, expected) => {
  expect(build(condition)).toEqual({ condition: 'AND', items: [], child: [expected] });
});

test('keeps AND/OR and the nesting of a tree; expanded conditions come before the groups', () => {
  const buildOne: Condition = { field: 'text', operator: 'is', value: 'a' };
  const between: Condition = { field: 'amount', operator: 'between', value: { from: 1, to: 2 } };
  const built = buildFilter(
    {
      match: 'any',
      conditions: [between, buildOne],
      groups: [{ match: 'all', conditions: [buildOne], groups: [] }],
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

test('groups without a condition are not sent', () => {
  const condition: Condition = { field: 'text', operator: 'is', value: 'a' };
  const empty = { match: 'all' as const, conditions: [], groups: [] };
  const full = { match: 'any' as const, conditions: [condition], groups: [] };
  const item = { field_id: 'text', operator: 'is', val: 'a' };
  expect(
    buildFilter({ ...empty, groups: [empty, { ...empty, groups: [empty] }, full] }, table, context),
  ).toEqual({ condition: 'AND', items: [], child: [{ condition: 'OR', items: [item], child: [] }] });
  expect(
    buildFilter({ ...full, groups: [{ ...empty, groups: [full, empty] }] }, table, context).child,
  ).toEqual([{ condition: 'AND', items: [], child: [{ condition: 'OR', items: [item], child: [] }] }]);
});

describe('what cannot be sent', () => {
  test.each(['', null, undefined])('no value: %p would widen the filter', (value) => {
    const { message, description } = catchError(() => buildItem('text', 'is', value));
    expect(message).toBe('Filter: "TEXT" needs a value for the operator "is"');
    expect(description).toMatch(
      /^Nothing was sent\. Give a value, or use an operator for blank fields\. .*returned nothing\.$/,
    );
  });

  test.each<[string, string, unknown, string]>([
    ['who-first', 'is', '', 'Filter: "WHO: First" needs a value for the operator "is"'],
    ['amount', 'between', { from: 1 }, 'Filter: "AMOUNT" needs a To value for the operator "between"'],
    ['amount', 'between', undefined, 'Filter: "AMOUNT" needs a value for the operator "between"'],
    ['day', 'between', { to: '2025-01-01' }, 'Filter: "DAY" needs a From value for the operator "between"'],
    ['text', 'is any of', ' , ', 'Filter: "TEXT" needs a value for the operator "is any of"'],
    ['text', 'is any of', [], 'Filter: "TEXT" needs a value for the operator "is any of"'],
    ['text', 'is any of', undefined, 'Filter: "TEXT" needs a value for the operator "is any of"'],
    ['box', 'is', undefined, 'Filter: "BOX" needs a value for the operator "is"'],
    ['box', 'is not', ' ', 'Filter: "BOX" needs a value for the operator "is"'],
    ['scan', 'is', null, 'Filter: "SCAN" needs a value for the operator "is"'],
    ['scan', 'is', 'a.pdf', 'Filter: "SCAN" cannot be compared with "a.pdf"'],
    ['text', 'contains', [], 'Filter: "TEXT" needs a value for the operator "contains"'],
    ['text', 'contains', ['a'], 'Filter: "TEXT" cannot be compared with ["a"]'],
    ['text', 'does not contain', { a: 1 }, 'Filter: "TEXT" cannot be compared with {"a":1}'],
    ['links', 'is', [], 'Filter: "LINKS" needs a value for the operator "is"'],
    ['links', 'is not', ' ', 'Filter: "LINKS" needs a value for the operator "is not"'],
    ['links', 'contains', [[]], 'Filter: "LINKS" needs a value for the operator "contains"'],
    ['when', 'is', '00:00', 'Filter: "WHEN" cannot be compared with "00:00"'],
    ['when', 'is on or before', '24:00', 'Filter: "WHEN" cannot be compared with "24:00"'],
    ['amount', 'is', 'many', 'Filter: "AMOUNT" cannot be compared with "many"'],
    ['state', 'is', 'Closed', 'Filter: "STATE" cannot be compared with "Closed"'],
    ['links', 'is', 'r1, r2', 'Filter: "LINKS" cannot be compared with "r1, r2"'],
    ['nosuch', 'is', 'x', 'Filter: the table has no field "nosuch"'],
    ['text', 'higher than', 1, 'Filter: "TEXT" has no operator "higher than"'],
    ['who-first', 'higher than', 1, 'Filter: "WHO: First" has no operator "higher than"'],
  ])('%s %s %j: %s', (name, operator, value, message) => {
    expect(catchError(() => buildItem(name, operator, value)).message).toBe(message);
  });

  test('the remedy lists the existing fields and operators', () => {
    expect(catchError(() => buildItem('box', 'is', 'maybe')).description).toBe(
      'Nothing was sent. Operators of the type Decision Box: is, is checked, is unchecked. A valid value: true.',
    );
    expect(catchError(() => buildItem('text', 'is any of', '')).description).toBe(
      'Nothing was sent. Give at least one value, or several with commas between them. An expression may have returned nothing.',
    );
  });

  test('a logged-in-user operator without a user login', () => {
    const asking: Condition = { field: 'owner', operator: 'is logged in user' };
    const { message, description } = catchError(() => build(asking));
    expect(message).toBe('Filter: "OWNER" needs a logged-in user for the operator "is logged in user"');
    expect(description).toMatch(/^Choose a "User Login" in the Record Database API credential: /);
    expect(build(asking, true).items).toEqual([{ field_id: 'owner', operator: 'is logged in user' }]);
    const link: Condition = { field: 'owner', operator: 'is', value: 'K7pQ2xW9Lm' };
    expect(build(link).items).toHaveLength(1);
  });
});

test('"created_at" is compared in the time zone of the service, other dates in that of the workflow', () => {
  const since = '2025-06-15T12:00:00Z';
  const zones = { ...context, serviceTimeZone: 'America/New_York' };
  const buildIn = (field: string, zone = zones) =>
    buildFilter(
      { match: 'all', conditions: [{ field, operator: 'is after', value: since }], groups: [] },
      table,
      zone,
    ).items[0]?.val;
  expect(buildIn('created_at')).toBe('2025-06-15 08:00:00');
  expect(buildIn('created_at', { ...context, serviceTimeZone: 'UTC' })).toBe('2025-06-15 12:00:00');
  expect(buildIn('when')).toBe('2025-06-15 14:00:00');
});
