import { Table } from '../../../../nodes/client/fields/table';
import type { Client } from '../../../../nodes/client/http/client';
import type { MatchKey } from '../../../../nodes/client/records/upsert';
import { formatKeyName, noteCreate, wasCreatedSince } from '../../../../nodes/client/records/upsert';

const createClient = (baseUrl: string, appId: string) =>
  ({ credential: { baseUrl, appId } }) as unknown as Client;

const createKey = (text: string, ...slots: Array<{ slug: string; payload?: string }>) =>
  ({
    text,
    matches: slots.map(({ slug, payload }) => ({
      slot: { field: { slug }, ...(payload !== undefined && { part: { payload } }) },
    })),
  }) as unknown as MatchKey;

test('a key has one name for each service, application, table, column and value', () => {
  const client = createClient('https://a.example', 'app1');
  const [table, email] = [new Table('t1', []), createKey('ada', { slug: 'email' })];
  const names = [
    formatKeyName(client, table, email),
    formatKeyName(createClient('https://b.example', 'app1'), table, email),
    formatKeyName(createClient('https://a.example', 'app2'), table, email),
    formatKeyName(client, new Table('t2', []), email),
    formatKeyName(client, table, createKey('bob', { slug: 'email' })),
    formatKeyName(client, table, createKey('ada', { slug: 'name' })),
    formatKeyName(client, table, createKey('ada', { slug: 'name', payload: 'first_name' })),
    formatKeyName(client, table, createKey('ada', { slug: 'email' }, { slug: 'name' })),
  ];
  expect(new Set(names).size).toBe(names.length);
  expect(formatKeyName(createClient('https://a.example', 'app1'), new Table('t1', []), email)).toBe(names[0]);
  // 10,000 names are kept, and a key may have 50 kB.
  const long = formatKeyName(client, table, createKey('x'.repeat(50_000), { slug: 'email' }));
  expect(long.length).toBeLessThan(100);
});

describe('the time of a create', () => {
  const now = jest.spyOn(performance, 'now');
  afterAll(() => now.mockRestore());
  const createAt = (time: number, name: string) => {
    now.mockReturnValue(time);
    noteCreate(name);
  };

  test('a look-up that started before the create, or with it, does not contain the record', () => {
    createAt(100, 'a');
    expect([99, 100, 101].map((time) => wasCreatedSince('a', time))).toEqual([true, true, false]);
    expect(wasCreatedSince('never created', 0)).toBe(false);
  });

  test('the last create counts', () => {
    createAt(100, 'b');
    createAt(200, 'b');
    expect(wasCreatedSince('b', 150)).toBe(true);
  });

  test('the last 10,000 names are kept; a repeated create makes its name the newest', () => {
    for (const name of ['old', 'repeated']) createAt(300, name);
    for (let n = 0; n < 9_998; n++) createAt(300, `n${n}`);
    expect(wasCreatedSince('old', 300)).toBe(true);
    createAt(300, 'repeated');
    expect(wasCreatedSince('old', 300)).toBe(true);
    createAt(300, 'one more');
    expect(['old', 'repeated', 'n0', 'one more'].map((name) => wasCreatedSince(name, 300))).toEqual([
      false,
      true,
      true,
      true,
    ]);
  });
});
