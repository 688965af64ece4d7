import { readPages, Unsteady } from '../../../nodes/shared/transport/pages';
import { slice } from '../../../nodes/shared/transport/slices';
import { MovingList } from './movingList';

/** Which pages are asked for, in which order, and what is made of a list that moves at one known moment. */

const idOf = ({ id }: { id: string }) => id;
const one = { limit: Infinity, parallel: 1, idOf };
/** Does something to the list once, after its nth page was read. */
const after = (nth: number, change: (list: MovingList) => void) => {
  let pages = 0;
  return (list: MovingList) => void (++pages === nth && change(list));
};
/** A page of records that no other call shows. */
const pageOf = (call: number, page: number, size: number, total: number) => {
  const length = Math.max(0, Math.min(size, total - (page - 1) * size));
  return { items: Array.from({ length }, (_, index) => ({ id: `${call}-${index}` })), total };
};
const missing = (list: MovingList, found: Array<{ id: string }>) => {
  const ids = new Set(found.map(idOf));
  return list.lasting.filter((id) => !ids.has(id));
};

test('pages go in order; what was found and what is expected is told after each', async () => {
  const list = new MovingList(450);
  const told: unknown[] = [];
  await readPages({ ...one, fetch: list.fetch, onProgress: (...seen) => told.push(seen) });
  expect(list.calls).toEqual([
    [1, 200],
    [2, 200],
    [3, 200],
  ]);
  // Told before the page itself is counted in.
  expect(told).toEqual([
    [200, 450],
    [400, 450],
  ]);
});

test('many pages: the last one first, and again at the end for a look whether it moved', async () => {
  const list = new MovingList(21 * 200);
  const onDrift = jest.fn();
  expect(await readPages({ ...one, fetch: list.fetch, onDrift })).toHaveLength(4_200);
  const between = Array.from({ length: 19 }, (_, index) => [index + 2, 200]);
  expect(list.calls).toEqual([[1, 200], [21, 200], ...between, [21, 200]]);
  expect(onDrift).not.toHaveBeenCalled();
});

test('one page fewer is not worth the look', async () => {
  const list = new MovingList(20 * 200);
  await readPages({ ...one, fetch: list.fetch });
  expect(list.calls).toEqual(Array.from({ length: 20 }, (_, index) => [index + 1, 200]));
});

test('the look finds what no number shows: one record gone from the front, another come at the end', async () => {
  const change = after(10, (list) => {
    list.delete(0);
    list.insert(list.rows.length);
  });
  const list = new MovingList(21 * 200, change);
  const onDrift = jest.fn();
  const found = await readPages({ ...one, fetch: list.fetch, onDrift });
  expect(onDrift.mock.calls).toEqual([[true]]);
  expect(missing(list, found)).toEqual([]);
  // 22 of the plain reading, then the whole once more with overlap.
  expect(list.calls.length).toBeGreaterThan(44);
});

test('a list that got shorter between two pages is read again, with proof', async () => {
  const list = new MovingList(
    600,
    after(1, (rows) => rows.delete(0)),
  );
  const onDrift = jest.fn();
  const found = await readPages({ ...one, fetch: list.fetch, onDrift });
  expect(onDrift.mock.calls).toEqual([[true]]);
  expect(found.map(idOf)).toEqual(list.lasting);
});

test('a record that comes twice shows that the list moved', async () => {
  const list = new MovingList(
    600,
    after(1, (rows) => rows.insert(0)),
  );
  const onDrift = jest.fn();
  const found = await readPages({ ...one, limit: 600, fetch: list.fetch, onDrift });
  expect(onDrift).toHaveBeenCalledTimes(1);
  expect(new Set(found.map(idOf)).size).toBe(found.length);
});

test('strict: neighbours overlap, and a list at rest is not said to have moved', async () => {
  const list = new MovingList(1_000);
  const onDrift = jest.fn();
  const found = await readPages({ ...one, strict: true, fetch: list.fetch, onDrift });
  expect(found.map(idOf)).toEqual(list.lasting);
  expect(onDrift).not.toHaveBeenCalled();
  const slices = list.calls.map(([page, size]) => slice(page, size));
  slices.slice(1).forEach(({ start }, index) => expect(start).toBeLessThanOrEqual(slices[index]!.end - 10));
});

test('strict: where two neighbours lost their overlap, one look between them proves the seam', async () => {
  const still = new MovingList(1_000);
  await readPages({ ...one, strict: true, fetch: still.fetch });
  // Twenty gone at the front: what the next page shows begins twenty later.
  const list = new MovingList(
    1_000,
    after(1, (rows) => Array.from({ length: 20 }, () => rows.delete(0))),
  );
  const onDrift = jest.fn();
  const found = await readPages({ ...one, strict: true, fetch: list.fetch, onDrift });
  expect(onDrift.mock.calls).toEqual([[true]]);
  expect(missing(list, found)).toEqual([]);
  expect(list.calls.length).toBe(still.calls.length + 1);
  const [page, size] = list.calls[2]!;
  const middle = slice(page, size);
  expect(Math.abs((middle.start + middle.end) / 2 - 200)).toBeLessThan(10);
});

test('strict: a seam that stays open is looked at eight times, in three readings, then given up', async () => {
  // Every page shows other records: no two ever share one.
  let calls = 0;
  const fetch = async (page: number, size: number) => {
    const call = ++calls;
    return pageOf(call, page, size, 300);
  };
  await expect(readPages({ ...one, strict: true, fetch })).rejects.toThrow(
    'The records kept changing while they were read',
  );
  // Each reading: two pages and eight looks.
  expect(calls).toBe(3 * (2 + 8));
});

test('without strict the last try is given as it is, and said not to be whole', async () => {
  let calls = 0;
  const fetch = async (page: number, size: number) => {
    const call = ++calls;
    return pageOf(call, page, size, 400 - call);
  };
  const onDrift = jest.fn();
  const found = await readPages({ ...one, fetch, onDrift });
  expect(onDrift.mock.calls).toEqual([[false]]);
  expect(found.length).toBeGreaterThan(0);
});

test('an error ends the reading', async () => {
  const list = new MovingList(1_000);
  const fetch = async (page: number, size: number) => {
    if (page === 3) throw new Error('broken');
    return list.fetch(page, size);
  };
  await expect(readPages({ ...one, parallel: 2, fetch })).rejects.toThrow('broken');
  expect(new Unsteady().name).toBe('Unsteady');
});

test('a service that gives more than asked for gives no more than the limit', async () => {
  const list = new MovingList(100);
  expect(await readPages({ ...one, limit: 30, fetch: () => list.fetch(1, 100) })).toHaveLength(30);
});

test('records that come meanwhile are read on to, as soon as an answer tells of them', async () => {
  const grow = (rows: MovingList) => Array.from({ length: 250 }, () => rows.insert(rows.rows.length));
  const list = new MovingList(450, after(2, grow));
  expect(await readPages({ ...one, fetch: list.fetch })).toHaveLength(700);
  expect(list.calls).toEqual([1, 2, 3, 4].map((page) => [page, 200]));
  const untold = new MovingList(400, after(2, grow));
  expect(await readPages({ ...one, fetch: untold.fetch })).toHaveLength(400);
});
