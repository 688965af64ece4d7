import { readWholeList } from '../../../../nodes/service/paging/readWholeList';

/** A paged list of the service that records the requested pages. */
function createList<T>(rows: T[], isTold = true) {
  const pages: number[] = [];
  const fetchPage = async (page: number, size: number) => {
    pages.push(page);
    return { items: rows.slice((page - 1) * size, page * size), ...(isTold && { total: rows.length }) };
  };
  return { plan: { fetchPage, limit: Infinity, concurrency: 4 }, pages };
}

const open = { label: 'Open', value: 1 };
const done = { label: 'Done', value: 2 };

test.each([true, false])('rows without an ID that are alike are all there (total told: %s)', async (told) => {
  const rows = [open, { ...open }, done, open];
  const { plan, pages } = createList(rows, told);
  expect(await readWholeList(plan)).toEqual(rows);
  // Equal rows on one page do not show that the list has changed, so no page is read again.
  expect(pages).toEqual(told ? [1] : [1, 2]);
});

test.each([
  ['empty', { id: '' }],
  ['null', { id: null }],
  ['an object', { id: {} }],
])('an ID that is %s tells no rows apart', async (_what, row) => {
  const rows = [row, { ...row, a: 1 }, row];
  expect(await readWholeList(createList(rows).plan)).toEqual(rows);
});

test('rows with an ID are read once if that is enough', async () => {
  const rows = Array.from({ length: 450 }, (_, index) => ({ id: index, label: 'x' }));
  const { plan } = createList(rows);
  const fetchPage = jest.fn(plan.fetchPage);
  expect(await readWholeList({ ...plan, fetchPage, isFast: true })).toEqual(rows);
  expect(fetchPage.mock.calls).toEqual([1, 2, 3].map((page) => [page, 200]));
});

test('rows that are no objects are rows as well', async () => {
  const rows = [null, 'text', null, 7, 'text'];
  expect(await readWholeList(createList(rows).plan)).toEqual(rows);
});

test.each<[string, (at: number) => object]>([
  ['by ID, a number or a text', (at) => ({ id: at % 2 ? at : String(at), ...open })],
  ['by what they hold', (at) => ({ at })],
])('a page that is shown again past the end adds nothing: %s', async (_how, rowAt) => {
  const rows = Array.from({ length: 250 }, (_, at) => rowAt(at));
  const { plan } = createList(rows, false);
  const fetch = (page: number, size: number) => plan.fetchPage(Math.min(page, 2), size);
  expect(await readWholeList({ ...plan, fetchPage: fetch })).toEqual(rows);
});

test('rows with the same ID are one row, even if other values differ', async () => {
  const rows = [{ id: 7, a: 1 }, { id: '7', a: 2 }, { id: 8 }];
  expect(await readWholeList(createList(rows).plan)).toEqual([{ id: 7, a: 1 }, { id: 8 }]);
});

test('returns at most the limit', async () => {
  expect(await readWholeList({ ...createList([open, open, done]).plan, limit: 2 })).toEqual([open, open]);
});

test.each<[string, boolean, (at: number) => object]>([
  ['all rows have IDs', true, (at) => ({ id: at, at })],
  ['one row has no ID', false, (at) => (at === 7 ? { at } : { id: at, at })],
  ['one row has an ID', false, (at) => (at === 7 ? { id: at, at } : { at })],
  ['no row has an ID', false, (at) => ({ at })],
])('%s: verified is %s', async (_, isVerified, rowAt) => {
  const rows = Array.from({ length: 450 }, (__, at) => rowAt(at));
  const { plan } = createList(rows);
  const sizes: number[] = [];
  const fetchPage = (page: number, size: number) => (sizes.push(size), plan.fetchPage(page, size));
  expect(await readWholeList({ ...plan, concurrency: 1, fetchPage })).toEqual(rows);
  // Only pages of another size overlap the one before.
  expect(sizes.some((size) => size < 200)).toBe(isVerified);
});
