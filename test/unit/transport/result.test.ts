import {
  announcementOf,
  fieldErrorsOf,
  isSuccess,
  messageIn,
  outcomeOf,
  reasonOf,
} from '../../../nodes/shared/transport/result';
import { NetworkFault, type HttpResponse } from '../../../nodes/shared/transport/send';

const BASE = 'https://service.example';
const answer = (status: number, body: unknown, headers: Record<string, string> = {}): HttpResponse => ({
  status,
  body,
  headers,
});
const fault = new NetworkFault('ECONNRESET', 'socket hang up');
const day = answer(429, { msg: 'Too Many Attempts In Day' }, { 'x-daily-retry-after': '60' });

test.each([
  [answer(200, {}), true],
  [answer(299, []), true],
  [answer(199, {}), false],
  [answer(300, {}), false],
  [answer(200, '<html>'), false],
  [answer(200, null), false],
  [fault, false],
])('%j is a success: %p', (result, expected) => expect(isSuccess(result)).toBe(expected));

test.each([
  [answer(200, '<html>'), { kind: 'broken' }],
  [answer(299, ''), { kind: 'broken' }],
  [answer(300, {}), { kind: 'answer', status: 300, dailyLimit: false }],
  [answer(199, {}), { kind: 'answer', status: 199, dailyLimit: false }],
  [answer(500, {}), { kind: 'answer', status: 500, dailyLimit: false }],
  [answer(403, { msg: 'not today' }), { kind: 'answer', status: 403, dailyLimit: false }],
  [answer(429, { msg: 'In Minute' }), { kind: 'answer', status: 429, dailyLimit: false }],
  [day, { kind: 'answer', status: 429, dailyLimit: true }],
  [fault, { kind: 'fault', code: 'ECONNRESET' }],
])('what became of %j', (result, expected) => expect(outcomeOf(result)).toEqual(expected));

test.each([
  [{ msg: 'text' }, 'text'],
  [{ msg: 5 }, ''],
  [{}, ''],
  [null, ''],
  ['text', ''],
  [undefined, ''],
])('the message in %j is "%s"', (body, expected) => expect(messageIn(body)).toBe(expected));

test('the budget learns from answers alone, and from a refusal that nothing is left', () => {
  const headers = { 'x-ratelimit-limit': '9', 'x-ratelimit-remaining': '4', 'x-retry-after': '7' };
  const minute = { limit: 9, remaining: 4, resetsInSeconds: 7 };
  expect(announcementOf(answer(200, {}, headers))?.minute).toEqual(minute);
  expect(announcementOf(answer(429, {}, headers))?.minute).toEqual({ ...minute, remaining: 0 });
  expect(announcementOf(day)).toMatchObject({ day: { remaining: 0, resetsInSeconds: 60 } });
  expect(announcementOf(fault)).toBeUndefined();
});

test('the errors of fields, where there are any', () => {
  expect(fieldErrorsOf(answer(422, { errors: { name: ['x'] } }))).toEqual({ name: ['x'] });
  for (const result of [answer(422, {}), answer(422, null), answer(500, 'x'), fault])
    expect(fieldErrorsOf(result)).toEqual({});
});

test.each([
  [fault, /service\.example|broke|connection/i],
  [answer(302, '', { location: 'https://other.example/' }), /redirect/i],
  [answer(399, ''), /redirect/i],
  [answer(200, '<html>'), /no JSON|JSON/],
  [day, /limit of the day is used up/],
  [answer(429, {}), /Too many requests in this minute/],
  [answer(404, { msg: 'Record Not Found' }), /record does not exist/],
])('why %j was none', (result, message) => {
  const { message: said, description } = reasonOf(result, BASE);
  expect(`${said} ${description}`).toMatch(message);
});
