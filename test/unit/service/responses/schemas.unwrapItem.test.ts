import { unwrapItem } from '../../../../nodes/service/responses/schemas';

const page = { id: 'p1', name: 'Shop' };

test.each([
  [{ type: 'success', item: page }, page],
  [{ type: 'success', entry: page }, page],
  [page, page],
  [
    { type: 'table', name: 'Customers', settings: page },
    { type: 'table', name: 'Customers', settings: page },
  ],
  [{ type: 'success', items: [page] }, page],
  [
    { type: 'success', items: [page, page] },
    { type: 'success', items: [page, page] },
  ],
  [
    { type: 'success', items: ['text'] },
    { type: 'success', items: ['text'] },
  ],
  [
    { type: 'success', a: page, b: page },
    { type: 'success', a: page, b: page },
  ],
  [
    { type: 'success', item: 'text' },
    { type: 'success', item: 'text' },
  ],
  [[page], page],
  [
    [page, page],
    [page, page],
  ],
  ['text', 'text'],
  [null, null],
])('%j', (body, expected) => expect(unwrapItem(body)).toEqual(expected));

test('a response with its own ID is not unwrapped', () => {
  const entry = { id: 'q1', dataTable: { id: 't1' } };
  expect(unwrapItem(entry)).toBe(entry);
});

test('a response with its own ID is not the entry of its list', () => {
  const entry = { id: 'q1', items: [page] };
  expect(unwrapItem(entry)).toBe(entry);
});

test.each(['type', 'status', 'msg', 'message', 'success', 'code', 'total', 'total_items'])(
  '%s beside the object describes the response',
  (key) => expect(unwrapItem({ [key]: 'x', entry: page })).toBe(page),
);

test.each(['status_date', 'page_type', 'subtotal', 'msgs', 'name'])(
  '%s beside an object belongs to the response',
  (key) => {
    const body = { [key]: 'x', settings: page };
    expect(unwrapItem(body)).toBe(body);
  },
);

test('the object under its key is found beside other objects', () => {
  expect(unwrapItem({ user: { id: 'u1' }, item: page })).toBe(page);
  expect(unwrapItem({ id: 'x', item: page })).toBe(page);
});

test('the key may be another', () => expect(unwrapItem({ page, item: { id: 'x' } }, 'page')).toBe(page));
