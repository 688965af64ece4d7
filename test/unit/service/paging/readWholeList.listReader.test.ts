/* eslint-disable @n8n/community-nodes/no-restricted-globals -- not shipped: runs on Node */
import { readWholeList } from '../../../../nodes/service/paging/readWholeList';
import { ChangingList, readFast } from './changingList';

const getId = ({ id }: { id: string }) => id;
const one = { limit: Infinity, concurrency: 1, getId };
const toCalls = (...pages: number[]) => pages.map((page) => [page, 200]);
const insertFirst = (list: ChangingList, count: number) => {
  for (let index = 0; index < count; index++) list.insert(0);
};

// The last page is read to find out whether the list continues behind the empty one.
test.each([
  [Infinity, 500],
  [10_000, 50],
])(
  'a service that counts too much, limit %d: the first empty page and page %i are read',
  async (limit, last) => {
    const list = new ChangingList(450);
    const fetchPage = async (page: number, size: number) => ({
      ...(await list.fetch(page, size)),
      total: 100_000,
    });
    expect(await readFast({ ...one, limit, fetchPage })).toEqual(list.rows);
    expect(list.calls).toEqual(toCalls(1, 2, 3, 4, last));
  },
);

test.each([
  ['one page', [3]],
  ['the first and the last page', [1, 5]],
  ['the first page', [1]],
  ['all but one page', [1, 2, 4, 5]],
])('records hidden on %s do not end the reading', async (_, hiddenPages) => {
  const isShown = (index: number) => !hiddenPages.includes(Math.floor(index / 200) + 1);
  for (const read of [readFast, readWholeList]) {
    const list = new ChangingList(1_000);
    const fetchPage = async (page: number, size: number) => {
      const { items, total } = await list.fetch(page, size);
      return { items: items.filter((__, index) => isShown((page - 1) * size + index)), total };
    };
    expect(await read({ ...one, fetchPage })).toEqual(list.rows.filter((__, index) => isShown(index)));
  }
});

test.each([
  [0, [1]],
  [1, [1, 2]],
  [200, [1, 2]],
  [450, [1, 2, 3, 4]],
])('%i records without a total: an empty page ends the reading', async (size, pages) => {
  const list = new ChangingList(size, undefined, false);
  await readFast({ ...one, fetchPage: list.fetch });
  expect(list.calls).toEqual(toCalls(...pages));
});

test('the last page again behind the end is no change of the list', async () => {
  const list = new ChangingList(450, undefined, false);
  const onChange = jest.fn();
  const fetchPage = (page: number, size: number) => list.fetch(Math.min(page, 3), size);
  expect(await readFast({ ...one, fetchPage, onChange })).toEqual(list.rows);
  expect(onChange).not.toHaveBeenCalled();
});

test('full pages without new records, because others were added before them, do not end the reading', async () => {
  const list = new ChangingList(600, (rows) => rows.calls.length <= 2 && insertFirst(rows, 200));
  const found = await readFast({ ...one, fetchPage: list.fetch });
  expect(list.findMissing(found)).toEqual([]);
  expect(list.calls).toEqual(toCalls(1, 2, 3, 4, 5));
});

test('the progress of a list that became shorter has the new total', async () => {
  let isFirst = true;
  const shrink = (list: ChangingList) => {
    if (isFirst) for (let index = 0; index < 500; index++) list.delete(0);
    isFirst = false;
  };
  const onProgress = jest.fn();
  await readFast({ ...one, fetchPage: new ChangingList(600, shrink).fetch, onProgress });
  expect(onProgress.mock.calls).toEqual([
    [200, 100],
    [200, 100],
  ]);
});

test.each([readFast, readWholeList])('no page is requested after one has failed', async (read) => {
  const list = new ChangingList(4_000);
  let requests = 0;
  const fetchPage = async (page: number, size: number) => {
    if (++requests === 3) throw new Error('refused');
    return list.fetch(page, size);
  };
  await expect(read({ fetchPage, getId, limit: Infinity, concurrency: 2 })).rejects.toThrow('refused');
  await new Promise((resolve) => setImmediate(resolve));
  // The page that was requested together with it still arrives.
  expect(requests).toBeLessThanOrEqual(4);
});
