import { createClients, listViolations, ManualClock, openService } from '../client';

const HEADERS = [
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-retry-after',
  'x-ratelimit-reset',
  'x-ratelimit-daily-limit',
  'x-ratelimit-daily-remaining',
  'x-daily-retry-after',
  'x-daily-ratelimit-reset',
];

async function openLimited(perMinute: number, perDay: number, options = {}) {
  const clock = new ManualClock();
  const opened = await openService({ sample: 'empty', clock, perMinute, perDay, ...options });
  return { clock, ...opened, get: () => opened.api.get('/status') };
}

test('every response carries all eight headers, errors too', async () => {
  const { service, api } = await openLimited(10, 100);
  for (const url of ['/status', '/nowhere', '/data-tables/x/fields']) {
    const { headers } = await api.get(url);
    for (const name of HEADERS) expect(headers[name]).toMatch(/^\d+$/);
  }
  const refused = await createClients(service, { ...service.keys, appSecret: 'wrong' }).api.get('/status');
  for (const name of HEADERS) expect(refused.headers[name]).toMatch(/^\d+$/);
  await service.stop();
});

test('the minute: counts down, refuses, says how long, and starts again', async () => {
  const { service, clock, get } = await openLimited(2, 100);
  const first = await get();
  expect(first.headers).toMatchObject({ 'x-ratelimit-remaining': '1', 'x-retry-after': '60' });
  clock.advance(20_500);
  await get();
  const { status, data, headers } = await get();
  expect([status, data.msg]).toEqual([429, 'Too Many Attempts In Minute']);
  expect(headers).toMatchObject({ 'x-ratelimit-remaining': '0', 'x-retry-after': '40' });
  expect(headers['x-ratelimit-daily-remaining']).toBe('98');
  expect(Number(headers['x-ratelimit-reset']) * 1000).toBe(clock.time + 39_500);
  clock.advance(39_499);
  expect((await get()).status).toBe(429);
  clock.advance(1);
  expect((await get()).data.per_minute_limit).toMatchObject({
    allowed: 2,
    remaining: 1,
    resets_in_seconds: 60,
  });
  expect(listViolations(service)).toEqual([]);
  await service.stop();
});

test.each([
  ['day', '86400'],
  ['minute', '60'],
] as const)(
  'the day: refused requests do not count, and X-Retry-After means the %s',
  async (dayRetryAfter, wait) => {
    const { service, clock, get } = await openLimited(100, 1, { dayRetryAfter });
    await get();
    const { status, data, headers } = await get();
    expect([status, data.msg]).toEqual([429, 'Too Many Attempts In Day']);
    expect(headers).toMatchObject({ 'x-retry-after': wait, 'x-daily-retry-after': '86400' });
    expect(headers['x-ratelimit-remaining']).toBe('99');
    clock.advance(24 * 3600_000);
    expect((await get()).status).toBe(200);
    await service.stop();
  },
);

test('keys have limits of their own, and options change at run time', async () => {
  const { service, get } = await openLimited(1, 100);
  const other = createClients(service, service.addKey({ perMinute: 3 })).api;
  await get();
  expect((await get()).status).toBe(429);
  expect((await other.get('/status')).headers['x-ratelimit-remaining']).toBe('2');
  service.options.perMinute = 5;
  expect((await get()).headers['x-ratelimit-remaining']).toBe('3');
  await service.stop();
});
