import { readRows } from '../../../nodes/shared/transport/rows';

/** A list as a service shows it, page by page, with the pages that were asked for. */
function list<T>(rows: T[], isTold = true) {
  const pages: number[] = [];
  const fetch = async (page: number, size: number) => {
    pages.push(page);
    return { items: rows.slice((page - 1) * size, page * size), ...(isTold && { total: rows.length }) };
  };
  return { plan: { fetch, limit: Infinity, parallel: 4 }, pages };
}

const open = { label: 'Open', value: 1 };
const done = { label: 'Done', value: 2 };

test.each([true, false])('rows without an ID that are alike are all there (total told: %s)', async (told) => {
  const rows = [open, { ...open }, done, open];
  const { plan, pages } = list(rows, told);
  expect(await readRows(plan)).toEqual(rows);
  // Alike on one page is no sign that the list moved: nothing is read again.
  expect(pages).toEqual(told ? [1] : [1, 2]);
});

test.each([
  ['empty', { id: '' }],
  ['null', { id: null }],
  ['an object', { id: {} }],
])('an ID that is %s tells no rows apart', async (_what, row) => {
  const rows = [row, { ...row, a: 1 }, row];
  expect(await readRows(list(rows).plan)).toEqual(rows);
});

test('rows that are no objects are rows as well', async () => {
  const rows = [null, 'text', null, 7, 'text'];
  expect(await readRows(list(rows).plan)).toEqual(rows);
});

test.each<[string, (at: number) => object]>([
  ['by ID, a number or a text', (at) => ({ id: at % 2 ? at : String(at), ...open })],
  ['by what they hold', (at) => ({ at })],
])('a page that is shown again past the end adds nothing: %s', async (_how, rowAt) => {
  const rows = Array.from({ length: 250 }, (_, at) => rowAt(at));
  const { plan } = list(rows, false);
  const fetch = (page: number, size: number) => plan.fetch(Math.min(page, 2), size);
  expect(await readRows({ ...plan, fetch })).toEqual(rows);
});

test('one ID is one row, whatever else changed', async () => {
  const rows = [{ id: 7, a: 1 }, { id: '7', a: 2 }, { id: 8 }];
  expect(await readRows(list(rows).plan)).toEqual([{ id: 7, a: 1 }, { id: 8 }]);
});

test('a limit cuts the rows', async () => {
  expect(await readRows({ ...list([open, open, done]).plan, limit: 2 })).toEqual([open, open]);
});
