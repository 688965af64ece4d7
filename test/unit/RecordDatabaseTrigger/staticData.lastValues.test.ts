import {
  type Delivery,
  FIELD_HASH_LENGTH as length,
  LastValues,
} from '../../../nodes/RecordDatabaseTrigger/staticData';
import { hashFieldValues, hashValue } from '../../../nodes/records';
import { parseField } from '../records/fields/fieldTools';

const countEntries = (values: LastValues): number =>
  values.formatEntries(1e6).split('\n').filter(Boolean).length;

const fields = [
  ['status', 'Text'],
  ['price', 'Number'],
  ['who', 'Connection'],
  ['name', 'Name'],
].map(([slug, type]) => parseField({ slug, name: slug, type }));

/** Bytes of one entry in JSON, and the most that the tests save. */
const ENTRY = 29;
const MAX_LENGTH = 1_000 * ENTRY + 5;
const SLUGS = fields.map(({ slug }) => slug);

const createDelivery = (record: object, second = 0, recordId = 'r'): Delivery => ({
  event: 'UPDATE',
  tableId: 't',
  tableName: '',
  recordId,
  record: { id: recordId, ...record },
  timestamp: `2025-01-01T10:00:${String(second).padStart(2, '0')}Z`,
  receivedAt: 0,
});

let last: LastValues;
beforeEach(() => {
  last = new LastValues();
});

/** Returns the changed fields, then remembers the delivery. */
function receive(record: object, second = 0, memory = last): string[] | null {
  const delivery = createDelivery(record, second);
  const values = hashFieldValues(delivery.record, SLUGS, fields, { length });
  const changes = memory.findChangedSlugs(delivery, SLUGS, values);
  memory.store(delivery, values);
  return changes;
}

test('knows no values of a record at first, then returns only fields whose value differs', () => {
  expect(receive({ status: 'new', price: 1 })).toBeNull();
  expect(receive({ status: 'new', price: 1 }, 1)).toEqual([]);
  expect(receive({ status: 'open', price: 1 }, 2)).toEqual(['status']);
  expect(receive({ status: 'open', price: 0 }, 3)).toEqual(['price']);
  expect(receive({ status: 'open', price: '' }, 4)).toEqual(['price']);
});

test('a partial delivery compares the fields that it holds, and a field without an earlier value has changed', () => {
  receive({ status: 'new' });
  expect(receive({ id: 'r' }, 1)).toEqual([]);
  expect(receive({ price: 1 }, 2)).toEqual(['price']);
  expect(receive({ status: 'new' }, 3)).toEqual([]);
});

test('of deliveries without a watched field, only the first one of a record has no earlier values', () => {
  expect(receive({})).toBeNull();
  const restored = new LastValues();
  restored.mergeSavedEntries(last.formatEntries(MAX_LENGTH));
  for (const memory of [last, restored]) {
    expect(receive({}, 1, memory)).toEqual([]);
    // The value before is unknown, so this is no comparison.
    expect(receive({ status: 'new' }, 2, memory)).toBeNull();
    expect(receive({}, 3, memory)).toEqual([]);
    expect(receive({ status: 'open' }, 4, memory)).toEqual(['status']);
  }
});

test('two notations of one value are not a change', () => {
  receive({ status: null, price: 5, who: [], name: { first_name: 'A', last_name: 'B' } });
  const again = { status: '', price: '5', who: null, name: { last_name: 'B', first_name: 'A' } };
  expect(receive(again, 1)).toEqual([]);
  receive({ who: ['1'], who_val: [{ id: '1', val: 'Old Name' }] }, 2);
  expect(receive({ who: ['1'], who_val: [{ id: '1', val: 'New Name' }] }, 3)).toEqual([]);
});

test('an older event does not overwrite the values of a newer one', () => {
  receive({ status: 'b' }, 5);
  expect(receive({ status: 'a' }, 3)).toEqual(['status']);
  expect(receive({ status: 'b' }, 6)).toEqual([]);
});

test('orders events for each field: a later event about another field hides no change', () => {
  receive({ status: 'a' }, 1);
  receive({ price: 1 }, 8);
  receive({ status: 'b' }, 6);
  expect(receive({ status: 'a' }, 9)).toEqual(['status']);
});

test('two events of one second have no order: any later value differs from both', () => {
  for (const next of ['a', 'b']) {
    last = new LastValues();
    receive({ status: 'a' });
    expect(receive({ status: 'b' })).toEqual(['status']);
    expect(receive({ status: next }, 9)).toEqual(['status']);
    expect(receive({ status: next }, 10)).toEqual([]);
  }
});

test.each(['', 'soon'])('with the timestamp "%s", events have the order of their arrival', (timestamp) => {
  const receiveAt = (status: string, receivedAt: number) => {
    const delivery = { ...createDelivery({ status }), timestamp, receivedAt };
    const values = hashFieldValues(delivery.record, SLUGS, fields, { length });
    const changes = last.findChangedSlugs(delivery, SLUGS, values);
    last.store(delivery, values);
    return changes;
  };
  expect(receiveAt('a', 1_000)).toBeNull();
  expect(receiveAt('b', 2_000)).toEqual(['status']);
  expect(receiveAt('b', 3_000)).toEqual([]);
  // It arrived before, and was decided later.
  expect(receiveAt('a', 1_500)).toEqual(['status']);
  expect(receiveAt('b', 4_000)).toEqual([]);
});

test('always finds an event that changes a value by its timestamp, in any order of arrival', () => {
  const events = [1, 1, 2, 3].map((second, n) => ({ second, status: ['a', 'b', 'a', 'c'][n]! }));
  const permute = <T>(list: T[]): T[][] =>
    list.length < 2
      ? [list]
      : list.flatMap((one, n) => permute(list.toSpliced(n, 1)).map((rest) => [one, ...rest]));
  for (const order of permute(events)) {
    const memory = new LastValues();
    for (const { status, second } of order) receive({ status }, second, memory);
    expect(receive({ status: 'c' }, 20, memory)).toEqual([]);
    expect(receive({ status: 'a' }, 21, memory)).toEqual(['status']);
  }
});

test('another process and a restarted one read the saved text', () => {
  receive({ status: 'a', price: 1 }, 5);
  const other = new LastValues();
  other.mergeSavedEntries(last.formatEntries(MAX_LENGTH));
  expect(receive({ status: 'a', price: 2 }, 6, other)).toEqual(['price']);
  // An older copy overwrites nothing.
  other.mergeSavedEntries(last.formatEntries(MAX_LENGTH));
  expect(receive({ status: 'a', price: 2 }, 7, other)).toEqual([]);
  other.mergeSavedEntries('not a text of ours');
  expect(countEntries(other)).toBe(2);
});

test('ignores a manually changed text if its length does not fit', () => {
  last.mergeSavedEntries('x'.repeat(28));
  expect(countEntries(last)).toBe(0);
});

describe('the value before a delivery', () => {
  const receiveValue = (text: string, second: number, recordId = 'r', memory = last) => {
    const delivery = createDelivery({}, second, recordId);
    const before = memory.findValuesBefore(delivery, 'status');
    memory.store(delivery, new Map([['status', hashValue(text, length) + text]]));
    return JSON.stringify(before);
  };

  test('is that of the last one before it, in another process too', () => {
    expect(receiveValue('{"status":"a b"}', 1)).toBe('{}');
    expect(receiveValue('{"status":"é\\n\\"}"}', 5)).toBe('{"status":"a b"}');
    const other = new LastValues();
    other.mergeSavedEntries(last.formatEntries(MAX_LENGTH));
    for (const memory of [last, other]) {
      // A late delivery does not know what was before it.
      expect(receiveValue('{"status":"late"}', 3, 'r', memory)).toBe('{}');
      expect(receiveValue('{"status":"c"}', 6, 'r', memory)).toBe('{"status":"é\\n\\"}"}');
    }
  });

  test('is unknown after two values with the same timestamp', () => {
    receiveValue('{"status":"a"}', 1);
    receiveValue('{"status":"b"}', 1);
    expect(receiveValue('{"status":"c"}', 2)).toBe('{}');
  });

  test('takes at most half of the saved text, so that most hashes stay', () => {
    const text = JSON.stringify({ status: '名'.repeat(20) });
    for (let n = 0; n < 2_000; n++) receiveValue(text, 1, `r${n}`);
    const saved = last.formatEntries(MAX_LENGTH);
    expect(Buffer.byteLength(JSON.stringify(saved))).toBeLessThanOrEqual(MAX_LENGTH + 2);
    const other = new LastValues();
    other.mergeSavedEntries(saved);
    expect(countEntries(other)).toBeGreaterThan(600);
    const known = Array.from({ length: 2_000 }, (_, n) =>
      other.findValuesBefore(createDelivery({}, 2, `r${n}`), 'status'),
    );
    expect(known.filter((value) => JSON.stringify(value) === text).length).toBeGreaterThan(100);
    expect([known[1_999], known[0]]).toEqual([JSON.parse(text), {}]);
  });
});

describe('40,000 deliveries', () => {
  const RECORDS = 40_000;
  const VALUES = new Map([['status', 'hash-of8']]);
  const rememberRecord = (n: number) => last.store(createDelivery({}, 1, `r${n}`), VALUES);
  const findChanges = (n: number) =>
    last.findChangedSlugs(createDelivery({}, 1, `r${n}`), ['status'], VALUES);

  /** Calls of the string function that reads each entry, as a count of the work for one delivery. */
  function countWork(n: number): number {
    const saved = last.formatEntries(MAX_LENGTH);
    const slice = jest.spyOn(String.prototype, 'slice');
    last.mergeSavedEntries(saved);
    findChanges(n);
    rememberRecord(n);
    last.formatEntries(MAX_LENGTH);
    const count = slice.mock.calls.length;
    slice.mockRestore();
    return count;
  }

  test('do not increase the saved text, the memory or the work for one delivery', () => {
    const sizes = new Set<number>();
    const work = new Set<number>();
    for (let n = 0; n < RECORDS; n++) {
      if (n >= 10_000 && n % 10_000 === 0) {
        work.add(countWork(n));
        sizes.add(last.formatEntries(MAX_LENGTH).length);
      }
      rememberRecord(n);
    }
    // In JSON, the break between two lines has two characters.
    expect([...sizes]).toEqual([1_000 * (ENTRY - 1) - 1]);
    expect(work.size).toBe(1);
    expect([...work][0]).toBeLessThan(20);
    expect(countEntries(last)).toBe(20_000);
    // The oldest entries were removed first.
    expect([findChanges(0), findChanges(RECORDS - 20_000), findChanges(RECORDS - 1)]).toEqual([null, [], []]);
    const restarted = new LastValues();
    restarted.mergeSavedEntries(last.formatEntries(MAX_LENGTH));
    expect(countEntries(restarted)).toBe(1_000);
  });
});
