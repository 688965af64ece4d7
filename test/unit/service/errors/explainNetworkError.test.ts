import { explainNetworkError, toApiErrorCode } from '../../../../nodes/service/errors/explainNetworkError';

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

test('a timeout and the size of a file have a setting', () => {
  const codes = ['ETIMEDOUT', 'ECONNABORTED', 'FILE_TOO_LARGE', 'ANSWER_TOO_LARGE', 'ECONNRESET'];
  expect(codes.map(toApiErrorCode)).toEqual(['timeout', 'timeout', 'fileTooLarge', undefined, undefined]);
});
