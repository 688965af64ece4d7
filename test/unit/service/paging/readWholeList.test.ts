/* eslint-disable @n8n/community-nodes/no-restricted-globals -- not shipped: runs on Node */
import { readWholeList } from '../../../../nodes/service';
import { scaleRuns } from '../../../randomness';
import { ChangingList, changeAfter, createRandom } from './changingList';

const getId = ({ id }: { id: string }) => id;
const all = { limit: Infinity, concurrency: 8 };
const one = { ...all, concurrency: 1 };
const toCalls = (...pages: number[]) => pages.map((page) => [page, 200]);

describe('a list that stays as it is', () => {
  test.each([0, 1, 199, 200, 201, 400, 20_000])(
    '%i records are read in order, each page once',
    async (size) => {
      const list = new ChangingList(size);
      const onChange = jest.fn();
      expect(await readWholeList({ ...all, fetchPage: list.fetch, onChange })).toEqual(list.rows);
      expect(list.calls).toHaveLength(Math.max(1, Math.ceil(size / 200)));
      expect(onChange).not.toHaveBeenCalled();
    },
  );

  test.each([
    [0, 0],
    [-1, 0],
    [1, 1],
    [150, 1],
    [200, 1],
    [201, 2],
    [400, 2],
  ])('a limit of %i needs %i requests', async (limit, requests) => {
    const list = new ChangingList(1_000);
    const found = await readWholeList({ ...all, limit, fetchPage: list.fetch });
    expect(found).toEqual(list.rows.slice(0, Math.max(0, limit)));
    expect(list.calls).toHaveLength(requests);
  });

  test('the progress is the number of records read, after each page', async () => {
    const progress: unknown[] = [];
    const onProgress = (...counts: unknown[]) => progress.push(counts);
    await readWholeList({ ...one, fetchPage: new ChangingList(450).fetch, onProgress });
    expect(progress).toEqual([
      [400, 450],
      [450, 450],
    ]);
  });

  test('no more pages are requested at once than allowed', async () => {
    const list = new ChangingList(4_000);
    let [running, most] = [0, 0];
    const fetchPage = async (page: number, size: number) => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setImmediate(resolve));
      running--;
      return list.fetch(page, size);
    };
    expect(await readWholeList({ ...all, concurrency: 3, fetchPage })).toEqual(list.rows);
    expect(most).toBe(3);
  });

  test('no page is requested after one has failed', async () => {
    const list = new ChangingList(4_000);
    let requests = 0;
    const fetchPage = async (page: number, size: number) => {
      if (++requests === 3) throw new Error('refused');
      return list.fetch(page, size);
    };
    await expect(readWholeList({ ...all, concurrency: 2, fetchPage })).rejects.toThrow('refused');
    await new Promise((resolve) => setImmediate(resolve));
    // The page that was requested together with it still arrives.
    expect(requests).toBeLessThanOrEqual(4);
  });
});

describe('a service with pages of another size', () => {
  test.each([10, 20, 21, 50, 100])('at most %i records', async (most) => {
    const list = new ChangingList(1_001);
    const fetchPage = (page: number, size: number) => list.fetch(page, Math.min(size, most));
    expect(await readWholeList({ ...all, fetchPage })).toEqual(list.rows);
    expect(list.calls).toHaveLength(Math.ceil(1_001 / most));
  });

  test('more records than requested do not exceed the limit', async () => {
    const list = new ChangingList(100);
    const fetchPage = () => list.fetch(1, 100);
    expect(await readWholeList({ ...all, limit: 30, fetchPage })).toHaveLength(30);
  });
});

describe('a start page', () => {
  const readPage = async (list: ChangingList, startPage: number, limit: number, fetchPage = list.fetch) =>
    readWholeList({ fetchPage, limit, startPage, concurrency: 4 });

  test.each([
    [100, 10],
    [100, 7],
    [2000, 200],
    [2000, 300],
    [2000, 1000],
  ])('of a list of %i records, %i a page', async (count, limit) => {
    const list = new ChangingList(count);
    const found = [];
    for (let page = 1; page <= Math.ceil(count / limit) + 1; page++) {
      found.push(...(await readPage(list, page, limit)));
    }
    expect(found).toEqual(list.rows);
    expect(list.calls.filter(([page]) => !Number.isInteger(page))).toEqual([]);
  });

  test.each([
    [2, 200],
    [3, 50],
  ])('number %i has %i records and is read once', async (startPage, length) => {
    const list = new ChangingList(450);
    expect(await readPage(list, startPage, 200)).toHaveLength(length);
    expect(list.calls).toEqual([[startPage, 200]]);
  });

  test('of a limit that no size of a page divides is refused', async () => {
    const list = new ChangingList(450);
    await expect(readPage(list, 2, 211)).rejects.toMatchObject({
      message: 'Limit cannot be 211 with Start Page',
      description: expect.stringContaining('a multiple of 100') as string,
    });
    expect(list.calls).toEqual([]);
  });

  test('of a service that returns fewer records than requested', async () => {
    const list = new ChangingList(450);
    const fetchPage = (page: number, size: number) => list.fetch(page, Math.min(size, 100));
    expect(await readPage(list, 2, 200, fetchPage)).toEqual(list.rows.slice(200, 400));
    expect(await readPage(list, 3, 200, fetchPage)).toEqual(list.rows.slice(400));
    expect(await readPage(list, 4, 200, fetchPage)).toEqual([]);
    const fetchOddPage = (page: number, size: number) => list.fetch(page, Math.min(size, 30));
    await expect(readPage(list, 2, 200, fetchOddPage)).rejects.toMatchObject({
      message:
        'The service returns 30 records a page, so the page that begins after 200 records cannot be read',
      description: 'Choose a limit that is a multiple of 30.',
    });
  });
});

describe('a list that changes while it is read', () => {
  test.each<[string, (list: ChangingList) => void]>([
    ['a record is deleted at the front', (list) => list.delete(0)],
    ['a record is created at the front', (list) => list.insert(0)],
    ['a record is created at the end', (list) => list.insert(list.rows.length)],
    ['a record moves from a later page to an earlier one', (list) => list.move(500, 100)],
    ['a record moves from an earlier page to a later one', (list) => list.move(100, 500)],
  ])('once is read once more: %s', async (_, change) => {
    const list = new ChangingList(600, changeAfter(1, change));
    const onChange = jest.fn();
    expect(await readWholeList({ ...one, fetchPage: list.fetch, onChange })).toEqual(list.rows);
    expect(list.calls).toEqual(toCalls(1, 2, 3, 1, 2, 3, ...(list.rows.length > 600 ? [4] : [])));
    expect(onChange).not.toHaveBeenCalled();
  });

  test('during both readings is an error, or what was found the second time', async () => {
    const create = () => new ChangingList(600, (list) => list.delete(0));
    await expect(readWholeList({ ...one, fetchPage: create().fetch })).rejects.toMatchObject({
      message: 'The list changed while it was read: it has 597 records, and 595 were found',
      description: expect.stringContaining('some may be missing') as string,
    });
    const list = create();
    const onChange = jest.fn();
    const found = await readWholeList({ ...one, fetchPage: list.fetch, onChange });
    expect(found.map(getId)).toHaveLength(595);
    expect(onChange).toHaveBeenCalledTimes(1);
    expect(list.calls).toHaveLength(6);
  });

  test('behind its first 200 records does not matter to a limit of them', async () => {
    const list = new ChangingList(1_000, ({ rows }) => rows.reverse());
    const found = await readWholeList({ ...one, limit: 200, fetchPage: list.fetch });
    expect(found[0]).toEqual({ id: 'r0' });
    expect(list.calls).toHaveLength(1);
  });

  const SEEDS = Array.from({ length: scaleRuns(500) }, (_, index) => index + 1);

  /** Reads a list that changes after each page with a probability of its own for each seed, up to twice a page. */
  async function readChanging(
    seed: number,
    changes: Array<(list: ChangingList, pick: () => number) => void>,
  ) {
    const random = createRandom(seed);
    const rate = [0.001, 0.01, 0.1, 1, 2][seed % 5]!;
    const list = new ChangingList(20_000, (rows) => {
      const pick = () => Math.floor(random() * rows.rows.length);
      for (const change of changes)
        for (let left = rate; left > 0; left--) if (random() < left) change(rows, pick);
    });
    const onChange = jest.fn();
    const concurrency = seed % 2 ? 8 : 1;
    const found = await readWholeList({ ...all, concurrency, fetchPage: list.fetch, onChange });
    const doubles = found.length - new Set(found.map(getId)).size;
    return { doubles, missing: list.findMissing(found).length, isNoticed: onChange.mock.calls.length > 0 };
  }

  test.each<[string, (list: ChangingList, pick: () => number) => void]>([
    ['creations', (list, pick) => list.insert(pick())],
    ['deletions', (list, pick) => list.delete(pick())],
  ])('%s alone: each miss is noticed', async (_, change) => {
    const readings = { whole: 0, noticed: 0 };
    for (const seed of SEEDS) {
      const { doubles, missing, isNoticed } = await readChanging(seed, [change]);
      readings[isNoticed ? 'noticed' : 'whole']++;
      expect([seed, doubles, isNoticed || missing === 0]).toEqual([seed, 0, true]);
    }
    expect(Math.min(readings.whole, readings.noticed)).toBeGreaterThan(0);
  });

  test('both: no record is returned twice', async () => {
    for (const seed of SEEDS.slice(0, 100)) {
      const { doubles } = await readChanging(seed, [
        (list, pick) => list.insert(pick()),
        (list, pick) => list.delete(pick()),
      ]);
      expect([seed, doubles]).toEqual([seed, 0]);
    }
  });

  test('a record that is deleted while another one is created cannot be noticed: one is missing', async () => {
    const list = new ChangingList(
      600,
      changeAfter(1, (rows) => {
        rows.delete(0);
        rows.insert(rows.rows.length);
      }),
    );
    const found = await readWholeList({ ...one, fetchPage: list.fetch });
    expect(list.findMissing(found)).toEqual(['r200']);
    expect(list.calls).toHaveLength(3);
  });
});

describe('a number of records that the pages do not have', () => {
  const read = (total_items: number, size = 450, onChange?: () => void) => {
    const list = new ChangingList(size);
    const fetchPage = async (page: number, limit: number) => ({
      ...(await list.fetch(page, limit)),
      total_items,
    });
    return readWholeList({ ...one, fetchPage, onChange });
  };

  test.each([
    [300, 0, 'it has 300 records, and 0 were found'],
    [451, 450, 'it has 451 records, and 450 were found'],
    [0, 450, 'it has 0 records, and 200 were found'],
    [2, 3, 'it has 2 records, and 3 were found'],
  ])('%i of %i is an error, unless the caller takes them', async (total, size, text) => {
    await expect(read(total, size)).rejects.toThrow(text);
    const onChange = jest.fn();
    expect(await read(total, size, onChange)).toHaveLength(Number(/and (\d+)/.exec(text)![1]));
    expect(onChange).toHaveBeenCalledTimes(1);
  });

  test('once is read again: a record was created or deleted after the count', async () => {
    const list = new ChangingList(150);
    const fetchPage = async (page: number, size: number) => {
      const answer = await list.fetch(page, size);
      return list.calls.length > 1 ? answer : { items: [], total_items: 1_000 };
    };
    expect(await readWholeList({ ...all, fetchPage })).toEqual(list.rows);
  });

  test('the first page in place of each later one is noticed', async () => {
    const list = new ChangingList(600);
    const fetchPage = (_: number, size: number) => list.fetch(1, size);
    await expect(readWholeList({ ...one, fetchPage })).rejects.toThrow(
      'it has 600 records, and 200 were found',
    );
  });
});
