import fc from 'fast-check';
import {
  type DatedSource,
  findNewestDate,
  readByDate,
} from '../../../nodes/RecordDatabasePollingTrigger/recordsByDate';
import { MAX_RECORDS, type RecordPageQuery } from '../../../nodes/RecordDatabasePollingTrigger/recordSource';
import { addSeconds } from '../../../nodes/RecordDatabasePollingTrigger/serviceClock';
import type { FilterGroup } from '../../../nodes/records';
import { type ServiceRecord } from '../../../nodes/service';
import { createSeed, scaleRuns } from '../../randomness';
import { parseField } from '../records/fields/fieldTools';

/** PollRead by date from a list in memory that may ignore the filter, the order, or both. */
const FIELD = parseField({ slug: 'changed_at', name: 'Changed At', type: 'Date-Time' });
const SHARE = { pollsPerDay: 24, maximumShare: 50 };
const START = '2026-01-01 00:00:00';

interface StoredRecord extends ServiceRecord {
  changed_at: string;
}

interface Behavior {
  ignoresFilter?: boolean;
  ignoresOrder?: boolean;
  /** An operator that the service ignores. */
  ignores?: string;
  /** Whether `is after` finds the given second too. */
  includesStart?: boolean;
}

function fits(
  { changed_at: date }: StoredRecord,
  { operator, val }: FilterGroup['items'][number],
  behavior: Behavior,
) {
  if (operator === behavior.ignores) return true;
  if (operator === 'is not blank') return date !== '';
  const limit = String(val);
  if (operator === 'is after') return behavior.includesStart ? date >= limit : date > limit;
  return date !== '' && date <= limit;
}

/** A list of records by pages that counts its requests. */
class ListSource implements DatedSource {
  readonly client = { concurrency: 4, requestsPerDay: 10_000 };
  requests = 0;

  constructor(
    private readonly records: StoredRecord[],
    private readonly behavior: Behavior = {},
  ) {}

  fetchPage({ page, limit, conditions = [], sort }: RecordPageQuery) {
    this.requests++;
    const { ignoresFilter, ignoresOrder } = this.behavior;
    const found = this.records.filter(
      (record) => ignoresFilter || conditions.every((item) => fits(record, item, this.behavior)),
    );
    const sign = sort?.by === 'desc' ? -1 : 1;
    if (sort && !ignoresOrder)
      found.sort((a, b) => sign * (a.changed_at < b.changed_at ? -1 : a.changed_at > b.changed_at ? 1 : 0));
    const items = found.slice((page - 1) * limit, page * limit);
    return Promise.resolve({ items, total: found.length });
  }
}

const createRecords = (count: number, getDate: (index: number) => string): StoredRecord[] =>
  Array.from({ length: count }, (_, index) => ({ id: `r${index}`, changed_at: getDate(index) }));

/** Reads until a reading has no `continueFrom`, as several polls do. */
async function readInParts(source: ListSource, floor: string, stopAfter: number): Promise<Set<string>> {
  const found = new Set<string>();
  for (let from: string | undefined = floor; from !== undefined;) {
    const { records, continueFrom } = await readByDate(source, {
      field: FIELD,
      after: from,
      stopAfter,
      share: SHARE,
    });
    for (const { id, date } of records) if (date > floor) found.add(id);
    const next = continueFrom === undefined ? undefined : addSeconds(continueFrom, -1);
    // Without progress, the polls would never end.
    if (next !== undefined && next <= from) throw new Error(`The reading from "${from}" ends where it began`);
    from = next;
  }
  return found;
}

const table = fc.record({
  /** Seconds after the start; undefined for a record without a date. */
  dates: fc.array(fc.option(fc.nat(90), { nil: undefined, freq: 20 }), { minLength: 0, maxLength: 900 }),
  crowd: fc.record({ second: fc.nat(90), size: fc.constantFrom(0, 0, 199, 200, 450) }),
  floor: fc.option(fc.nat(90), { nil: undefined }),
  stopAfter: fc.constantFrom(1, 250, Infinity),
  behavior: fc.record({ ignoresFilter: fc.boolean(), ignoresOrder: fc.boolean() }),
});

test('each record above the floor is read, with an ignored filter, an ignored order, and crowded seconds', async () => {
  await fc.assert(
    fc.asyncProperty(table, async ({ dates, crowd, floor, stopAfter, behavior }) => {
      const seconds = [...dates, ...Array<number>(crowd.size).fill(crowd.second)];
      const records = createRecords(seconds.length, (index) => {
        const second = seconds[index];
        return second === undefined ? '' : addSeconds(START, second);
      });
      const from = floor === undefined ? '' : addSeconds(START, floor);
      const expected = records.filter(({ changed_at: date }) => date > from).map(({ id }) => id);
      expect(await readInParts(new ListSource(records, behavior), from, stopAfter)).toEqual(
        new Set(expected),
      );
    }),
    { numRuns: scaleRuns(300), seed: createSeed() },
  );
});

test('a list in any order is read whole', async () => {
  const records = createRecords(450, (index) => addSeconds(START, (index * 7) % 450));
  const source = new ListSource(records, { ignoresOrder: true });
  const read = {
    field: FIELD,
    after: addSeconds(START, 9),
    upTo: addSeconds(START, 399),
    stopAfter: 1,
    share: SHARE,
  };
  const { records: found, continueFrom } = await readByDate(source, read);
  const seconds = Array.from({ length: 390 }, (_, index) => addSeconds(START, 10 + index));
  expect(found.map(({ date }) => date).sort()).toEqual(seconds);
  expect(continueFrom).toBeUndefined();
});

test('a reading without new records is one request, also if the service ignores the filter of 200 records', async () => {
  const records = createRecords(200, (index) => addSeconds(START, index));
  for (const ignoresFilter of [false, true]) {
    const source = new ListSource(records, { ignoresFilter });
    await readByDate(source, {
      field: FIELD,
      after: addSeconds(START, 500),
      stopAfter: Infinity,
      share: SHARE,
    });
    expect(source.requests).toBe(1);
  }
});

test('a reading ends at its maximum and names the date from which the next one continues', async () => {
  const source = new ListSource(createRecords(1000, (index) => addSeconds(START, index)));
  const { records, continueFrom } = await readByDate(source, {
    field: FIELD,
    after: '',
    stopAfter: 300,
    share: SHARE,
  });
  expect(records).toHaveLength(399);
  expect(continueFrom).toBe(addSeconds(START, 398));
  expect(source.requests).toBe(2);
});

test.each([
  ['without an end', undefined],
  ['up to the last date', addSeconds(START, 999)],
])('1,000 records %s are read page by page', async (_what, upTo) => {
  const source = new ListSource(createRecords(1000, (index) => addSeconds(START, index)));
  const { records } = await readByDate(source, {
    field: FIELD,
    after: '',
    upTo,
    stopAfter: Infinity,
    share: SHARE,
  });
  expect(records).toHaveLength(1000);
  // Each page but the first one begins with the last second of the page before.
  expect(source.requests).toBe(6);
});

test('5,001 records in the future are an error if the service ignores that they are', async () => {
  const records = createRecords(MAX_RECORDS + 1, (index) => addSeconds(START, 100 + index));
  const range = { field: FIELD, after: START, upTo: addSeconds(START, 50) };
  const read = (ignores: string) =>
    readByDate(new ListSource(records, { ignores }), { ...range, stopAfter: Infinity, share: SHARE });
  await expect(read('is on or before')).rejects.toThrow('The service ignores the filter or the order');
  expect((await read('none')).records).toEqual([]);
});

test('polls that read a whole table keep to their share of the day', async () => {
  const records = createRecords(MAX_RECORDS, (index) => addSeconds(START, index));
  const read = (maximumShare: number) =>
    readByDate(new ListSource(records, { ignoresFilter: true }), {
      field: FIELD,
      after: addSeconds(START, 100),
      stopAfter: Infinity,
      share: { pollsPerDay: 100, maximumShare },
    });
  // 25 requests for the list, and one for the page that shows that it is needed.
  await expect(read(25)).rejects.toThrow('would use 26 % of the 10000 requests');
  expect((await read(26)).records).toHaveLength(MAX_RECORDS);
});

test.each([{}, { includesStart: true }])(
  'a second with more records than a page and a poll is read once, and the reading goes on: %j',
  async (behavior) => {
    const records = createRecords(500, (index) => addSeconds(START, index < 450 ? 1 : index));
    const source = new ListSource(records, behavior);
    for (const floor of ['', START, addSeconds(START, 1)]) {
      const expected = floor > START ? 50 : 500;
      expect((await readInParts(source, floor, 1)).size).toBe(expected);
    }
  },
);

test.each([{ ignoresFilter: true }, { ignoresOrder: true }])(
  'more than 5,000 records are an error if the service has %j',
  async (behavior) => {
    const records = createRecords(MAX_RECORDS + 1, (index) => addSeconds(START, MAX_RECORDS - index));
    const floor = behavior.ignoresFilter ? addSeconds(START, 100) : '';
    const source = new ListSource(records, behavior);
    await expect(
      readByDate(source, { field: FIELD, after: floor, stopAfter: Infinity, share: SHARE }),
    ).rejects.toThrow('The service ignores the filter or the order by "Changed At", and 5001 records match');
    expect(source.requests).toBeLessThan(10);
  },
);

test('the newest date is found with an ignored filter and an ignored order, and is not in the future', async () => {
  const now = '2026-01-02 00:00:00';
  const records = createRecords(450, (index) => addSeconds(START, (index * 7) % 450));
  records.push({ id: 'future', changed_at: '2027-01-01 00:00:00' }, { id: 'undated', changed_at: '' });
  for (const ignoresFilter of [false, true])
    for (const ignoresOrder of [false, true]) {
      const source = new ListSource(records, { ignoresFilter, ignoresOrder });
      expect(await findNewestDate(source, FIELD, now)).toBe(addSeconds(START, 449));
    }
  expect(await findNewestDate(new ListSource([]), FIELD, now)).toBe('');
  const later = createRecords(300, (index) => addSeconds('2028-01-01 00:00:00', index));
  records.push(...later.map((record) => ({ ...record, id: `later ${record.id}` })));
  records.push({ id: 'present', changed_at: now });
  expect(await findNewestDate(new ListSource(records, { ignoresFilter: true }), FIELD, now)).toBe(now);
});
