import {
  AbortedError,
  DailyLimitError,
  UnstableListError,
} from '../../../../../nodes/shared/transport/errors/clientErrors';
import {
  explainRedirect,
  explainRefusedKeys,
} from '../../../../../nodes/shared/transport/errors/explainFailure';
import {
  explainNetworkError,
  findErrorCode,
} from '../../../../../nodes/shared/transport/errors/explainNetworkError';

test.each([
  [{ msg: 'Unknown App' }, '401 Unknown App.'],
  [{ msg: '' }, '401.'],
  [{ msg: 5 }, '401.'],
  ['<html>', '401.'],
])('refused keys with the body %j: the service answered %s', (body, answer) => {
  expect(explainRefusedKeys(body)).toEqual({
    message: 'The service refused the keys',
    description: `Compare App ID, App Key and App Secret in the Record Database API credential with those in the service. The service answered: ${answer}`,
  });
});

test.each([
  ['https://user:word@other.example/path?q=1', ' to other.example'],
  ['//other.example:8443', ' to other.example:8443'],
  ['/login?next=https://other.example', ''],
  [undefined, ''],
])('a redirect to %s names the host only', (location, target) => {
  expect(explainRedirect(location).message).toBe(`The service redirects${target}, which is not followed`);
});

test.each([
  ['http://service.example/base/path', 'service.example'],
  ['HTTPS://service.example:8443', 'service.example:8443'],
  ['https://service.example/http://x', 'service.example'],
])('a network error at %s names the host %s', (baseUrl, host) => {
  expect(explainNetworkError('ECONNRESET', 'socket hang up', baseUrl)).toEqual({
    message: `The connection to ${host} failed`,
    description: 'socket hang up (ECONNRESET). Try again later.',
  });
});

test('only a timeout has a setting in the form', () => {
  expect(['ETIMEDOUT', 'ECONNABORTED', 'ECONNRESET'].map(findErrorCode)).toEqual([
    'timeout',
    'timeout',
    undefined,
  ]);
});

test.each([
  [new AbortedError(), 'AbortedError', 'cancelled', undefined],
  [new DailyLimitError(60), 'DailyLimitError', 'dailyLimit', 429],
  [new UnstableListError(), 'UnstableListError', 'unstableList', undefined],
])('%s has a name and a code', (error, name, code, status) => {
  expect(error).toMatchObject({ name, code, status });
});
