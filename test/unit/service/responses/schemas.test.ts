import { fullFieldSchema, parseSubscriptions } from '../../../../nodes/service';
import {
  parseCount,
  findList,
  createItemSchema,
  createListSchema,
  createUndocumentedListSchema,
  fullFieldListSchema,
  idSchema,
  apiKeyStatusSchema,
  objectSchema,
  recordListSchema,
  tableListSchema,
  textSchema,
} from '../../../../nodes/service/responses/schemas';

/** Responses as the spec defines them, and variants that it does not exclude. */

test.each<[string, unknown, string | undefined, unknown]>([
  ['the answer itself', [1], 'items', [1]],
  ['under the key', { items: [1], other: [2] }, 'items', [1]],
  ['the only one, whatever its key', { type: 'success', rows: [1] }, 'items', [1]],
  ['the only one, without a key', { rows: [1] }, undefined, [1]],
  ['none of two', { a: [1], b: [2] }, 'items', undefined],
  ['none at all', { a: {} }, 'items', undefined],
  ['something else under the key', { items: {}, other: [1] }, 'items', undefined],
  ['null under the key', { items: null, total: 0 }, 'items', undefined],
  ['null under the key, beside the only one', { pages: null, items: [1] }, 'pages', [1]],
  ['null under another key is none', { rows: null }, undefined, undefined],
  ['a text', 'text', 'items', undefined],
  ['null', null, 'items', undefined],
  ['nothing', undefined, undefined, undefined],
])('the list of an answer: %s', (_what, body, key, list) => {
  expect(findList(body, key)).toEqual(list);
});

test.each([null, '', undefined])('a total of %j is none, not 0', (total_items) => {
  expect(recordListSchema.safeParse({ items: [], total_items }).success).toBe(false);
  expect(parseCount(total_items)).toBeUndefined();
});

test.each<[unknown, number | undefined]>([
  [0, 0],
  ['12', 12],
  [1.5, undefined],
  ['many', undefined],
])('a count of %j is %p', (value, expected) => expect(parseCount(value)).toBe(expected));

test.each<[string, unknown, unknown]>([
  ['the documented one', { items: [1], total_items: 5, total_pages: 2 }, { items: [1], total: 5 }],
  ['counts as text', { items: [1], total_items: '5' }, { items: [1], total: 5 }],
  ['another name of the count', { items: [1], total: 5 }, { items: [1], total: 5 }],
  ['a bare list', [1, 2], { items: [1, 2] }],
])('a list answer: %s', (_what, body, expected) => {
  expect(createListSchema('items').parse(body)).toEqual(expected);
  expect(createUndocumentedListSchema('items').parse(body)).toEqual(expected);
});

test.each([{}, { msg: 'none' }, { items: null }, { a: [1], b: [2] }, 'text', null])(
  '%j has no list: an error where the spec defines one, else the only entry',
  (body) => {
    expect(() => createListSchema('items').parse(body)).toThrow('Expected a list under \\"items\\"');
    expect(createUndocumentedListSchema('items').parse(body).items).toEqual([body]);
  },
);

test('a list is found under any of its keys', () => {
  const schema = createListSchema('pages', 'items');
  expect(schema.parse({ items: [1], status: [2] }).items).toEqual([1]);
  expect(schema.parse({ pages: [1], items: [2] }).items).toEqual([1]);
});

test.each<[string, unknown, unknown]>([
  ['null beside a filled list', { pages: null, items: [1] }, { items: [1] }],
  ['null under another key', { pages: [], more: null }, { items: [] }],
  ['tasks have their own count', { pages: [1], total_tasks: 3, total_pages: '2' }, { items: [1], total: 3 }], // prettier-ignore
])('a list under one of two keys: %s', (_what, body, expected) => {
  expect(createListSchema('pages', 'items').parse(body)).toEqual(expected);
  expect(createUndocumentedListSchema('pages', 'items').parse(body)).toEqual(expected);
});

test('an answer without a list names each key', () => {
  expect(createListSchema('pages', 'items').safeParse({}).error?.issues).toEqual([
    { code: 'custom', message: 'Expected a list under "pages" or "items"', path: [] },
  ]);
});

test('an answer that is not defined: its list under any key, or its object, is taken', () => {
  const schema = createUndocumentedListSchema('tasks');
  expect(schema.parse({ type: 'success', history: [1, 2] })).toEqual({ items: [1, 2] });
  expect(schema.parse({ type: 'success', item: { id: 'q1' } })).toEqual({ items: [{ id: 'q1' }] });
});

test('an object in an envelope is found under "item", or under the given key', () => {
  const body = { type: 'success', item: { a: 1 }, page: { b: 2 } };
  expect(createItemSchema().parse(body)).toEqual({ a: 1 });
  expect(createItemSchema('page').parse(body)).toEqual({ b: 2 });
  expect(createItemSchema().parse('text')).toBe('text');
});

test.each<[unknown, string]>([
  ['a', 'a'],
  ['', ''],
  [5, '5'],
  [0, '0'],
  [false, 'false'],
  [null, ''],
  [undefined, ''],
  [{ a: 1 }, ''],
  [['a'], ''],
])('%j is the text "%s"', (value, text) => expect(textSchema.parse(value)).toBe(text));

test('an ID is text or a number, and becomes text', () => {
  expect([idSchema.parse('K7pQ'), idSchema.parse(7)]).toEqual(['K7pQ', '7']);
  for (const other of [undefined, null, true, {}, ['K7pQ']]) {
    expect(() => idSchema.parse(other)).toThrow('Expected an ID');
  }
});

test('an object is neither a list nor null', () => {
  expect(objectSchema.parse({ a: 1 })).toEqual({ a: 1 });
  for (const value of [undefined, null, 'text', [], [{}]])
    expect(objectSchema.safeParse(value).error?.issues.map(({ message }) => message)).toEqual([
      'Expected an object',
    ]);
});

test('records: numbers may come as text, ids as numbers, and unknown keys pass through', () => {
  const items = [{ id: 7, company: 'x' }, { id: 'r2' }];
  expect(recordListSchema.parse({ items, total_items: '12', total_pages: 1, more: true })).toEqual({
    items: [{ id: '7', company: 'x' }, { id: 'r2' }],
    total_items: 12,
    total_pages: 1,
    more: true,
  });
});

test('a record that needs no change is not copied', () => {
  const items = [{ id: 'r1' }];
  expect(recordListSchema.parse({ items, total_items: 1 }).items[0]).toBe(items[0]);
});

test.each<[unknown, RegExp]>([
  [{ items: {} }, /Expected a list of records/],
  [{ items: [{ id: 'r1' }, {}] }, /Expected a list of records/],
  [{ items: [null] }, /Expected a list of records/],
  [{ items: ['r1'] }, /Expected a list of records/],
  [{ items: [{ id: null }] }, /Expected a list of records/],
  [{}, /items/],
])('%j is not a list of records', (body, message) => {
  expect(() => recordListSchema.parse(body)).toThrow(message);
});

test('everything of a field but its slug may be missing', () => {
  const empty = { slug: 'a', fieldId: '', name: '', type: '', description: '', is_unique: '', options: [] };
  const nulls = { slug: 'a', fieldId: null, name: null, type: null, description: null, is_unique: null, options: null }; // prettier-ignore
  const fields = [{ slug: 'a' }, nulls, { slug: 'a', options: [{ label: 1, value: 2 }], extra: 'x' }];
  expect(fields.map((field) => fullFieldSchema.parse(field))).toEqual([
    empty,
    empty,
    { ...empty, options: [{ label: '1', value: '2' }], extra: 'x' },
  ]);
  expect(fullFieldListSchema.parse({ fields }).items).toEqual(fields);
  expect(() => fullFieldListSchema.parse({ fields: [{ name: 'x' }] })).toThrow(/slug/);
});

test('tables and the status of the key', () => {
  expect(tableListSchema.parse({ data_tables: [{ id: 1, name: 2, more: 3 }] }).items).toEqual([
    { id: '1', name: '2', more: 3 },
  ]);
  expect(() => tableListSchema.parse({ data_tables: [{ name: 'a' }] })).toThrow('Expected an ID');
  expect(apiKeyStatusSchema.parse({ api_key: { status: null }, more: 1 })).toEqual({
    api_key: { status: null },
    more: 1,
  });
  expect(() => apiKeyStatusSchema.parse({})).toThrow(/api_key/);
});

test('subscriptions: events in capitals; other entries are left out', () => {
  const row = { id: 5, data_table_id: 6, type: 'insert', hookUrl: 'http://h', platform: null };
  expect(parseSubscriptions([row, { id: 1 }, null, 'x'])).toEqual([
    { id: '5', data_table_id: '6', type: 'INSERT', hookUrl: 'http://h', platform: '' },
  ]);
});
