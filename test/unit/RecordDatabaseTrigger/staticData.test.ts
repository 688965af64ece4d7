import type { IDataObject } from 'n8n-workflow';
import {
  type Delivery,
  LastDeliveries,
  LastValues,
  getTriggerMemory,
  readStaticData,
  storeDelivery,
  writeStaticData,
} from '../../../nodes/RecordDatabaseTrigger/staticData';
import { scaleRuns } from '../../randomness';

const delivery: Delivery = {
  event: 'UPDATE',
  tableId: 't1',
  tableName: 'T',
  recordId: '5',
  record: { id: 5, a: 1, b: { x: 1, y: [1] } },
  timestamp: '2025-01-01T00:00:00Z',
  receivedAt: 1_000,
};

const rememberAll = (deliveries: Delivery[]) => {
  const last = new LastDeliveries();
  for (const one of deliveries) last.store(one);
  return last;
};

describe('the last deliveries', () => {
  test('a repetition has the same event, record, values and timestamp, in any order of keys', () => {
    const variants: Delivery[] = [
      { ...delivery, event: 'INSERT' },
      { ...delivery, tableId: 't2' },
      { ...delivery, recordId: '6' },
      { ...delivery, timestamp: '2' },
      { ...delivery, record: { id: 5, a: 2 } },
    ];
    const last = rememberAll([delivery]);
    expect(variants.map((one) => last.isRepeated(one))).toEqual(variants.map(() => false));
    const same = {
      ...delivery,
      tableName: '',
      record: { b: { y: [1], x: 1 }, a: 1, id: 5 },
      receivedAt: 7e9,
    };
    expect(last.isRepeated(same)).toBe(true);
  });

  test.each([
    ['INSERT', 7e9, true],
    ['DELETE', 7e9, true],
    ['UPDATE', 60_000, true],
    ['UPDATE', 60_001, false],
  ] as const)('without a timestamp, an equal %s after %i ms is a repetition: %p', (event, ms, isRepeated) => {
    const first = { ...delivery, event, timestamp: '' };
    const again = { ...first, receivedAt: first.receivedAt + ms };
    expect(rememberAll([first]).isRepeated(again)).toBe(isRepeated);
  });

  test('another delivery of the record ends the repetitions of the one before', () => {
    const deleted = { ...delivery, event: 'DELETE' as const, timestamp: '' };
    const created = { ...deleted, event: 'INSERT' as const };
    expect(rememberAll([created, deleted]).isRepeated(created)).toBe(false);
    expect(rememberAll([deleted, { ...created, recordId: '6' }]).isRepeated(deleted)).toBe(true);
  });

  test('are limited, and the oldest go first', () => {
    const all = Array.from({ length: 20_001 }, (_, at) => ({ ...delivery, recordId: String(at) }));
    const last = rememberAll(all);
    expect([all[0]!, all[1]!, all[20_000]!].map((one) => last.isRepeated(one))).toEqual([false, true, true]);
  });
});

describe('the memory of a trigger', () => {
  test('is deleted for the trigger that was idle longest', () => {
    const knows = (key: string) => getTriggerMemory(key, { values: '' }).lastDeliveries.isRepeated(delivery);
    for (const key of ['idle', 'busy']) getTriggerMemory(key, { values: '' }).lastDeliveries.store(delivery);
    for (let other = 2; other < 50; other++) expect(knows(`other ${other}`)).toBe(false);
    expect(knows('busy')).toBe(true);
    expect(knows('one more')).toBe(false);
    expect([knows('busy'), knows('idle')]).toEqual([true, false]);
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
    tokens: Array.from({ length: 30 }, () => 't'.repeat(43)),
  };
  /** Receives deliveries. Returns the static data, and its size in bytes after each. */
  function receiveAll() {
    const data: IDataObject = {};
    writeStaticData(data, OWNER, OTHERS);
    const memory = { lastDeliveries: new LastDeliveries(), lastValues: new LastValues(), tables: new Map() };
    const sizes: number[] = [];
    for (let number = 0; number < DELIVERIES; number++) {
      const values = new Map(SLUGS.map((slug) => [slug, `${number}`.padStart(8, '0')]));
      writeStaticData(data, OWNER, storeDelivery(memory, createDelivery(number), values, data));
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

  test('the static data stays within 50 kB, and the oldest values go first', () => {
    const { data, sizes } = receiveAll();
    expect(Math.max(...sizes)).toBeLessThanOrEqual(50_000);
    // What is free is used.
    expect(sizes.at(-1)).toBeGreaterThan(50_000 - ENTRY_LENGTH);
    const saved = String(data.values);
    expect(saved.length).toBeGreaterThan(40_000);

    const restarted = new LastValues();
    restarted.mergeSavedEntries(saved);
    const isKnown = Array.from({ length: DELIVERIES }, (_, number) => {
      const values = new Map(SLUGS.map((slug) => [slug, `${number}`.padStart(8, '0')]));
      return restarted.findChangedSlugs(createDelivery(number), SLUGS, values)?.length === 0;
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
      tokens: ['t'],
      values: 'v',
    };
    writeStaticData(data, 'me', written);
    writeStaticData(data, 'me', { tables: ['t'] });
    expect(readStaticData(data, 'me')).toMatchObject({ ...written, tables: ['t'], addresses: [] });
    expect(readStaticData(data, 'you')).toEqual(readStaticData({}, 'you'));
  });

  test("the first write of an owner removes another owner's data", () => {
    const data = {};
    writeStaticData(data, 'them', { ids: ['a'], addresses: ['https://n8n.example'] });
    writeStaticData(data, 'me', { tables: ['t'] });
    expect(readStaticData(data, 'me')).toMatchObject({ ...readStaticData({}, 'me'), tables: ['t'] });
    expect(readStaticData(data, 'them')).toEqual(readStaticData({}, 'them'));
  });
});

test('an equal list is not written again, because n8n saves after any write', () => {
  const data: IDataObject = {};
  writeStaticData(data, 'o', { ids: ['a'] });
  const { ids } = data;
  writeStaticData(data, 'o', { ids: ['a'] });
  expect(data.ids).toBe(ids);
});
