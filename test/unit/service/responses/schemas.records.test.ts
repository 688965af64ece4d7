import {
  batchUpdateCheckSchema,
  createdRecordSchema,
  recordListSchema,
  recordSchema,
} from '../../../../nodes/service/responses/schemas';

/** Spec: Records. The answers pass through whole. */
test.each([
  [
    'list',
    recordListSchema,
    { type: 'success', items: [{ id: 'r1', company: 'Acme' }], total_items: 1, total_pages: 1, current_page: 1, limit: 100 }, // prettier-ignore
  ],
  ['get', recordSchema, { type: 'success', item: { id: 'r1', company: 'Acme' } }],
  // A request for some columns.
  ['get', recordSchema, { type: 'success', item: { company: 'Acme' } }],
  ['batch-update-check', batchUpdateCheckSchema, { type: 'success', total: 12, msg: '12 records' }],
  ['batch-update-check', batchUpdateCheckSchema, { total: 0 }],
])('the answer to %s: %#', (_call, schema, body) => {
  expect(schema.parse(body)).toEqual(body);
});

test('counts of a list may come as text', () => {
  const counts = { total_items: '12', total_pages: '2', current_page: '1', limit: '100' };
  expect(recordListSchema.parse({ items: [], ...counts })).toMatchObject({ items: [], total_items: 12 });
});

test('the count of a batch update may come as text', () => {
  expect(batchUpdateCheckSchema.parse({ total: '7' })).toEqual({ total: 7 });
});

const NO_LIST = 'Expected a list of records, each with an ID';

test.each([
  ['items', NO_LIST, { items: 'r1', total_items: 1 }, recordListSchema],
  ['items', NO_LIST, { items: [{ id: 'r1' }, { id: true }], total_items: 2 }, recordListSchema],
  ['items', NO_LIST, { items: [undefined], total_items: 1 }, recordListSchema],
  ['total_items', 'Expected a number', { items: [], total_items: 'many' }, recordListSchema],
  ['total_items', 'Expected a number', { items: [] }, recordListSchema],
  ['item', 'Expected an object', { item: 'r1' }, recordSchema],
  ['item', 'Expected an object', { type: 'success', items: [] }, recordSchema],
  ['total', 'Expected a number', { total: 'many' }, batchUpdateCheckSchema],
  ['total', 'Expected a number', { total: 1.5 }, batchUpdateCheckSchema],
  ['total', 'Expected a number', { total: null }, batchUpdateCheckSchema],
  ['total', 'Expected a number', { type: 'success' }, batchUpdateCheckSchema],
])('%s: %s, not %j', (key, message, body, schema) => {
  expect(schema.safeParse(body).error?.issues).toEqual([
    expect.objectContaining({ path: [key], code: 'custom', message }),
  ]);
});

/** Spec: Records, "Create response". Clients met an answer with the ID alone. */
test.each([
  [{ item: { id: 'r1', company: 'Acme' } }, { id: 'r1', item: { id: 'r1', company: 'Acme' } }],
  [{ recordId: 'r1' }, { id: 'r1', recordId: 'r1' }],
  [{ recordId: 17 }, { id: '17' }],
  [{ id: 'r1' }, { id: 'r1' }],
  [{ id: 0 }, { id: '0' }],
  [{ item: { id: 5 } }, { id: '5', item: { id: '5' } }],
  [
    { item: { company: 'Acme' }, recordId: 'r1' },
    { id: 'r1', item: { id: 'r1', company: 'Acme' } },
  ],
  [{ item: { id: '' }, recordId: '', id: 'r1' }, { id: 'r1' }],
  [
    { item: 'r2', recordId: 'r1' },
    { id: 'r1', item: undefined },
  ],
])('the answer %j to a create has an ID', (body, created) => {
  const answer = { type: 'success', msg: 'Record saved successfully', ...body };
  expect(createdRecordSchema.parse(answer)).toMatchObject({ msg: answer.msg, ...created });
});

test.each([
  {},
  { item: 'r1' },
  { item: { company: 'Acme' } },
  { recordId: '' },
  { id: null },
  { id: ['r1'] },
])('the answer %j to a create has none', (body) => {
  expect(createdRecordSchema.safeParse({ type: 'success', ...body }).error?.issues).toMatchObject([
    { message: 'Expected the ID of the record under "item", "recordId" or "id"' },
  ]);
});
