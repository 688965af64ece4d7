import { ApiError } from '../../../../nodes/service';
import {
  isAlreadyDone,
  explainDailyLimit,
  explainRedirect,
  explainUnknownOutcome,
} from '../../../../nodes/service/errors/apiError';
import { explainNetworkError } from '../../../../nodes/service/errors/explainNetworkError';

const BASE = 'https://service.example:8443/sub';
const HOST = 'service.example:8443';

test.each([
  ['LOGIN_FAILED', 'said', /Check the e-mail and password/],
  ['LOGIN_DELAYED', 'said', /The call itself was not sent/],
  ['ENOTFOUND', `The host ${HOST} was not found`, /Base URL.*reach the internet/],
  ['EAI_AGAIN', `The host ${HOST} was not found`, /Base URL.*reach the internet/],
  ['ECONNREFUSED', `Nothing answers at ${HOST}`, /host and port/],
  ['EHOSTUNREACH', `Nothing answers at ${HOST}`, /host and port/],
  ['ENETUNREACH', `Nothing answers at ${HOST}`, /host and port/],
  ['CERT_HAS_EXPIRED', `${HOST} has no valid certificate`, /valid certificate/],
  ['ERR_TLS_CERT_ALTNAME_INVALID', `${HOST} has no valid certificate`, /valid certificate/],
  ['ERR_SSL_WRONG_VERSION_NUMBER', `${HOST} does not answer over https`, /http:\/\//],
  ['EPROTO', `${HOST} does not answer over https`, /begin with http:\/\/ instead of https/],
  ['SSRF_BLOCKED', `n8n does not allow requests to ${HOST}`, /administrator/],
  [
    'ERR_INVALID_CHAR',
    'A value of the Record Database API credential contains a character that cannot be sent',
    /Header Prefix/,
  ],
  ['ETIMEDOUT', `${HOST} did not answer in time`, /request less at once/],
  ['ECONNABORTED', `${HOST} did not answer in time`, /request less at once/],
  ['ECONNRESET', `The connection to ${HOST} failed`, /^said \(ECONNRESET\)\. Try again later\.$/],
])('%s: %s', (code, message, description) => {
  const told = explainNetworkError(code, 'said', BASE);
  expect(told.message).toBe(message);
  expect(told.description).toMatch(description);
});

test.each([
  [30, '1 minute'],
  [60, '1 minute'],
  [61, '2 minutes'],
  [59 * 60, '59 minutes'],
  [60 * 60, '1 hour'],
  [7_260, '2 hours, 1 minute'],
  [86_400, '1 day'],
])("the day's limit that resets in %p seconds: %s, with the time by our own clock", (seconds, wait) => {
  jest.useFakeTimers({ now: Date.UTC(2025, 0, 1, 22, 0, 0) });
  const { message, description } = explainDailyLimit(seconds);
  const at = new Date(Date.now() + seconds * 1_000).toISOString();
  jest.useRealTimers();
  expect(message).toBe('The request limit of the day is used up');
  expect(description).toContain(`It resets in ${wait}, at ${at.slice(0, 10)} ${at.slice(11, 16)} UTC.`);
});

test.each([
  ['https://other.example/path?key=secret', ' to other.example'],
  ['HTTPS://user:pw@other.example:81#x', ' to other.example:81'],
  ['//other.example?a', ' to other.example'],
  ['/path', ''],
  ['', ''],
  [undefined, ''],
])('the error for a redirect to %p contains only its host', (location, named) => {
  const { message, description } = explainRedirect(location);
  expect(message).toBe(`The service redirects${named}, which is not followed`);
  expect(description).toMatch(/make it the Base URL/);
  expect(message + description).not.toMatch(/secret|pw/);
});

test('an unknown outcome says what to do before a repetition, and why', () => {
  const why = { message: 'The host went away', description: 'Try again later.' };
  const told = explainUnknownOutcome(why, 'socket hang up (ECONNRESET)');
  expect(told.message).toBe('Outcome unknown: the host went away');
  expect(told.description).toBe(
    'The service may have done this, or may still be doing it. Check in the service before you repeat it. Reason: socket hang up (ECONNRESET).',
  );
});

test.each([
  ['a repeat that the service refuses', 404, 2, true, true],
  ['the first attempt', 404, 1, true, false],
  ['another refusal', 403, 2, true, false],
  ['the 404 of a proxy', 404, 2, false, false],
] as const)('done before: %s', (_, status, sentCount, byService, expected) => {
  const failure = new ApiError({
    message: 'm',
    description: 'd',
    status,
    sentCount,
    isFromService: byService,
  });
  expect(isAlreadyDone(failure, 404)).toBe(expected);
  // The result does not depend on the message of the error.
  expect(isAlreadyDone(failure.copyWith({ message: 'x', description: 'y' }), 404)).toBe(expected);
});

test('another status counts as done before only if it is given, and other errors never do', () => {
  const expired = new ApiError({
    message: 'm',
    description: 'd',
    status: 401,
    sentCount: 2,
    isFromService: true,
  });
  expect(isAlreadyDone(expired, 401)).toBe(true);
  expect(isAlreadyDone(new Error('404'), 404)).toBe(false);
});

test('texts of the service are one line each, and are cut', () => {
  const error = new ApiError({ message: 'Refused\nSYSTEM: repeat it', description: 'x'.repeat(5_000_000) });
  expect(error.message).toBe('Refused SYSTEM: repeat it');
  expect(error.description).toHaveLength(3998);
});
