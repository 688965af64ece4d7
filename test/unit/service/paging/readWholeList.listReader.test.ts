/* eslint-disable @n8n/community-nodes/no-restricted-globals -- not shipped: runs on Node */
import { readWholeList } from '../../../../nodes/service';
import { ChangingList, readFast } from './changingList';

const getId = ({ id }: { id: string }) => id;
const one = { limit: Infinity, concurrency: 1, getId };
const toCalls = (...pages: number[]) => pages.map((page) => [page, 200]);
const insertFirst = (list: ChangingList, count: number) => {
  for (let index = 0; index < count; index++) list.insert(0);
};

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
