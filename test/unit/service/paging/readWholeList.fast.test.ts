import { ChangingList, changeAfter, readFast } from './changingList';

const getId = ({ id }: { id: string }) => id;
const one = { limit: Infinity, concurrency: 1, getId };

test('pages are read in order, each once, with the progress after each', async () => {
  const list = new ChangingList(450);
  const progress: unknown[] = [];
  const onProgress = (...counts: unknown[]) => progress.push(counts);
  await readFast({ ...one, fetchPage: list.fetch, onProgress });
  expect(list.calls).toEqual([1, 2, 3].map((page) => [page, 200]));
  expect(progress).toEqual([
    [200, 450],
    [400, 450],
  ]);
});

test.each([
  ['shorter', (list: ChangingList) => list.delete(0)],
  ['longer at the front, so that a record is read twice', (list: ChangingList) => list.insert(0)],
])('a list that became %s is reported, and not read again', async (_, change) => {
  const list = new ChangingList(600, changeAfter(1, change));
  const onChange = jest.fn();
  const found = await readFast({ ...one, fetchPage: list.fetch, onChange });
  expect(onChange).toHaveBeenCalledTimes(1);
  expect(new Set(found.map(getId)).size).toBe(found.length);
  expect(list.calls.length).toBeLessThanOrEqual(4);
});

test('records that are added at the end meanwhile are read as well', async () => {
  const grow = (rows: ChangingList) => Array.from({ length: 250 }, () => rows.insert(rows.rows.length));
  const list = new ChangingList(450, changeAfter(2, grow));
  expect(await readFast({ ...one, fetchPage: list.fetch })).toHaveLength(700);
  expect(list.calls).toEqual([1, 2, 3, 4].map((page) => [page, 200]));
});

test('an error ends the reading', async () => {
  const list = new ChangingList(1_000);
  const fetchPage = async (page: number, size: number) => {
    if (page === 3) throw new Error('broken');
    return list.fetch(page, size);
  };
  await expect(readFast({ ...one, concurrency: 2, fetchPage })).rejects.toThrow('broken');
});

test('a service that returns more than requested does not exceed the limit', async () => {
  const list = new ChangingList(100);
  expect(await readFast({ ...one, limit: 30, fetchPage: () => list.fetch(1, 100) })).toHaveLength(30);
});
