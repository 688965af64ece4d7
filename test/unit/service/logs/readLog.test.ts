import { type Client, readLog } from '../../../../nodes/service';

type LogEntry = Record<string, unknown>;

const SIZE = 50;
const createEntries = (count: number): LogEntry[] =>
  Array.from({ length: count }, (_, i) => ({ created_at: `2025-01-01 00:${String(9999 - i)}` }));

interface LogPage {
  items: unknown[];
  total_pages: number;
  total_items: number;
}

/** A paged log that counts its reads. `change` may change each page. */
function createLog(all: LogEntry[], change: (page: LogPage, number: number) => LogPage = (page) => page) {
  const calls: number[] = [];
  const call = async (_: unknown, { query: { page } }: { query: { page: number } }) => {
    calls.push(page);
    const items = all.slice((page - 1) * SIZE, page * SIZE);
    const total_pages = Math.ceil(all.length / SIZE);
    return { body: change({ items, total_pages, total_items: all.length }, page) };
  };
  const read = (options: object = {}) =>
    readLog({ call } as unknown as Client, { log: 'logins', limit: Infinity, ...options });
  return { calls, read, readEntries: async (options?: object) => (await read(options)).entries };
}

test.each([0, 1, 49, 50, 51, 100, 230])('%i entries', async (count) => {
  const all = createEntries(count);
  const { readEntries, calls } = createLog(all);
  expect(await readEntries()).toEqual(all);
  expect(calls).toHaveLength(Math.max(1, Math.ceil(count / SIZE)));
});

test('keeps all equal entries while the log does not change', async () => {
  const all = Array.from({ length: 120 }, () => ({ created_at: '2025-01-01 00:00:00', ip: 'same' }));
  expect(await createLog(all).readEntries()).toHaveLength(120);
});

test('a limit ends it early', async () => {
  const { readEntries, calls } = createLog(createEntries(500));
  expect(await readEntries({ limit: 51 })).toHaveLength(51);
  expect(await readEntries({ limit: 50 })).toHaveLength(50);
  expect(calls).toEqual([1, 2, 1]);
});

test.each([
  [{ limit: 30, startPage: 1 }, [1], 30],
  [{ limit: 100, startPage: 1 }, [1, 2], 100],
  [{ limit: 100, startPage: 2 }, [3, 4], 100],
  [{ limit: 100, startPage: 3 }, [5], 30],
])('%j reads the pages %j', async (window, pages, count) => {
  const all = createEntries(230);
  const { readEntries, calls } = createLog(all);
  const start = (window.startPage - 1) * window.limit;
  expect(await readEntries(window)).toEqual(all.slice(start, start + count));
  expect(calls).toEqual(pages);
});

test('Start Page needs a Limit of whole pages', async () => {
  const { read, calls } = createLog(createEntries(100));
  await expect(read({ limit: 30, startPage: 2 })).rejects.toThrow('Limit cannot be 30 with Start Page');
  expect(calls).toEqual([]);
});

test('an entry that a new one moves to the next page is returned once', async () => {
  const all = createEntries(120);
  const expected = [...all];
  const { readEntries } = createLog(all, (found, page) => {
    if (page === 1) all.unshift({ created_at: '2025-02-01 00:00:00' });
    // The service may return the page in another order.
    return page === 2 ? { ...found, items: [...found.items].reverse() } : found;
  });
  const found = await readEntries();
  expect(found).toHaveLength(120);
  expect(new Set(found)).toEqual(new Set(expected));
});

test('the newest entries are on the first page of a log that is sorted newest first', async () => {
  const { read, calls } = createLog(createEntries(230));
  await read({ newestOnly: true });
  expect(calls).toEqual([1]);
  const other = createLog(createEntries(230).reverse());
  await other.read({ newestOnly: true });
  expect(other.calls).toEqual([1, 2, 3, 4, 5]);
});

test('since: continues after a page that ends with an entry of that time', async () => {
  const created_at = '2025-01-01 00:00:00';
  const all = Array.from({ length: 100 }, (_, id) => ({ created_at, id }));
  expect(await createLog(all).readEntries({ since: created_at })).toEqual(all);
});

test.each([[[120, 120, 130]], [[130, 120, 110]]])(
  'the total is the largest that a page returned: %j',
  async (totals) => {
    const { read } = createLog(createEntries(120), (found, page) => ({
      ...found,
      total_items: totals[page - 1]!,
    }));
    expect((await read()).total).toBe(130);
  },
);

test('since: stops after the first older entry of a page that is sorted newest first', async () => {
  const all = createEntries(500);
  const { readEntries, calls } = createLog(all);
  const since = String(all[70]!.created_at);
  expect(await readEntries({ since })).toEqual(all.slice(0, 71));
  expect(calls).toEqual([1, 2]);
});

test('since: reads all of a log in another order', async () => {
  const all = createEntries(120).reverse();
  const since = String(all[110]!.created_at);
  expect(await createLog(all).readEntries({ since })).toEqual(all.slice(110));
});

test('returns values that are not entries, and never counts them as newer than "since"', async () => {
  const items = [{ created_at: '2025-01-02 00:00:00' }, null, 'text'];
  const { readEntries } = createLog([], () => ({ items, total_pages: 1, total_items: 3 }));
  expect(await readEntries()).toEqual(items);
  expect(await readEntries({ since: '2025-01-01 00:00:00' })).toEqual([items[0]]);
});

test('leaves out at most as many equal entries as were logged during reading', async () => {
  const entry = { created_at: '2025-01-01 00:00:00', ip: 'same' };
  const all = Array.from({ length: 120 }, () => entry);
  const { readEntries } = createLog(all, (found, page) => {
    if (page === 1) all.unshift(entry);
    return found;
  });
  expect(await readEntries()).toHaveLength(120);
});
