import {
  countIn,
  fullFieldListSchema,
  listIn,
  recordAnswerSchema,
  recordListSchema,
  statusSchema,
  tableListSchema,
} from '../../../nodes/shared/model/responses';
import { subscriptionsIn } from '../../../nodes/shared/model/subscription';

/** Answers as the spec shows them, and the looser ones that its silence allows. */

test.each<[string, unknown, string | undefined, unknown]>([
  ['the answer itself', [1], 'items', [1]],
  ['under the key', { items: [1], other: [2] }, 'items', [1]],
  ['the only one, whatever its key', { type: 'success', rows: [1] }, 'items', [1]],
  ['the only one, without a key', { rows: [1] }, undefined, [1]],
  ['none of two', { a: [1], b: [2] }, 'items', undefined],
  ['none at all', { a: {} }, 'items', undefined],
  ['something else under the key', { items: {}, other: [1] }, 'items', undefined],
  ['null under the key is an empty one', { items: null, total: 0 }, 'items', []],
  ['null under the key, beside the only one', { pages: null, items: [1] }, 'pages', [1]],
  ['null under another key is none', { rows: null }, undefined, undefined],
  ['a text', 'text', 'items', undefined],
  ['null', null, 'items', undefined],
  ['nothing', undefined, undefined, undefined],
])('the list of an answer: %s', (_what, body, key, list) => {
  expect(listIn(body, key)).toEqual(list);
});

test.each([null, '', undefined])('a total of %j is not told, which is not none', (total_items) => {
  expect(recordListSchema.parse({ items: [], total_items }).total_items).toBeUndefined();
  expect(countIn(total_items)).toBeUndefined();
});

test.each<[unknown, number | undefined]>([
  [0, 0],
  ['12', 12],
  [1.5, undefined],
  ['many', undefined],
])('a count of %j is %p', (value, expected) => expect(countIn(value)).toBe(expected));

test('records: numbers may come as text, ids as numbers, and unknown keys pass through', () => {
  const items = [{ id: 7, company: 'x' }, { id: 'r2' }];
  expect(recordListSchema.parse({ items, total_items: '12', total_pages: 1, more: true })).toEqual({
    items: [{ id: '7', company: 'x' }, { id: 'r2' }],
    total_items: 12,
    total_pages: 1,
    more: true,
  });
  expect(recordAnswerSchema.parse({ type: 'success', item: { id: 7, a: 1 } })).toEqual({
    type: 'success',
    item: { id: '7', a: 1 },
  });
});

test('a record that is right as it came is not copied', () => {
  const items = [{ id: 'r1' }];
  expect(recordListSchema.parse({ items }).items[0]).toBe(items[0]);
});

test.each<[unknown, RegExp]>([
  [{ items: {} }, /Expected a list of records/],
  [{ items: [{ id: 'r1' }, {}] }, /Expected a list of records/],
  [{ items: [null] }, /Expected a list of records/],
  [{ items: ['r1'] }, /Expected a list of records/],
  [{ items: [{ id: null }] }, /Expected a list of records/],
  [{}, /items/],
  [{ items: [], total_items: 'many' }, /total_items/],
])('%j is no list of records', (body, message) => {
  expect(() => recordListSchema.parse(body)).toThrow(message);
});

test.each([{}, { item: null }, { item: { name: 'x' } }, { item: { id: {} } }, { item: 'r1' }])(
  '%j is no record',
  (body) => {
    const parsed = recordAnswerSchema.safeParse(body);
    expect(parsed.success).toBe(false);
    expect(JSON.stringify(parsed.error)).toContain('Expected a record');
  },
);

test('of a field everything but its slug may be missing', () => {
  const empty = { slug: 'a', fieldId: '', name: '', type: '', description: '', is_unique: '', options: [] };
  const nulls = { slug: 'a', fieldId: null, name: null, type: null, description: null, is_unique: null, options: null }; // prettier-ignore
  const fields = [{ slug: 'a' }, nulls, { slug: 'a', options: [{ label: 1, value: 2 }], extra: 'x' }];
  expect(fullFieldListSchema.parse({ fields }).fields).toEqual([
    empty,
    empty,
    { ...empty, options: [{ label: '1', value: '2' }], extra: 'x' },
  ]);
  expect(() => fullFieldListSchema.parse({ fields: [{ name: 'x' }] })).toThrow(/slug/);
});

test('tables and the status', () => {
  expect(tableListSchema.parse({ data_tables: [{ id: 1, name: 2, more: 3 }] }).data_tables).toEqual([
    { id: '1', name: '2', more: 3 },
  ]);
  expect(statusSchema.parse({ api_key: { status: null } }).api_key.status).toBe('');
  expect(statusSchema.parse({ api_key: { status: 'Active' }, permissions: { read: true } })).toMatchObject({
    permissions: { read: true },
  });
  expect(() => statusSchema.parse({})).toThrow(/api_key/);
  const flags = { a: false, b: 0, c: 'No', d: 'false', e: true, f: 1, g: 'Yes', h: null };
  expect(statusSchema.parse({ api_key: {}, permissions: flags }).permissions).toEqual(
    { a: false, b: false, c: false, d: false, e: true, f: true, g: true, h: true }, // prettier-ignore
  );
  expect(statusSchema.parse({ api_key: {}, permissions: 'all' }).permissions).toBeUndefined();
});

test('subscriptions: events in capitals; what is none is left out; no list is not an empty one', () => {
  const row = { id: 5, data_table_id: 6, type: 'insert', hookUrl: 'http://h', platform: null };
  expect(subscriptionsIn({ type: 'success', hooks: [row, { id: 1 }, 'x'] })).toEqual([
    { id: '5', data_table_id: '6', type: 'INSERT', hookUrl: 'http://h', platform: '' },
  ]);
  expect(subscriptionsIn([])).toEqual([]);
  expect(subscriptionsIn({ type: 'success' })).toBeUndefined();
});
