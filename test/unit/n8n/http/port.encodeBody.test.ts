import { encodeBody } from '../../../../nodes/n8n/http/port';

const nested = JSON.parse('{"fields":{"other":{"__proto__":1}}}') as object;

test.each<[string, object]>([
  ['a slug', { constructor: 1, name: 'Ada' }],
  ['another slug', { prototype: 1 }],
  ['a key within objects', nested],
  ['a key within lists', { records: [[{ constructor: 1 }]] }],
])('%s that the HTTP client of n8n drops is sent as JSON text', (_, body) => {
  expect(encodeBody(body)).toEqual({
    body: JSON.stringify(body),
    headers: { 'Content-Type': 'application/json' },
  });
});

test.each([[{ name: 'constructor' }], [{ list: ['prototype', null] }], [{}], [undefined]])(
  '%j is sent as it is',
  (body) => {
    expect(encodeBody(body)).toEqual({ body });
  },
);
