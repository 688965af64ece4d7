import { systemClock } from '../../../../nodes/n8n/http/port';
import type { Credential } from '../../../../nodes/service/http/credential';
import { getRateLimiter } from '../../../../nodes/service/http/rateLimiter';

const forKey = (appKey: string) =>
  getRateLimiter({ fingerprints: { key: appKey } } as Credential, systemClock);

const useOtherKeys = (count: number) => {
  for (let nth = 0; nth < count; nth++) forKey(`other-${nth}`);
};

test('nodes with the same key share one rate limiter', () => {
  expect(forKey('a')).toBe(forKey('a'));
  expect(forKey('a')).not.toBe(forKey('b'));
});

test('a rate limiter without calls is removed when 200 others were used since', () => {
  const first = forKey('a');
  useOtherKeys(150);
  expect(forKey('a')).toBe(first);
  useOtherKeys(250);
  expect(forKey('a')).not.toBe(first);
});

test('a rate limiter with a running call is never removed', async () => {
  const busy = forKey('busy');
  const permit = await busy.acquire();
  useOtherKeys(250);
  expect(forKey('busy')).toBe(busy);
  busy.release(permit);
  useOtherKeys(250);
  expect(forKey('busy')).not.toBe(busy);
});
