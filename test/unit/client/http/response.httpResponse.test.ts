import { toHttpResponse } from '../../../../nodes/client/http/response';

const EMPTY = { 'content-length': '0' };

test.each<[number, Record<string, string>, unknown, unknown]>([
  [204, {}, '', {}],
  [200, EMPTY, '', {}],
  [200, {}, null, {}],
  [299, EMPTY, '', {}],
  [200, {}, '', ''],
  [200, { 'content-length': '5' }, 'other', 'other'],
  [300, EMPTY, '', ''],
  [500, EMPTY, '', ''],
  [500, {}, null, null],
])(
  'status %i with %j and the body %j: a call that may be empty gets %j',
  (statusCode, headers, body, content) => {
    expect(toHttpResponse({ statusCode, headers, body }, true).body).toEqual(content);
  },
);

test.each([
  [204, ''],
  [200, null],
])('status %i with the body %j is not a whole response of other calls', (statusCode, body) => {
  expect(toHttpResponse({ statusCode, headers: EMPTY, body }).body).toEqual(body);
});
