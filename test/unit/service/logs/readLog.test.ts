import {
  findLogPages,
  isNewestFirst,
  type LogPage,
  type LogReadOptions,
  readPages,
} from '../../../../nodes/service/logs/readLog';

type LogEntry = Record<string, unknown>;

const SIZE = 50;
const createEntries = (count: number): LogEntry[] =>
  Array.from({ length: count }, (_, i) => ({ created_at: `2025-01-01 00:${String(9999 - i)}` }));

/** A paged log that counts its reads. `told` holds the totals that each page returns. */
function createLog(
  all: LogEntry[],
  told: (all: LogEntry[]) => Pick<LogPage, 'totalPages' | 'totalItems'> = (one) => ({
    totalPages: Math.ceil(one.length / SIZE),
    totalItems: one.length,
  }),
) {
  const calls: number[] = [];
  return {
    calls,
    fetch: async (page: number): Promise<LogPage> => {
      calls.push(page);
      return { items: all.slice((page - 1) * SIZE, page * SIZE), ...told(all) };
    },
  };
}

const readEntries = async (options: LogReadOptions) => (await readPages(options)).entries;

test.each([0, 1, 49, 50, 51, 100, 230])('%i entries', async (count) => {
  const all = createEntries(count);
  const { fetch, calls } = createLog(all);
  expect(await readEntries({ fetch, limit: Infinity })).toEqual(all);
  expect(calls).toHaveLength(Math.max(1, Math.ceil(count / SIZE)));
});

test('keeps all equal entries while the log does not change', async () => {
  const all = Array.from({ length: 120 }, () => ({ created_at: '2025-01-01 00:00:00', ip: 'same' }));
  expect(await readEntries({ fetch: createLog(all).fetch, limit: Infinity })).toHaveLength(120);
});

test('a limit ends it early', async () => {
  const { fetch, calls } = createLog(createEntries(500));
  expect(await readEntries({ fetch, limit: 51 })).toHaveLength(51);
  expect(await readEntries({ fetch, limit: 50 })).toHaveLength(50);
  expect(calls).toEqual([1, 2, 1]);
});

test('reads the given pages only', async () => {
  const all = createEntries(230);
  const { fetch, calls } = createLog(all);
  expect(await readEntries({ fetch, limit: Infinity, pages: { first: 2, last: 3 } })).toEqual(
    all.slice(50, 150),
  );
  expect(calls).toEqual([2, 3]);
});

test('pages after the first need the documented page size, because the service may use another', async () => {
  const { fetch } = createLog(createEntries(230), () => ({ totalPages: 3, totalItems: 230 }));
  expect(await readEntries({ fetch, limit: 50, pages: { first: 1, last: 2 } })).toHaveLength(50);
  await expect(readEntries({ fetch, limit: 50, pages: { first: 2, last: 2 } })).rejects.toThrow();
});

test('an entry that a new one moves to the next page is returned once', async () => {
  const all = createEntries(120);
  const expected = [...all];
  const { fetch } = createLog(all);
  const read = readEntries({
    fetch: async (page) => {
      const found = await fetch(page);
      if (page === 1) all.unshift({ created_at: '2025-02-01 00:00:00' });
      // The service may return the page in another order.
      return page === 2 ? { ...found, items: [...found.items].reverse() } : found;
    },
    limit: Infinity,
  });
  const found = await read;
  expect(found).toHaveLength(120);
  expect(new Set(found)).toEqual(new Set(expected));
});

test.each([
  [{ limit: 30 }, { first: 1, last: Infinity }],
  [
    { limit: 30, startPage: 1 },
    { first: 1, last: 1 },
  ],
  [
    { limit: 100, startPage: 1 },
    { first: 1, last: 2 },
  ],
  [
    { limit: 100, startPage: 3 },
    { first: 5, last: 6 },
  ],
])('the pages of %j', (window, pages) => expect(findLogPages(window)).toEqual(pages));

test('Start Page needs a Limit of whole pages', () => {
  expect(() => findLogPages({ limit: 30, startPage: 2 })).toThrow('Limit cannot be 30 with Start Page');
});

test.each([
  [true, '02:50:00', '02:10:00'],
  [true, '02:10:00', '02:10:00'],
  [false, '02:10:00', '02:50:00'],
])('a page is sorted newest first: %p for %s, %s', (expected, ...times) =>
  expect(isNewestFirst(times.map((time) => ({ created_at: `2025-10-26 ${time}` })))).toBe(expected),
);

test('since: continues after a page that ends with an entry of that time', async () => {
  const created_at = '2025-01-01 00:00:00';
  const all = Array.from({ length: 100 }, (_, id) => ({ created_at, id }));
  expect(await readEntries({ fetch: createLog(all).fetch, limit: Infinity, since: created_at })).toEqual(all);
});

test.each([[[120, 120, 130]], [[130, 120, 110]]])(
  'the total is the largest that a page returned: %j',
  async (totals) => {
    const { fetch } = createLog(createEntries(120));
    const read = readPages({
      fetch: async (page) => ({ ...(await fetch(page)), totalItems: totals[page - 1]! }),
      limit: Infinity,
    });
    expect((await read).total).toBe(130);
  },
);

test('since: stops after the first older entry of a page that is sorted newest first', async () => {
  const all = createEntries(500);
  const { fetch, calls } = createLog(all);
  const since = String(all[70]!.created_at);
  expect(await readEntries({ fetch, limit: Infinity, since })).toEqual(all.slice(0, 71));
  expect(calls).toEqual([1, 2]);
});

test('since: reads all of a log in another order', async () => {
  const all = createEntries(120).reverse();
  const since = String(all[110]!.created_at);
  expect(await readEntries({ fetch: createLog(all).fetch, limit: Infinity, since })).toEqual(all.slice(110));
});

test('returns values that are not entries, and never counts them as newer than "since"', async () => {
  const items = [{ created_at: '2025-01-02 00:00:00' }, null, 'text'];
  const fetch = async () => ({ items, totalPages: 1, totalItems: 3 });
  expect(await readEntries({ fetch, limit: Infinity })).toEqual(items);
  expect(await readEntries({ fetch, limit: Infinity, since: '2025-01-01 00:00:00' })).toEqual([items[0]]);
});

test('leaves out at most as many equal entries as were logged during reading', async () => {
  const entry = { created_at: '2025-01-01 00:00:00', ip: 'same' };
  const all = Array.from({ length: 120 }, () => entry);
  const { fetch } = createLog(all);
  const read = readEntries({
    fetch: async (page) => {
      const found = await fetch(page);
      if (page === 1) all.unshift(entry);
      return found;
    },
    limit: Infinity,
  });
  expect(await read).toHaveLength(120);
});
