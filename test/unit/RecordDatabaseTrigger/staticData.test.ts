import type { IDataObject } from 'n8n-workflow';
import {
  type Delivery,
  type Fingerprint,
  LastValues,
  MAX_SAVED_DELIVERIES,
  SeenDeliveries,
  createFingerprint,
  getTriggerMemory,
  readStaticData,
  readStoredTable,
  storeTables,
  writeDelivery,
  writeStaticData,
} from '../../../nodes/RecordDatabaseTrigger/staticData';
import { scaleRuns } from '../../randomness';
import { parseField } from '../records/fields/fieldTools';

const EMPTY = { seen: '', values: '' };

const START = Date.UTC(2025, 0, 1);
let ticks = 0;
/** A delivery that arrives after all earlier ones of the test. */
const createSeenBefore = (moment: string, content = ''): Fingerprint => ({
  moment: moment.padStart(12, '0'),
  content: content.padStart(8, '0'),
  receivedAt: START + ++ticks,
  lifetime: Infinity,
});

const createSeen = (...fingerprints: Fingerprint[]) => {
  const seen = new SeenDeliveries();
  for (const fingerprint of fingerprints) seen.add(fingerprint);
  return seen;
};
const save = (...fingerprints: Fingerprint[]) => createSeen(...fingerprints).save();

describe('the fingerprint of a delivery', () => {
  const delivery: Delivery = {
    event: 'UPDATE',
    tableId: 't1',
    tableName: 'T',
    recordId: '5',
    record: { id: 5, a: 1, b: { x: 1, y: [1] } },
    timestamp: '2025-01-01T00:00:00Z',
    receivedAt: START,
  };
  const format = (one: Delivery) => {
    const { moment, content } = createFingerprint(one);
    return `${moment} ${content}`;
  };

  test('depends on every part of the event, and on no order of keys', () => {
    const variants: Delivery[] = [
      delivery,
      { ...delivery, event: 'INSERT' },
      { ...delivery, tableId: 't2' },
      { ...delivery, recordId: '6' },
      { ...delivery, timestamp: '2' },
      { ...delivery, record: { id: 5, a: 2 } },
    ];
    expect(new Set(variants.map(format)).size).toBe(6);
    const same = { ...delivery, tableName: '', record: { b: { y: [1], x: 1 }, a: 1, id: 5 }, receivedAt: 7 };
    expect(format(same)).toBe(format(delivery));
  });

  test.each([
    ['INSERT', true],
    ['DELETE', true],
    ['UPDATE', false],
  ] as const)('without a timestamp, an %s is the same event with other values: %p', (event, isSame) => {
    const [first, other] = [{ id: 5 }, { id: 5, a: 1 }].map((record) => {
      const receivedAt = START + 1e9 * ++ticks;
      return createFingerprint({ ...delivery, event, record, timestamp: '', receivedAt });
    });
    expect(createSeen(first!).has(other!)).toBe(isSame);
  });

  test.each([
    [60_000, true],
    [60_001, false],
  ])('without a timestamp, an equal update after %i ms is a repetition: %p', (ms, isSame) => {
    const at = (receivedAt: number) => createFingerprint({ ...delivery, timestamp: '', receivedAt });
    expect(createSeen(at(START)).has(at(START + ms))).toBe(isSame);
    expect(createSeen(createFingerprint(delivery)).has(createFingerprint(delivery))).toBe(true);
  });
});

describe('seen deliveries', () => {
  test('are limited, and the oldest are removed first', () => {
    const seen = new SeenDeliveries(3);
    const all = ['a', 'b', 'c', 'd'].map((moment) => createSeenBefore(moment));
    for (const one of all) seen.add(one);
    expect(all.map((one) => seen.has(one))).toEqual([false, true, true, true]);
  });

  test('a record that changes from A to B and back: the last change is no duplicate', () => {
    const [a, b, again] = [
      createSeenBefore('m', 'a'),
      createSeenBefore('m', 'b'),
      createSeenBefore('m', 'a'),
    ];
    const other = createSeenBefore('n', 'a');
    const seen = createSeen(a, other);
    expect([again, b, other].map((one) => seen.has(one))).toEqual([true, false, true]);
    seen.add(b);
    expect([again, b, other].map((one) => seen.has(one))).toEqual([false, true, true]);
    seen.add(again);
    expect([again, b, other].map((one) => seen.has(one))).toEqual([true, false, true]);
  });

  test('the last one is the one that arrived last, not the one that was decided last', () => {
    const [a, b, again] = [
      createSeenBefore('m', 'a'),
      createSeenBefore('m', 'b'),
      createSeenBefore('m', 'a'),
    ];
    const seen = createSeen(b, a);
    expect([again, b].map((one) => seen.has(one))).toEqual([false, true]);
  });

  test('the latest ones are saved in the static data, each once, the latest last', () => {
    const all = Array.from({ length: MAX_SAVED_DELIVERIES + 2 }, (_, index) => createSeenBefore(`${index}`));
    const again = { ...all[2]!, receivedAt: START + ++ticks };
    const saved = save(...all, again);
    expect(saved).toBe([...all.slice(3), again].map((one) => save(one)).join(''));
    // It is short, because n8n writes it on each delivery.
    expect(saved).toHaveLength(MAX_SAVED_DELIVERIES * 29);
  });

  test('a process that restarts has them; of two processes, the delivery that arrived last counts', () => {
    const [a, b, other] = [createSeenBefore('m', 'a'), createSeenBefore('m', 'b'), createSeenBefore('n')];
    const restarted = createSeen();
    restarted.load(save(a, other));
    expect([a, other].map((one) => restarted.has(one))).toEqual([true, true]);
    const ahead = createSeen(b);
    ahead.load(save(a, other));
    expect([a, b, other].map((one) => ahead.has(one))).toEqual([false, true, true]);
    const behind = createSeen(a);
    behind.load(save(b));
    expect([a, b].map((one) => behind.has(one))).toEqual([false, true]);
    ahead.load(`${save(a)}x`);
    expect(ahead.save()).toBe(save(b, other));
  });
});

describe('the memory of a trigger', () => {
  const [a, b, c] = ['a', 'b', 'c'].map((moment) => createSeenBefore(moment)) as [
    Fingerprint,
    Fingerprint,
    Fingerprint,
  ];

  test('is separate for each trigger, and includes what other processes saved', () => {
    getTriggerMemory('one', { ...EMPTY, seen: save(a) }).seen.add(b);
    expect(getTriggerMemory('one', { ...EMPTY, seen: save(a, c) }).seen.save()).toEqual(save(a, b, c));
    expect(getTriggerMemory('two', EMPTY).seen.has(a)).toBe(false);
  });

  test('is deleted for the trigger that was idle longest, which then reads its static data', () => {
    getTriggerMemory('idle', EMPTY).seen.add(a);
    getTriggerMemory('busy', EMPTY).seen.add(a);
    for (let other = 2; other < 50; other++) getTriggerMemory(`other ${other}`, EMPTY);
    expect(getTriggerMemory('busy', EMPTY).seen.has(a)).toBe(true);
    getTriggerMemory('one more', EMPTY);
    expect(getTriggerMemory('busy', EMPTY).seen.has(a)).toBe(true);
    const { seen } = getTriggerMemory('idle', { ...EMPTY, seen: save(b) });
    expect([seen.has(a), seen.has(b)]).toEqual([false, true]);
  });
});

/** 10,000 with `RUNS_SHARE=1`. */
const DELIVERIES = Math.max(1_000, scaleRuns(10_000));

describe(`${DELIVERIES} deliveries with Watched Fields`, () => {
  const SLUGS = ['status', 'owner', 'price'];
  const OWNER = 'me';
  const ENTRY_LENGTH = 29;
  /** Values of another state of the trigger, at their largest. Names that are not ASCII take more than one byte. */
  const OTHERS = {
    ids: Array.from({ length: 30 }, (_, index) => `subscription-${index}`),
    tables: Array.from({ length: 10 }, (_, index) => `table-${index}`),
    addresses: ['https://n8n.example/webhook/5f0a1c52-7d3e-4c1b-9a40-0d5f5b8c1e05/webhook'],
    secret: 's'.repeat(16),
  };
  const createField = (index: number) =>
    parseField({ slug: `field_${index}`, name: `名前 "${index}"`, type: 'Text' });
  const FIELDS = Array.from({ length: 150 }, (_, index) => createField(index));

  /** Receives deliveries. Returns the static data, and its size in bytes after each. */
  function receiveAll(fields: string) {
    const data: IDataObject = {};
    writeStaticData(data, OWNER, { ...OTHERS, fields });
    const memory = { seen: new SeenDeliveries(), lastValues: new LastValues() };
    const sizes: number[] = [];
    for (let number = 0; number < DELIVERIES; number++) {
      memory.seen.add(createSeenBefore(`${number}`));
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
    receivedAt: 0,
  });

  test.each([
    ['no stored fields', '', 33_000],
    ['150 stored fields', storeTables('', [{ id: 't', name: 'T', fields: FIELDS }]), 9_500],
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
    const records = Math.floor((saved.length + 1) / (ENTRY_LENGTH - 1) / SLUGS.length);
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
    expect(readStaticData(data, 'me')).toEqual({ ...written, tables: ['t'], addresses: [], named: '' });
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
    parseField({ slug, name: slug, type: 'Dropdown', description: 'x'.repeat(200), options });

  test('contain only the properties that a delivery needs', () => {
    const fields = [createField('a', [{ label: 'L', value: 'v' }]), { ...createField('b'), computed: true }];
    const text = storeTables('', [{ id: 't', name: 'Things', fields }]);
    expect(text).not.toContain('xxx');
    const { name, table } = readStoredTable(text, 't')!;
    expect([name, table.writableFields.map(({ slug }) => slug)]).toEqual(['Things', ['a']]);
    const field = table.field('a', '');
    expect(field).toMatchObject({
      slug: 'a',
      name: 'a',
      kind: 'choice',
      options: [{ label: 'L', value: 'v' }],
    });
    expect(readStoredTable(text, 'u')).toBeUndefined();
    expect(readStoredTable('', 't')).toBeUndefined();
    const two = storeTables(text, [{ id: 'constructor', name: '', fields: [] }]);
    expect([readStoredTable(two, 't'), readStoredTable(two, 'constructor')]).not.toContain(undefined);
  });

  test.each(['Choice', '選択'])('are not stored above 25 kB: choices "%s"', (label) => {
    const createOptions = (count: number) =>
      Array.from({ length: count }, (_, n) => ({ label: `${label} ${n}`, value: `${n}` }));
    const store = (count: number) =>
      storeTables('', [{ id: 't', name: 'T', fields: [createField('a', createOptions(count))] }]);
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
