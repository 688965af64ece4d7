import { NetworkError } from '../../../../nodes/service';
import { readErrorMessage } from '../../../../nodes/service/errors/serviceErrors';
import type { LoginMethod } from '../../../../nodes/service/http/credential';
import {
  type AttemptResult,
  createFailedResult,
  explainFailure,
  findRetryTime,
  formatReason,
  isSuccess,
  readFieldErrors,
  readRateLimitInfo,
} from '../../../../nodes/service/http/response';

const BASE = 'https://service.example';
const createAnswer = (
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): AttemptResult => ({
  status,
  body,
  headers,
});
const fault = createFailedResult(new NetworkError('ECONNRESET', 'socket hang up'));
const day = createAnswer(429, { msg: 'Too Many Attempts In Day' }, { 'x-daily-retry-after': '60' });

test.each([
  [createAnswer(200, {}), true],
  [createAnswer(299, []), true],
  [createAnswer(199, {}), false],
  [createAnswer(300, {}), false],
  [createAnswer(200, '<html>'), false],
  [createAnswer(200, null), false],
  [fault, false],
])('%j is a success: %p', (result, expected) => expect(isSuccess(result)).toBe(expected));

test.each([
  [{ msg: 'text' }, 'text'],
  [{ msg: 5 }, ''],
  [{}, ''],
  [null, ''],
  ['text', ''],
  [undefined, ''],
])('the message in %j is "%s"', (body, expected) => expect(readErrorMessage(body)).toBe(expected));

test('reports rate limits only from responses, and a refusal as no remaining requests', () => {
  const headers = { 'x-ratelimit-limit': '9', 'x-ratelimit-remaining': '4', 'x-retry-after': '7' };
  const minute = { limit: 9, remaining: 4, resetsInSeconds: 7 };
  expect(readRateLimitInfo(createAnswer(200, {}, headers))?.minute).toEqual(minute);
  expect(readRateLimitInfo(createAnswer(429, {}, headers))?.minute).toEqual({ ...minute, remaining: 0 });
  expect(readRateLimitInfo(day)).toMatchObject({ day: { remaining: 0, resetsInSeconds: 60 } });
  expect(readRateLimitInfo(fault)).toEqual({});
});

test('only a refusal for the limit of the day has a time to repeat the call', () => {
  jest.useFakeTimers({ now: Date.UTC(2025, 0, 1) });
  const at = findRetryTime(day);
  jest.useRealTimers();
  expect(at).toMatch(/^2025-01-01T00:01:0[01]\.000Z$/);
  for (const result of [createAnswer(429, { msg: 'In Minute' }), createAnswer(500, { msg: 'day' }), fault])
    expect(findRetryTime(result)).toBeUndefined();
});

test('the errors of fields, where there are any', () => {
  expect(readFieldErrors(createAnswer(422, { errors: { name: ['x'] } }))).toEqual({ name: ['x'] });
  for (const result of [createAnswer(422, {}), createAnswer(422, null), createAnswer(500, 'x'), fault])
    expect(readFieldErrors(result)).toEqual({});
});

test.each([
  [fault, /service\.example|broke|connection/i],
  [createAnswer(302, '', { location: 'https://other.example/' }), /redirect/i],
  [createAnswer(300, ''), /redirect/i],
  [createAnswer(399, ''), /redirect/i],
  [createAnswer(200, '<html>'), /no JSON|JSON/],
  [day, /limit of the day is used up/],
  [createAnswer(429, {}), /Too many requests in this minute/],
  [createAnswer(404, { msg: 'Record Not Found' }), /record does not exist/],
])('why %j was none', (result, message) => {
  const { message: said, description } = explainFailure(result, { baseUrl: BASE, loginMethod: 'none' });
  expect(`${said} ${description}`).toMatch(message);
});

test.each<[LoginMethod, string, RegExp]>([
  ['none', 'Unauthenticated', /^The service refused the keys Compare App ID.* 401 Unauthenticated\.$/],
  ['password', 'Token expired', /^The service refused the login/],
  [
    'token',
    'Token expired',
    /^The token of the credential is not valid, or has expired Log the user in again/,
  ],
  ['token', 'API Disabled', /^This API key is disabled/],
  ['none', 'API Disabled', /^This API key is disabled/],
])('a 401 with user login %p and "%s"', (loginMethod, msg, words) => {
  const { message, description } = explainFailure(createAnswer(401, { msg }), { baseUrl: BASE, loginMethod });
  expect(`${message} ${description}`).toMatch(words);
});

test.each<[Parameters<typeof formatReason>[0], string]>([
  [fault, 'socket hang up (ECONNRESET)'],
  [createAnswer(200, '<html>'), 'the answer was not valid JSON, or was incomplete'],
  [createAnswer(300, {}), '300'],
  [createAnswer(500, { msg: 'Server Error' }), '500 Server Error'],
  [createAnswer(502, '<html>'), '502'],
])('the reason of %j is: %s', (result, reason) => {
  expect(formatReason(result, [])).toBe(reason);
});

describe('a secret that is a word of our own sentences', () => {
  const SECRETS = ['service', 'record', 'answered', 'found', 'keys', 'deleted'];
  const explain = (result: Parameters<typeof explainFailure>[0]) => {
    const { message, description } = explainFailure(
      result,
      { baseUrl: BASE, loginMethod: 'none' },
      { secrets: SECRETS },
    );
    return `${message}. ${description}`;
  };

  test('hides no word of them, and what the answer means stays', () => {
    const text = explain(createAnswer(404, { type: 'error', msg: 'Record Not Found' }));
    expect(text).toBe(
      'The record does not exist. It may have been deleted. A record ID is the "id" that Get Many returns, not a number shown in the app. The service answered: 404 ••• Not •••.',
    );
    expect(explain(createAnswer(401, { msg: 'no keys' }))).toMatch(
      /^The service refused the keys\. .* The service answered: 401 no •••\.$/,
    );
  });

  test('is hidden in everything that comes from the service', () => {
    const errors = { record: ['not the service'], price: [{ text: 'found' }] };
    expect(explain(createAnswer(422, { msg: 'answered', errors }))).toMatch(
      /^The service did not accept the values \(•••: not the •••; price\.text: •••\)\. .* The service answered: 422 •••\.$/,
    );
    expect(explain(createAnswer(302, '', { location: 'https://keys.example/service' }))).toMatch(
      /redirects to •••\.example,/,
    );
    expect(explain(createAnswer(200, { type: 'error', msg: 'x' }))).not.toMatch(/•••/);
    expect(formatReason(createAnswer(500, { msg: 'the record' }), SECRETS)).toBe('500 the •••');
  });
});
