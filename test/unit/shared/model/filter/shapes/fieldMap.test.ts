import { readFieldMap, readFieldValue } from '../../../../../../nodes/shared/model/filter/shapes/fieldMap';

const item = (operator: string, val: unknown) => ({ field_id: 'price', operator, val });

test.each<[unknown, object]>([
  ['open', item('is', 'open')],
  [0, item('is', 0)],
  [null, item('is', null)],
  [['open', 'new'], item('is any of', ['open', 'new'])],
  [[], item('is any of', [])],
  [{ $gte: 5 }, item('$gte', 5)],
  [{ 'not like': '%a%' }, item('not like', '%a%')],
  [
    { $gte: 5, 'less than': 10 },
    { condition: 'AND', items: [item('$gte', 5), item('less than', 10)], child: [] },
  ],
  // An empty object must not become a group without conditions, which matches all records.
  [{}, item('is', {})],
  [{ city: 'Leeds' }, item('is', { city: 'Leeds' })],
  [{ gt: 5, city: 'Leeds' }, item('is', { gt: 5, city: 'Leeds' })],
])('a field with %j', (value, member) => {
  expect(readFieldMap('price', value)).toEqual(member);
});

test.each<[Record<string, unknown>, object]>([
  [{ property: 'price', number: { less_than: 5 } }, item('less_than', 5)],
  [
    { property: 'price', number: { gte: 1, lt: 5 } },
    { condition: 'AND', items: [item('gte', 1), item('lt', 5)], child: [] },
  ],
])('%j has its operators under the type', (value, member) => {
  expect(readFieldValue(value)).toEqual(member);
});

test.each<[Record<string, unknown>]>([
  [{ property: 'price' }],
  [{ property: 5, number: { less_than: 5 } }],
  [{ property: 'price', number: 5 }],
  [{ property: 'price', number: [] }],
  [{ property: 'price', number: { nearly: 5 } }],
  [{ property: 'price', number: { less_than: 5 }, text: { equals: 'a' } }],
  [{ number: { less_than: 5 } }],
])('%j does not', (value) => {
  expect(readFieldValue(value)).toBeUndefined();
});
