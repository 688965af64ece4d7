/* eslint-disable @n8n/community-nodes/no-restricted-globals -- not shipped: runs on Node */
import { clearMemories, listMemories, memory } from '../../../../nodes/service';
import { loadMemories } from '../../../memoryPage';

const createOwner = (user: string, app: string, key: string) => ({
  credential: { fingerprints: { user, app, key } },
});
const ada = createOwner('ada', 'app1', 'key1');
const bob = createOwner('bob', 'app1', 'key1');
const other = createOwner('ada2', 'app2', 'key2');

let count = 0;
const createName = () => `test ${++count}`;

describe.each([
  ['user', [true, true, true]],
  ['app', [true, false, true]],
  ['key', [true, false, true]],
] as const)('a memory per %s', (per, isOwn) => {
  test('a cache sends a request for each owner and key', async () => {
    const cache = memory.cache<string, typeof per>(createName(), { per, holds: 'texts', ttlMs: 1000 });
    const requested: string[] = [];
    for (const owner of [ada, bob, other]) {
      const id = owner.credential.fingerprints.user;
      await cache.get(owner, ['t1'], async () => (requested.push(id), id));
    }
    expect(requested).toEqual(['ada', 'bob', 'ada2'].filter((_, n) => isOwn[n]));
    await cache.get(ada, ['t2'], async () => (requested.push('t2'), 't2'));
    expect(requested.at(-1)).toBe('t2');
  });

  test('a cache replaces an older response of one owner', async () => {
    const cache = memory.cache<number, typeof per>(createName(), { per, holds: 'numbers', ttlMs: 1000 });
    const before = performance.now();
    for (const owner of [ada, other]) await cache.get(owner, ['t1'], async () => 1);
    expect(await cache.get(ada, ['t1'], async () => 2, before)).toBe(1);
    expect(await cache.get(ada, ['t1'], async () => 3, performance.now() + 1)).toBe(3);
    expect(await cache.get(ada, ['t1'], async () => 4)).toBe(3);
    expect(await cache.get(other, ['t1'], async () => 3)).toBe(1);
  });

  test('a store keeps owners apart', () => {
    const store = memory.store<number, typeof per>(createName(), { per, holds: 'numbers', max: 10 });
    store.set(ada, ['a'], 1);
    expect([ada, bob, other].map((owner) => store.get(owner, ['a']))).toEqual([
      1,
      isOwn[1] ? undefined : 1,
      undefined,
    ]);
    expect(store.get(ada, ['a', 'b'])).toBeUndefined();
    expect(store.get(ada, [['a']])).toBeUndefined();
  });

  test('a queue runs tasks of one owner and key one after the other', async () => {
    const queue = memory.queue(createName(), { per, holds: 'tasks' });
    const events: string[] = [];
    let finish = () => {};
    const first = queue.runTask(ada, ['r1'], () => new Promise<void>((resolve) => (finish = resolve)));
    const rest = [
      queue.runTask(ada, ['r1'], async () => events.push('same')),
      queue.runTask(ada, ['r2'], async () => events.push('other key')),
      queue.runTask(bob, ['r1'], async () => events.push('other user')),
    ];
    await rest[1];
    await new Promise(setImmediate);
    expect(events).toEqual(isOwn[1] ? ['other key', 'other user'] : ['other key']);
    finish();
    await Promise.all([first, ...rest]);
    expect(events).toHaveLength(3);
  });
});

describe('a store', () => {
  test('removes the value that was set or asked for least recently', () => {
    const store = memory.store<string, 'node'>(createName(), { per: 'node', holds: 'texts', max: 2 });
    const read = (...owners: string[]) => owners.map((owner) => store.get(owner, []));
    store.getOrCreate('a', [], () => 'A');
    store.getOrCreate('b', [], () => 'B');
    store.getOrCreate('a', [], () => 'again');
    store.set('c', [], 'C');
    expect(read('a', 'b', 'c')).toEqual(['A', undefined, 'C']);
  });

  test('does not keep a long key', () => {
    const store = memory.store<number, 'app'>(createName(), { per: 'app', holds: 'numbers', max: 10 });
    store.set(ada, ['x'.repeat(100_000)], 1);
    expect(
      JSON.stringify([...(store as unknown as { entries: Map<string, number> }).entries]).length,
    ).toBeLessThan(100);
  });
});

test('an attached value belongs to its owner', () => {
  const getList = memory.attach(createName(), { to: 'client', holds: 'lists' }, (): number[] => []);
  getList(ada).push(1);
  expect([getList(ada), getList(bob)]).toEqual([[1], []]);
});

test.each([
  [1_000, '1 second'],
  [30_000, '30 seconds'],
  [60_000, '1 minute'],
  [300_000, '5 minutes'],
  [3_600_000, '1 hour'],
  [7_200_000, '2 hours'],
])('a cache of %i ms is on the page with: %s', (ttlMs, until) => {
  const name = createName();
  memory.cache<number, 'app'>(name, { per: 'app', holds: 'numbers', ttlMs });
  expect(listMemories().find((one) => one.name === name)).toMatchObject({ until });
});

test('the memories are listed by their names', () => {
  for (const letter of ['b', 'c', 'a']) memory.queue(`test ${letter}`, { per: 'app', holds: 'tasks' });
  const names = listMemories().map(({ name }) => name);
  expect(names).toEqual([...names].sort());
});

test('a name is given once', () => {
  const name = createName();
  memory.queue(name, { per: 'app', holds: 'tasks' });
  expect(() => memory.queue(name, { per: 'app', holds: 'tasks' })).toThrow(name);
});

test('all memories can be emptied', async () => {
  const store = memory.store<number, 'app'>(createName(), { per: 'app', holds: 'numbers', max: 10 });
  const cache = memory.cache<number, 'app'>(createName(), { per: 'app', holds: 'numbers', ttlMs: 1000 });
  const getList = memory.attach(createName(), { to: 'client', holds: 'lists' }, (): number[] => []);
  store.set(ada, [], 1);
  await cache.get(ada, [], async () => 1);
  getList(ada).push(1);
  clearMemories();
  expect([store.get(ada, []), await cache.get(ada, [], async () => 2), getList(ada)]).toEqual([
    undefined,
    2,
    [],
  ]);
});

test('the shipped files register their memories, each with its words for the page', () => {
  const names = loadMemories().filter(({ name }) => !name.startsWith('test '));
  expect(names.length).toBeGreaterThan(0);
  expect(listMemories().filter(({ holds, until }) => holds === '' || until === '')).toEqual([]);
});
