import { type MatchKey, Table } from '../../../../nodes/records';
import { hashMatchKey, noteCreate, wasCreatedSince } from '../../../../nodes/records/writing/upsert';
import type { Client } from '../../../../nodes/service';

const now = jest.fn(() => 0);
const createClient = (app: string) =>
  ({ credential: { fingerprints: { app } }, clock: { now } }) as unknown as Client;
const client = createClient('app1');

const createKey = (text: string, ...refs: Array<{ slug: string; payload?: string }>) =>
  ({
    similarId: text,
    refs: refs.map(({ slug, payload }) => ({
      field: { slug },
      ...(payload !== undefined && { part: { payload } }),
    })),
  }) as unknown as MatchKey;

test('a key has one name for each table, column and value', () => {
  const [table, email] = [new Table('t1', []), createKey('ada', { slug: 'email' })];
  const names = [
    hashMatchKey(table, email),
    hashMatchKey(new Table('t2', []), email),
    hashMatchKey(table, createKey('bob', { slug: 'email' })),
    hashMatchKey(table, createKey('ada', { slug: 'name' })),
    hashMatchKey(table, createKey('ada', { slug: 'name', payload: 'first_name' })),
    hashMatchKey(table, createKey('ada', { slug: 'email' }, { slug: 'name' })),
  ];
  expect(new Set(names).size).toBe(names.length);
  expect(hashMatchKey(new Table('t1', []), email)).toBe(names[0]);
  // 10,000 names are kept, and a key may have 50 kB.
  expect(hashMatchKey(table, createKey('x'.repeat(50_000), { slug: 'email' })).length).toBeLessThan(100);
});

describe('the time of a create', () => {
  const createAt = (time: number, name: string) => {
    now.mockReturnValue(time);
    noteCreate(client, name);
  };

  test('a look-up that started before the create, or with it, does not contain the record', () => {
    createAt(100, 'a');
    expect([99, 100, 101].map((time) => wasCreatedSince(client, 'a', time))).toEqual([true, true, false]);
    expect(wasCreatedSince(client, 'never created', 0)).toBe(false);
    expect(wasCreatedSince(createClient('app2'), 'a', 99)).toBe(false);
  });

  test('the last create counts', () => {
    createAt(100, 'b');
    createAt(200, 'b');
    expect(wasCreatedSince(client, 'b', 150)).toBe(true);
  });

  test('the last 10,000 names are kept; a repeated create makes its name the newest', () => {
    for (const name of ['old', 'repeated']) createAt(300, name);
    for (let n = 0; n < 9_998; n++) createAt(300, `n${n}`);
    expect(wasCreatedSince(client, 'old', 300)).toBe(true);
    createAt(300, 'repeated');
    expect(wasCreatedSince(client, 'old', 300)).toBe(true);
    createAt(300, 'one more');
    expect(['old', 'repeated', 'n0', 'one more'].map((name) => wasCreatedSince(client, name, 300))).toEqual([
      false,
      true,
      true,
      true,
    ]);
  });
});
