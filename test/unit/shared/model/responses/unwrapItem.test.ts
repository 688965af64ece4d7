import { unwrapItem } from '../../../../../nodes/shared/model/responses/unwrapItem';

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

test('the key may be another', () => expect(unwrapItem({ page, item: { id: 'x' } }, 'page')).toBe(page));
