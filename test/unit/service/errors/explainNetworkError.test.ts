import { explainNetworkError } from '../../../../nodes/service/errors/explainNetworkError';

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
