import { type HttpResponse } from '../../../../nodes/service';
import { interpretResponse, type AttemptResult } from '../../../../nodes/service/http/response';

const getBody = (result: AttemptResult) => (result as HttpResponse).body;

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
  (status, headers, body, content) => {
    expect(getBody(interpretResponse({ status, headers, body }, { mayBeEmpty: true }))).toEqual(content);
  },
);

test.each([
  [204, ''],
  [200, null],
])('status %i with the body %j is not a whole response of other calls', (status, body) => {
  expect(getBody(interpretResponse({ status, headers: EMPTY, body }))).toEqual(body);
});
