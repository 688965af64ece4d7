import {
  ApiFailure,
  explainDay,
  explainFault,
  explainRedirect,
  isDoneBefore,
  unknownOutcome,
} from '../../../nodes/shared/transport/errors';

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
  ['ERR_SSL_WRONG_VERSION_NUMBER', `${HOST} has no valid certificate`, /valid certificate/],
  ['ETIMEDOUT', `${HOST} did not answer in time`, /"Request Timeout"/],
  ['ECONNABORTED', `${HOST} did not answer in time`, /"Request Timeout"/],
  ['ECONNRESET', `The connection to ${HOST} failed`, /^said \(ECONNRESET\)\. Try again later\.$/],
])('%s: %s', (code, message, description) => {
  const told = explainFault(code, 'said', BASE);
  expect(told.message).toBe(message);
  expect(told.description).toMatch(description);
});

test.each([
  [30, '1 minute'],
  [60, '1 minute'],
  [61, '2 minutes'],
  [59 * 60, '59 minutes'],
  [60 * 60, '1 h 0 min'],
  [7_260, '2 h 1 min'],
  [undefined, '24 h 0 min'],
])("the day's limit that resets in %p seconds: %s, with the time by our own clock", (seconds, wait) => {
  jest.useFakeTimers({ now: Date.UTC(2025, 0, 1, 22, 0, 0) });
  const { message, description } = explainDay(seconds);
  const at = new Date(Date.now() + (seconds ?? 86_400) * 1_000).toISOString();
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
])('a redirect to %p names its host alone', (location, named) => {
  const { message, description } = explainRedirect(location);
  expect(message).toBe(`The service redirects${named}, which is not followed`);
  expect(description).toMatch(/make it the Base URL/);
  expect(message + description).not.toMatch(/secret|pw/);
});

test('an unknown outcome says that it was not sent again, and why', () => {
  const told = unknownOutcome({ message: 'The host went away', description: 'Try later.' });
  expect(told.message).toBe('Outcome unknown: the host went away');
  expect(told.description).toMatch(
    /still be at it, so it was not sent again\. Do not repeat it at once, and check in the service.* Try later\.$/,
  );
});

test.each([
  ['a repeat that the service refuses', 404, 2, true, true],
  ['the first attempt', 404, 1, true, false],
  ['another refusal', 403, 2, true, false],
  ['the 404 of a proxy', 404, 2, false, false],
] as const)('done before: %s', (_, status, attempts, byService, expected) => {
  const why = { message: 'm', description: 'd' };
  const failure = new ApiFailure(why, status, attempts, false, {}, byService);
  expect(isDoneBefore(failure)).toBe(expected);
  // Other words change nothing of what happened.
  expect(isDoneBefore(failure.explainedAs({ message: 'x', description: 'y' }))).toBe(expected);
});

test('other refusals than a 404 may say so, and other errors never do', () => {
  const expired = new ApiFailure({ message: 'm', description: 'd' }, 401, 2, false, {}, true);
  expect(isDoneBefore(expired, 401)).toBe(true);
  expect(isDoneBefore(new Error('404'))).toBe(false);
});
