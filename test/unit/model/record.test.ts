import { v1, v11, endpointName } from '../../../nodes/shared/model/endpoint';
import { fieldFrom } from '../../../nodes/shared/model/fields';
import {
  columnList,
  encodeValues,
  multipartFields,
  payloadOf,
  sortBy,
} from '../../../nodes/shared/model/record';
import { fullFieldSchema } from '../../../nodes/shared/model/responses';
import { Table } from '../../../nodes/shared/model/table';

const field = (slug: string, type: string) => fieldFrom(fullFieldSchema.parse({ slug, name: slug, type }));
const table = new Table('t1', [
  field('company', 'Text'),
  field('page', 'Number'),
  field('who', 'Name'),
  field('scan', 'File'),
]);
const context = { timeZone: 'UTC' };
const encoded = (values: object) => encodeValues(values as Record<string, unknown>, table, context);
const file = { name: 'a.txt' } as never;

test('what was not given is left out, what is null or empty clears the cell', () => {
  expect(Object.keys(Object.fromEntries(encoded({ company: undefined, page: null })))).toEqual(['page']);
  expect(encoded({ company: '' })).toEqual([['company', '']]);
  expect(encoded({ 'who[first_name]': 'Ada' })).toEqual([['who[first_name]', 'Ada']]);
  expect(() => encoded({ nosuch: 1 })).toThrow('Columns: the table has no field "nosuch"');
});

/** Spec: General rules, 2, and Records: a POST with a list key is a list request. */
test.each<[string, Array<[string, unknown]>, 'json' | 'multipart']>([
  ['values', [['company', 'x']], 'json'],
  ['a list of texts', [['company', ['a', 'b']]], 'json'],
  ['an empty list', [['company', []]], 'json'],
  ['nothing', [], 'multipart'],
  ['a file', [['scan[]', [file]]], 'multipart'],
  ...['filters', 'page', 'limit', 'order', 'order_by', 'sort_by', 'columns', 'fields'].map(
    (key): [string, Array<[string, unknown]>, 'multipart'] => [
      `a field called ${key}`,
      [['company', 'x'], [key, '1']], // prettier-ignore
      'multipart',
    ],
  ),
])('%s: sent as %s', (_what, entries, kind) => {
  const payload = payloadOf(entries as never);
  expect(payload).toEqual(
    kind === 'json' ? { kind, values: Object.fromEntries(entries) } : { kind, entries },
  );
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
  expect(multipartFields(entries as never)).toEqual([
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
    sortBy(
      [
        { field: 'page', direction: 'desc' },
        { field: 'who-last', direction: 'asc' },
      ],
      table,
    ),
  ).toEqual([
    { sort: 'page', by: 'desc' },
    { sort: 'who-last', by: 'asc' },
  ]);
  expect(() => sortBy([{ field: 'page', direction: 'up' as never }], table)).toThrow(
    'Sort: the direction cannot be "up"',
  );
  expect(sortBy([{ field: ' page ', direction: 'asc' }], table)).toEqual([{ sort: 'page', by: 'asc' }]);
  for (const field of [undefined, null, ' ']) {
    expect(() => sortBy([{ field: field as never, direction: 'asc' }], table)).toThrow(
      'Sort: a rule has no field',
    );
  }
  expect(() => sortBy([{ field: 5 as never, direction: 'asc' }], table)).toThrow('no field "5"');
  expect(() => sortBy([{ field: 'nosuch', direction: 'asc' }], table)).toThrow(
    'Sort: the table has no field',
  );
  expect(columnList(['page', 'company'], table)).toBe('page,company');
  expect(() => columnList(['who-last'], table)).toThrow('Columns: the table has no field');
});

test('what repeating a call does is told by its method unless said otherwise', () => {
  expect(v1('GET /a')).toEqual({ method: 'GET', path: '/api/v1/a', effect: 'read' });
  expect(v1('POST /a')).toMatchObject({ method: 'POST', effect: 'once' });
  expect(v1('DELETE /a')).toMatchObject({ method: 'DELETE', effect: 'idempotent' });
  expect(v11('POST /a/{id}', 'read')).toEqual({
    method: 'POST',
    path: '/api/v1.1/{appId}/a/{id}',
    effect: 'read',
  });
  expect(endpointName(v1('GET /a'))).toBe('GET /api/v1/a');
});
