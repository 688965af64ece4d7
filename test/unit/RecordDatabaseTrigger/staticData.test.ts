import type { IDataObject } from 'n8n-workflow';
import { toField } from '../../../nodes/client/fields/kinds';
import { fullFieldSchema } from '../../../nodes/client/responses/schemas';
import {
  CONTENT_LENGTH,
  type Delivery,
  LastValues,
  MAX_SAVED_DELIVERIES,
  MOMENT_LENGTH,
  SeenDeliveries,
  getTriggerMemory,
  readStaticData,
  readStoredTable,
  storeTables,
  writeDelivery,
  writeStaticData,
} from '../../../nodes/RecordDatabaseTrigger/staticData';
import { scaleRuns } from '../../randomness';

const EMPTY = { seen: '', values: '' };

/** The hash of a delivery; see `hashDelivery`. */
const createHash = (moment: string, content = '') =>
  moment.padStart(MOMENT_LENGTH, '0') + content.padStart(CONTENT_LENGTH, '0');

const createSeen = (...hashes: string[]) => {
  const seen = new SeenDeliveries();
  for (const hash of hashes) seen.add(hash);
  return seen;
};

describe('seen deliveries', () => {
  test('are limited, and the oldest are removed first', () => {
    const seen = new SeenDeliveries(3);
    for (const moment of ['a', 'b', 'c', 'd']) seen.add(createHash(moment));
    const found = ['a', 'b', 'c', 'd'].map((moment) => seen.has(createHash(moment)));
    expect(found).toEqual([false, true, true, true]);
  });

  test('a record that changes from A to B and back within one second: the last change is no duplicate', () => {
    const [a, b, other] = [createHash('m', 'a'), createHash('m', 'b'), createHash('n', 'a')];
    const seen = createSeen(a, other);
    expect([a, b, other].map((hash) => seen.has(hash))).toEqual([true, false, true]);
    seen.add(b);
    expect([a, b, other].map((hash) => seen.has(hash))).toEqual([false, true, true]);
    seen.add(a);
    expect([a, b, other].map((hash) => seen.has(hash))).toEqual([true, false, true]);
  });

  test('the latest ones are saved in the static data, each once, the latest last', () => {
    const hashes = Array.from({ length: MAX_SAVED_DELIVERIES + 2 }, (_, index) => createHash(`${index}`));
    const saved = createSeen(...hashes, hashes[2]!).save();
    expect(saved).toBe([...hashes.slice(3), hashes[2]].join(''));
  });

  test('a process that restarts knows them; what a process has received itself is newer', () => {
    const [a, b, other] = [createHash('m', 'a'), createHash('m', 'b'), createHash('n')];
    const restarted = createSeen();
    restarted.load(createSeen(a, other).save());
    expect([a, other].map((hash) => restarted.has(hash))).toEqual([true, true]);
    const running = createSeen(b);
    running.load(createSeen(a, other).save());
    expect([a, b, other].map((hash) => running.has(hash))).toEqual([false, true, true]);
    running.load(`${other}x`);
    expect(running.save()).toBe(b + other);
  });
});

describe('the memory of a trigger', () => {
  const [a, b, c] = ['a', 'b', 'c'].map((moment) => createHash(moment)) as [string, string, string];

  test('is separate for each trigger, and includes what other processes saved', () => {
    getTriggerMemory('one', { ...EMPTY, seen: a }).seen.add(b);
    expect(getTriggerMemory('one', { ...EMPTY, seen: a + c }).seen.save()).toEqual(a + b + c);
    expect(getTriggerMemory('two', EMPTY).seen.has(a)).toBe(false);
  });

  test('is deleted for the trigger that was idle longest, which then reads its static data', () => {
    getTriggerMemory('idle', EMPTY).seen.add(a);
    getTriggerMemory('busy', EMPTY).seen.add(a);
    for (let other = 2; other < 50; other++) getTriggerMemory(`other ${other}`, EMPTY);
    expect(getTriggerMemory('busy', EMPTY).seen.has(a)).toBe(true);
    getTriggerMemory('one more', EMPTY);
    expect(getTriggerMemory('busy', EMPTY).seen.has(a)).toBe(true);
    const { seen } = getTriggerMemory('idle', { ...EMPTY, seen: b });
    expect([seen.has(a), seen.has(b)]).toEqual([false, true]);
  });
});

/** 10,000 with `RUNS_SHARE=1`. */
const DELIVERIES = Math.max(1_000, scaleRuns(10_000));

describe(`${DELIVERIES} deliveries with Watched Fields`, () => {
  const SLUGS = ['status', 'owner', 'price'];
  const OWNER = 'me';
  const ENTRY_LENGTH = 27;
  /** Values of another state of the trigger, at their largest. Names that are not ASCII take more than one byte. */
  const OTHERS = {
    ids: Array.from({ length: 30 }, (_, index) => `subscription-${index}`),
    tables: Array.from({ length: 10 }, (_, index) => `table-${index}`),
    addresses: ['https://n8n.example/webhook/5f0a1c52-7d3e-4c1b-9a40-0d5f5b8c1e05/webhook'],
    secret: 's'.repeat(16),
  };
  const createField = (index: number) =>
    toField(fullFieldSchema.parse({ slug: `field_${index}`, name: `名前 "${index}"`, type: 'Text' }));
  const FIELDS = Array.from({ length: 150 }, (_, index) => createField(index));

  /** Receives deliveries. Returns the static data, and its size in bytes after each. */
  function receiveAll(fields: string) {
    const data: IDataObject = {};
    writeStaticData(data, OWNER, { ...OTHERS, fields });
    const memory = { seen: new SeenDeliveries(), lastValues: new LastValues() };
    const sizes: number[] = [];
    for (let number = 0; number < DELIVERIES; number++) {
      memory.seen.add(createHash(`${number}`));
      const values = new Map(SLUGS.map((slug) => [slug, `${number}`.padStart(8, '0')]));
      memory.lastValues.remember(createDelivery(number), values);
      writeDelivery(data, OWNER, memory, {});
      if (number % 50 === 49) sizes.push(Buffer.byteLength(JSON.stringify(data)));
    }
    return { data, sizes, memory };
  }

  const createDelivery = (number: number): Delivery => ({
    event: 'UPDATE',
    tableId: 't',
    tableName: '',
    recordId: `r${number}`,
    record: {},
    timestamp: new Date(1_700_000_000_000 + number).toISOString(),
  });

  test.each([
    ['no stored fields', '', 37_000],
    ['150 stored fields', storeTables('', [{ id: 't', fields: FIELDS }]), 14_000],
  ])('%s: the static data stays within 50 kB, and the oldest values go first', (_what, fields, atLeast) => {
    const { data, sizes } = receiveAll(fields);
    expect(fields).toBe(data.fields);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(50_000);
    // What is free is used.
    expect(sizes.at(-1)).toBeGreaterThan(50_000 - ENTRY_LENGTH);
    const saved = String(data.values);
    expect(saved.length).toBeGreaterThan(atLeast);

    const restarted = new LastValues();
    restarted.load(saved);
    const isKnown = Array.from({ length: DELIVERIES }, (_, number) => {
      const values = new Map(SLUGS.map((slug) => [slug, `${number}`.padStart(8, '0')]));
      return restarted.findChanges(createDelivery(number), SLUGS, values)?.length === 0;
    });
    const records = Math.floor(saved.length / ENTRY_LENGTH / SLUGS.length);
    expect(isKnown.indexOf(true)).toBe(DELIVERIES - records);
    expect(isKnown.lastIndexOf(false)).toBe(DELIVERIES - records - 1);
  });
});

describe('the static data', () => {
  test('is read as it was written, and only by its owner', () => {
    const data = {};
    const written = {
      ids: ['a'],
      fields: '{}',
      seen: 'h1h2',
      secret: 's',
      values: 'v',
    };
    writeStaticData(data, 'me', written);
    writeStaticData(data, 'me', { tables: ['t'] });
    expect(readStaticData(data, 'me')).toEqual({ ...written, tables: ['t'], addresses: [] });
    expect(readStaticData(data, 'you')).toEqual(readStaticData({}, 'you'));
  });

  test("the first write of an owner removes another owner's data", () => {
    const data = {};
    writeStaticData(data, 'them', { ids: ['a'], addresses: ['https://n8n.example'], seen: 'h' });
    writeStaticData(data, 'me', { tables: ['t'] });
    expect(readStaticData(data, 'me')).toEqual({ ...readStaticData({}, 'me'), tables: ['t'] });
    expect(readStaticData(data, 'them')).toEqual(readStaticData({}, 'them'));
  });

  test('values of another type are ignored', () => {
    const odd = {
      owner: 'me',
      ids: 'x',
      tables: [1, 'a'],
      addresses: null,
      seen: 3,
      fields: {},
    };
    expect(readStaticData(odd as never, 'me')).toEqual({ ...readStaticData({}, 'me'), tables: ['a'] });
  });
});

describe('stored fields', () => {
  const createField = (slug: string, options: unknown[] = []) =>
    toField(
      fullFieldSchema.parse({ slug, name: slug, type: 'Dropdown', description: 'x'.repeat(200), options }),
    );

  test('contain only the properties that a delivery needs', () => {
    const text = storeTables('', [{ id: 't', fields: [createField('a', [{ label: 'L', value: 'v' }])] }]);
    expect(text).not.toContain('xxx');
    const field = readStoredTable(text, 't')!.field('a', '');
    expect(field).toMatchObject({
      slug: 'a',
      name: 'a',
      kind: 'choice',
      options: [{ label: 'L', value: 'v' }],
    });
    expect(readStoredTable(text, 'u')).toBeUndefined();
    expect(readStoredTable('', 't')).toBeUndefined();
    const two = storeTables(text, [{ id: 'constructor', fields: [] }]);
    expect([readStoredTable(two, 't'), readStoredTable(two, 'constructor')]).not.toContain(undefined);
  });

  test.each(['Choice', '選択'])('are not stored above 25 kB: choices "%s"', (label) => {
    const createOptions = (count: number) =>
      Array.from({ length: count }, (_, n) => ({ label: `${label} ${n}`, value: `${n}` }));
    const store = (count: number) =>
      storeTables('', [{ id: 't', fields: [createField('a', createOptions(count))] }]);
    const counts = Array.from({ length: 60 }, (_, index) => index * 20);
    const stored = counts.map(store);
    const first = stored.indexOf('');
    expect(first).toBeGreaterThan(10);
    expect(new Set(stored.slice(first))).toEqual(new Set(['']));
    const size = Buffer.byteLength(JSON.stringify(stored[first - 1]));
    expect(size).toBeLessThanOrEqual(25_000);
    expect(size).toBeGreaterThan(23_500);
  });
});

test('an equal list is not written again, because n8n saves after any write', () => {
  const data: IDataObject = {};
  writeStaticData(data, 'o', { ids: ['a'] });
  const { ids } = data;
  writeStaticData(data, 'o', { ids: ['a'] });
  expect(data.ids).toBe(ids);
});

test('of more than 500 deliveries the newest are saved', () => {
  const seen = new SeenDeliveries();
  const length = MOMENT_LENGTH + CONTENT_LENGTH;
  const hashes = Array.from({ length: 510 }, (_, index) => String(index).padStart(length, '0'));
  for (const hash of hashes) seen.add(hash.slice(-MOMENT_LENGTH) + hash.slice(0, CONTENT_LENGTH));
  expect(seen.save()).toHaveLength(500 * length);
});
