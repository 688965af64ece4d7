import { readLog, type LogPage } from '../../../nodes/RecordDatabaseLogs/resources/readLog';
import { simplified } from '../../../nodes/RecordDatabaseLogs/resources/simplify';

type LogEntry = Record<string, unknown>;

const SIZE = 50;
const entries = (count: number): LogEntry[] =>
  Array.from({ length: count }, (_, i) => ({ created_at: `2025-01-01 00:${String(9999 - i)}` }));

/** A log of pages that counts its reads; `told` is what each page says of the whole. */
function log(
  all: LogEntry[],
  told: (all: LogEntry[]) => Partial<LogPage> = (one) => ({
    totalPages: Math.ceil(one.length / SIZE),
    totalItems: one.length,
  }),
) {
  const pages: number[] = [];
  return {
    pages,
    fetch: async (page: number): Promise<LogPage> => {
      pages.push(page);
      return { items: all.slice((page - 1) * SIZE, page * SIZE), ...told(all) };
    },
  };
}

test.each([0, 1, 49, 50, 51, 100, 230])('%i entries', async (count) => {
  const all = entries(count);
  const { fetch, pages } = log(all);
  expect(await readLog({ fetch, limit: Infinity })).toEqual(all);
  expect(pages).toHaveLength(Math.max(1, Math.ceil(count / SIZE)));
});

test('without totals it ends with an empty page, or one that was there before', async () => {
  const all = entries(120);
  const { fetch } = log(all, () => ({}));
  expect(await readLog({ fetch, limit: Infinity })).toEqual(all);
  const same = entries(50);
  expect(await readLog({ fetch: async () => ({ items: same }), limit: Infinity })).toEqual(same);
});

test('entries that are alike are all kept while the log stands still', async () => {
  const all = Array.from({ length: 120 }, () => ({ created_at: '2025-01-01 00:00:00', ip: 'same' }));
  expect(await readLog({ ...log(all), limit: Infinity })).toHaveLength(120);
});

test('a limit ends it early', async () => {
  const { fetch, pages } = log(entries(500));
  expect(await readLog({ fetch, limit: 51 })).toHaveLength(51);
  expect(pages).toEqual([1, 2]);
});

test('since: stops behind the first older entry of a page that is newest first', async () => {
  const all = entries(500);
  const { fetch, pages } = log(all);
  const since = String(all[70]!.created_at);
  expect(await readLog({ fetch, limit: Infinity, since })).toEqual(all.slice(0, 71));
  expect(pages).toEqual([1, 2]);
});

test('since: reads all of a log in another order', async () => {
  const all = entries(120).reverse();
  const since = String(all[110]!.created_at);
  expect(await readLog({ ...log(all), limit: Infinity, since })).toEqual(all.slice(110));
});

test('what is no entry is handed on, and never newer than "since"', async () => {
  const items = [{ created_at: '2025-01-02 00:00:00' }, null, 'text'];
  const fetch = async () => ({ items, totalPages: 1 });
  expect(await readLog({ fetch, limit: Infinity })).toEqual(items);
  expect(await readLog({ fetch, limit: Infinity, since: '2025-01-01 00:00:00' })).toEqual([items[0]]);
  expect(items.map(simplified)).toEqual(items);
});

test('simplified: the values of a name that comes several times are a list', () => {
  const metas = [
    { name: 'Field', val: 'A' },
    { name: 'Table', val: 'T' },
    { name: 'Field', val: 'B' },
  ];
  expect(simplified({ metas })).toEqual({ metas: { Field: ['A', 'B'], Table: 'T' } });
});

test('simplified', () => {
  expect(
    simplified({
      type: 'Page Created',
      ip: '',
      body: '<p>long</p>',
      user: { name: 'Ada', email: '' },
      metas: [
        { name: 'Name', val: 'Shop' },
        { name: 'Slug', val: 0 },
      ],
      none: null,
      empty: [],
      tags: ['a'],
      count: 0,
      open: false,
    }),
  ).toEqual({
    type: 'Page Created',
    user_name: 'Ada',
    metas: { Name: 'Shop', Slug: 0 },
    tags: ['a'],
    count: 0,
    open: false,
  });
});
