import { RequestCache } from '../../../../nodes/service';

afterEach(() => jest.restoreAllMocks());

function createCountedCache(ttlMs?: number) {
  const state = { now: 0, requests: 0, fails: false };
  jest.spyOn(performance, 'now').mockImplementation(() => state.now);
  const cache = new RequestCache<number>(ttlMs);
  const get = (key = 'a') =>
    cache.get(key, async () => {
      state.requests++;
      if (state.fails) throw new Error('failed');
      return state.requests;
    });
  return { state, cache, get };
}

test('concurrent callers share one request, and later callers its response', async () => {
  const { state, get } = createCountedCache();
  expect(await Promise.all([get(), get(), get()])).toEqual([1, 1, 1]);
  expect(await get()).toBe(1);
  expect(await get('b')).toBe(2);
  expect(state.requests).toBe(2);
});

test('all concurrent callers get a failure, and it is not cached', async () => {
  const { state, get } = createCountedCache();
  state.fails = true;
  const failures = await Promise.allSettled([get(), get()]);
  expect(failures.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  state.fails = false;
  expect(await get()).toBe(2);
});

test('responses expire, and expired ones are removed from memory', async () => {
  const { state, get } = createCountedCache(1_000);
  for (const key of ['a', 'b', 'c']) await get(key);
  state.now = 999;
  await get('a');
  expect(state.requests).toBe(3);
  state.now = 1_000;
  expect(await get('a')).toBe(4);
});

test('a deleted answer is requested again', async () => {
  const { cache, get } = createCountedCache();
  await get('a');
  await get('b');
  cache.delete('b');
  expect(await get('b')).toBe(3);
  expect(await get('a')).toBe(1);
});

test('a failure that arrives late does not remove the answer of a later request', async () => {
  const { state, cache } = createCountedCache(1_000);
  let fail: (error: Error) => void = () => undefined;
  const late = cache.get('a', () => new Promise((_, reject) => (fail = reject)));
  state.now = 1_000;
  expect(await cache.get('a', () => Promise.resolve(7))).toBe(7);
  fail(new Error('late'));
  await expect(late).rejects.toThrow('late');
  expect(await cache.get('a', () => Promise.resolve(8))).toBe(7);
});

test('30,000 names are kept without a look at all of them for each', async () => {
  const { state, get } = createCountedCache(1_000);
  const from = Date.now();
  for (let n = 0; n < 30_000; n++) void get(String(n));
  // A look at all entries for each would take several seconds.
  expect(Date.now() - from).toBeLessThan(2_000);
  expect(state.requests).toBe(30_000);
});
