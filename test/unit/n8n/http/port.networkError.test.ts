import { type N8nRequestError, toNetworkError } from '../../../../nodes/n8n/http/port';

const REFUSED = 'connect ECONNREFUSED 127.0.0.1:1';

/** [what failed, the error of n8n 2.40, the error of n8n up to 2.20, the code and the reason of both]. */
const failures: Array<[string, N8nRequestError, N8nRequestError, string, string]> = [
  [
    'a refused connection',
    { cause: { code: 'ECONNREFUSED', syscall: 'connect', message: REFUSED } },
    { httpCode: 'ECONNREFUSED', message: 'The service refused the connection', messages: [REFUSED] },
    'ECONNREFUSED',
    REFUSED,
  ],
  [
    'a timeout',
    { cause: { code: 'ECONNABORTED', message: 'timeout of 1000ms exceeded' } },
    {
      httpCode: 'ECONNABORTED',
      message: 'The connection was aborted',
      messages: ['timeout of 1000ms exceeded'],
    },
    'ECONNABORTED',
    'timeout of 1000ms exceeded',
  ],
  [
    'a host that cannot be reached',
    { cause: { code: 'EHOSTUNREACH', syscall: 'connect', message: 'connect EHOSTUNREACH 10.0.0.1:443' } },
    { httpCode: 'EHOSTUNREACH', messages: ['connect EHOSTUNREACH 10.0.0.1:443'] },
    'EHOSTUNREACH',
    'connect EHOSTUNREACH 10.0.0.1:443',
  ],
  [
    'a host that was lost after the request was sent',
    { cause: { code: 'EHOSTUNREACH', syscall: 'read', message: 'read EHOSTUNREACH' } },
    { httpCode: 'EHOSTUNREACH', messages: ['read EHOSTUNREACH'] },
    'EHOSTUNREACH_LATER',
    'read EHOSTUNREACH',
  ],
  [
    'a connection that was reset during the TLS handshake',
    {
      cause: {
        code: 'ECONNRESET',
        message: 'Client network socket disconnected before secure TLS connection',
      },
    },
    {
      httpCode: 'ECONNRESET',
      messages: ['Client network socket disconnected before secure TLS connection'],
    },
    'ECONNRESET_BEFORE_TLS',
    'Client network socket disconnected before secure TLS connection',
  ],
  [
    'a connection that was reset later',
    { cause: { code: 'ECONNRESET', message: 'socket hang up' } },
    { httpCode: 'ECONNRESET', messages: ['socket hang up'] },
    'ECONNRESET',
    'socket hang up',
  ],
  [
    'an unknown failure',
    { message: 'Something else' },
    { httpCode: null, message: 'Something else' },
    'UNKNOWN',
    'Something else',
  ],
];

test.each(failures)(
  '%s has one code and reason in all releases of n8n',
  (_, current, earlier, code, reason) => {
    for (const error of [current, earlier]) {
      expect(toNetworkError(error)).toMatchObject({ code, message: reason });
    }
  },
);

const SSRF_MESSAGE = 'The address is not allowed';

test.each<[string, N8nRequestError]>([
  ['the error', { name: 'SsrfBlockedIpError', message: SSRF_MESSAGE }],
  ['its cause', { cause: { name: 'SsrfBlockedIpError', message: SSRF_MESSAGE } }],
  ['the cause of its cause', { cause: { cause: { name: 'SsrfBlockedHostError' }, message: SSRF_MESSAGE } }],
])('a block by the SSRF protection of n8n is recognized by the name of %s', (_, error) => {
  expect(toNetworkError(error)).toMatchObject({ code: 'SSRF_BLOCKED', message: SSRF_MESSAGE });
});

test.each(['NotSsrfBlocked', '', undefined])('an error with the name %j is no block', (name) => {
  expect(toNetworkError({ name, message: SSRF_MESSAGE }).code).toBe('UNKNOWN');
});

test('only a code of a lost host gets another name', () => {
  const toCode = (code: string) => toNetworkError({ cause: { code, syscall: 'read', message: '' } }).code;
  expect(['ENETUNREACH', 'XEHOSTUNREACH', 'EHOSTUNREACHABLE'].map(toCode)).toEqual([
    'ENETUNREACH_LATER',
    'XEHOSTUNREACH',
    'EHOSTUNREACHABLE',
  ]);
});
