import { defineV1, defineV11, formatEndpoint } from '../../../../nodes/client/endpoints/endpoint';
import { toField } from '../../../../nodes/client/fields/kinds';
import { Table } from '../../../../nodes/client/fields/table';
import {
  buildSortBy,
  createPayload,
  encodeRecordValues,
  formatColumnList,
  toMultipartFields,
} from '../../../../nodes/client/records/payload';
import { fullFieldSchema } from '../../../../nodes/client/responses/schemas';

const createField = (slug: string, type: string) =>
  toField(fullFieldSchema.parse({ slug, name: slug, type }));
const table = new Table('t1', [
  createField('company', 'Text'),
  createField('page', 'Number'),
  createField('who', 'Name'),
  createField('scan', 'File'),
]);
const context = { timeZone: 'UTC' };
const encode = (values: object) => encodeRecordValues(values as Record<string, unknown>, table, context);
const file = { name: 'a.txt' } as never;

test('omits columns without a value; null and empty text clear the cell', () => {
  expect(Object.keys(Object.fromEntries(encode({ company: undefined, page: null })))).toEqual(['page']);
  expect(encode({ company: '' })).toEqual([['company', '']]);
  expect(encode({ 'who[first_name]': 'Ada' })).toEqual([['who[first_name]', 'Ada']]);
  expect(() => encode({ nosuch: 1 })).toThrow('Columns: the table has no field "nosuch"');
});

/** Spec: General rules, 2, and Records: a POST with a list key is a list request. */
test.each<[string, Array<[string, unknown]>, 'json' | 'multipart']>([
  ['values', [['company', 'x']], 'json'],
  ['a list of texts', [['company', ['a', 'b']]], 'json'],
  ['an empty list', [['company', []]], 'json'],
  ['nothing', [], 'multipart'],
  ['a file', [['scan[]', [file]]], 'multipart'],
  ['values and a file', [['company', 'x'], ['scan[]', [file]]], 'multipart'], // prettier-ignore
  ...[
    'filters',
    'page',
    'limit',
    'order',
    'order_by',
    'sort_by',
    'columns',
    'fields',
    'display_names',
    'showequationlog',
  ].map((key): [string, Array<[string, unknown]>, 'multipart'] => [
    `a field called ${key}`,
    [['company', 'x'], [key, '1']], // prettier-ignore
    'multipart',
  ]),
])('%s: sent as %s', (_what, entries, kind) => {
  const payload = createPayload(entries as never);
  expect(payload).toEqual(
    kind === 'json' ? { kind, values: Object.fromEntries(entries) } : { kind, entries },
  );
});

/** Spec: Linked record creation. In both content types, the key of the link is the key of such a column. */
test.each(['connected_to', 'connected_to[first_name]'])(
  'a new record with a column %s is refused, an update is not',
  (key) => {
    const entries = [
      ['text', 'a'],
      [key, 'x'],
    ];
    expect(() => createPayload(entries as never)).toThrow(
      'A new record cannot take the column "connected_to": the service reads this key as the link to a parent',
    );
    expect(createPayload(entries as never, 'update')).toEqual({
      kind: 'json',
      values: { text: 'a', [key]: 'x' },
    });
    expect(createPayload([['connected_to_name', 'x']]).kind).toBe('json');
  },
);

test('an update with a list key is not a list request', () => {
  expect(createPayload([['page', '1']], 'update')).toEqual({ kind: 'json', values: { page: '1' } });
});

test('the parts of a form', () => {
  const entries = [
    ['text', 'a'],
    ['number', 0],
    ['none', null],
    ['list', ['a', 'b']],
    ['empty', []],
    ['scan[]', [file, file]],
  ];
  expect(toMultipartFields(entries as never)).toEqual([
    ['text', 'a'],
    ['number', '0'],
    ['none', ''],
    ['list[]', 'a'],
    ['list[]', 'b'],
    ['empty', ''],
    ['scan[]', file],
    ['scan[]', file],
  ]);
});

test('sorting and columns name what the table has', () => {
  expect(
    buildSortBy(
      [
        { field: 'page', direction: 'desc' },
        { field: 'company', direction: 'asc' },
      ],
      table,
    ),
  ).toEqual([
    { sort: 'page', by: 'desc' },
    { sort: 'company', by: 'asc' },
  ]);
  expect(() => buildSortBy([{ field: 'page', direction: 'up' }], table)).toThrow(
    expect.objectContaining({
      message: 'Sort: the direction cannot be "up"',
      description: 'Choose asc or desc.',
    }),
  );
  expect(buildSortBy([{ field: ' page ', direction: 'asc' }], table)).toEqual([{ sort: 'page', by: 'asc' }]);
  for (const field of [undefined, null, ' ']) {
    expect(() => buildSortBy([{ field, direction: 'asc' }], table)).toThrow(
      expect.objectContaining({
        message: 'Sort: a rule has no field',
        description: 'Choose the field, or remove the rule. An expression may have returned nothing.',
      }),
    );
  }
  expect(() => buildSortBy([{ field: 5 as never, direction: 'asc' }], table)).toThrow('no field "5"');
  expect(() => buildSortBy([{ field: 'who-last', direction: 'asc' }], table)).toThrow('no field "who-last"');
  expect(() => buildSortBy([{ field: 'nosuch', direction: 'asc' }], table)).toThrow(
    'Sort: the table has no field',
  );
  expect(formatColumnList(['page', 'company'], table)).toBe('page,company');
  expect(() => formatColumnList(['who-last'], table)).toThrow('Columns: the table has no field');
});

test.each([
  ['asc', 'asc'],
  [' Ascending', 'asc'],
  ['DESC ', 'desc'],
  ['descending', 'desc'],
])('the direction %j is %s', (direction, by) => {
  expect(buildSortBy([{ field: 'page', direction }], table)).toEqual([{ sort: 'page', by }]);
});

test('the method decides the effect of an endpoint unless it is given', () => {
  expect(defineV1('GET /a')).toEqual({ method: 'GET', path: '/api/v1/a', effect: 'read' });
  expect(defineV1('POST /a')).toMatchObject({ method: 'POST', effect: 'nonIdempotent' });
  expect(defineV1('DELETE /a')).toMatchObject({ method: 'DELETE', effect: 'idempotent' });
  expect(defineV11('POST /a/{id}', { effect: 'read' })).toEqual({
    method: 'POST',
    path: '/api/v1.1/{appId}/a/{id}',
    effect: 'read',
  });
  expect(formatEndpoint(defineV1('GET /a'))).toBe('GET /api/v1/a');
});
