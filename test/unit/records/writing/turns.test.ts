import { type MatchKey, Table } from '../../../../nodes/records';
import { hashMatchKey } from '../../../../nodes/records/reading/matchKey';
import { storeWriteTime, wasWrittenSince } from '../../../../nodes/records/writing/turns';
import type { Client } from '../../../../nodes/service';

const now = jest.fn(() => 0);
const createClient = (app: string) =>
  ({ credential: { fingerprints: { app } }, clock: { now } }) as unknown as Client;
const client = createClient('app1');

const createKey = (text: string, ...refs: Array<{ slug: string; payload?: string }>) =>
  ({
    caselessText: text,
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
  // 20,000 names are kept, and a key may have 50 kB.
  expect(hashMatchKey(table, createKey('x'.repeat(50_000), { slug: 'email' })).length).toBeLessThan(100);
});

describe('the time of a write', () => {
  const writeAt = (time: number, name: string) => {
    now.mockReturnValue(time);
    storeWriteTime(client, ['matchKey', name]);
  };
  const isWrittenSince = (name: string, time: number, by = client) =>
    wasWrittenSince(by, ['matchKey', name], time);

  test('a reading that started before the write, or with it, does not contain it', () => {
    writeAt(100, 'a');
    expect([99, 100, 101].map((time) => isWrittenSince('a', time))).toEqual([true, true, false]);
    expect(isWrittenSince('never written', 0)).toBe(false);
    expect(isWrittenSince('a', 99, createClient('app2'))).toBe(false);
    expect(wasWrittenSince(client, ['record', 'a'], 99)).toBe(false);
  });

  test('the last write counts', () => {
    writeAt(100, 'b');
    writeAt(200, 'b');
    expect(isWrittenSince('b', 150)).toBe(true);
  });

  test('the last 20,000 subjects are kept; a repeated write makes its subject the newest', () => {
    for (const name of ['old', 'repeated']) writeAt(300, name);
    for (let n = 0; n < 19_998; n++) writeAt(300, `n${n}`);
    expect(isWrittenSince('old', 300)).toBe(true);
    writeAt(300, 'repeated');
    expect(isWrittenSince('old', 300)).toBe(true);
    writeAt(300, 'one more');
    expect(['old', 'repeated', 'n0', 'one more'].map((name) => isWrittenSince(name, 300))).toEqual([
      false,
      true,
      true,
      true,
    ]);
  });
});
