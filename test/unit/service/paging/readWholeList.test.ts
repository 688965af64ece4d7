/* eslint-disable @n8n/community-nodes/no-restricted-globals -- not shipped: runs on Node */
import { readWholeList } from '../../../../nodes/service';
import { UnstableListError } from '../../../../nodes/service/errors/apiError';
import { ChangingList, changeAfter, createRandom, readFast } from './changingList';

const getId = ({ id }: { id: string }) => id;
const createRange = (page: number, size: number) => ({ start: (page - 1) * size, end: page * size });
const all = { limit: Infinity, concurrency: 8, getId };
const one = { ...all, concurrency: 1 };
const readers = [readFast, readWholeList];

describe('a list that stays as it is', () => {
  test.each(readers)('%p reads it whole and in order', async (read) => {
    for (const size of [0, 1, 199, 200, 201, 400, 401, 1_000]) {
      const list = new ChangingList(size);
      const onChange = jest.fn();
      expect((await read({ ...all, fetchPage: list.fetch, onChange })).map(getId)).toEqual(list.unchangedIds);
      expect(onChange).not.toHaveBeenCalled();
    }
  });

  test.each([0, 1, 199, 200])('%i records need one request, verified or not', async (size) => {
    for (const read of readers) {
      const list = new ChangingList(size);
      await read({ ...all, fetchPage: list.fetch });
      expect(list.calls).toHaveLength(1);
    }
  });

  test.each([5_000, 5_001, 7_000, 10_000, 13_371, 20_000])(
    '%i records: verified reading needs at most 1.12 times the requests',
    async (size) => {
      const [plain, verified] = [new ChangingList(size), new ChangingList(size)];
      await readFast({ ...all, fetchPage: plain.fetch });
      await readWholeList({ ...all, fetchPage: verified.fetch });
      expect(plain.calls).toHaveLength(Math.ceil(size / 200));
      expect(verified.calls.length).toBeLessThanOrEqual(1.12 * plain.calls.length);
      expect(verified.calls.every(([, pageSize]) => pageSize <= 200)).toBe(true);
    },
  );

  test.each([
    [0, 0],
    [1, 1],
    [150, 1],
    [200, 1],
    [201, 2],
    [380, 2],
  ])('a limit of %i needs %i requests', async (limit, requests) => {
    for (const read of readers) {
      const list = new ChangingList(1_000);
      const found = await read({ ...all, limit, fetchPage: list.fetch });
      expect(found.map(getId)).toEqual(list.unchangedIds.slice(0, limit));
      expect(list.calls).toHaveLength(requests);
    }
  });

  test('each record is looked at a few times only', async () => {
    const list = new ChangingList(20_000);
    let looks = 0;
    const countLooks = (record: { id: string }) => (looks++, record.id);
    await readWholeList({ ...all, getId: countLooks, fetchPage: list.fetch });
    expect(looks).toBeLessThanOrEqual(7 * 20_000);
  });

  test.each([10, 20, 21, 50])('a service that returns at most %i records a page', async (most) => {
    for (const read of readers) {
      const list = new ChangingList(1_000);
      const fetchPage = (page: number, size: number) => list.fetch(page, Math.min(size, most));
      expect((await read({ ...all, fetchPage })).map(getId)).toEqual(list.unchangedIds);
    }
  });

  describe('a service that returns its first page in place of others', () => {
    const AGAIN = 'The service returned the first page again instead of page 2';

    test.each([450, 600])('is an error for %i records: the others cannot be read', async (count) => {
      for (const read of readers) {
        const list = new ChangingList(count);
        const fetchPage = (_: number, size: number) => list.fetch(1, size);
        await expect(read({ ...all, fetchPage })).rejects.toThrow(AGAIN);
      }
    });

    test('is none if a page has one record, which may have moved', async () => {
      const list = new ChangingList(
        3,
        changeAfter(1, (rows) => rows.move(2, 0)),
      );
      const fetchPage = (page: number) => list.fetch(page, 1);
      expect((await readFast({ ...one, fetchPage })).map(getId)).toEqual(['r0', 'r1']);
    });
  });

  test('no more pages are requested at once than allowed', async () => {
    const list = new ChangingList(10_000);
    let [atOnce, most] = [0, 0];
    const fetchPage = async (page: number, size: number) => {
      most = Math.max(most, ++atOnce);
      await new Promise(setImmediate);
      atOnce--;
      return list.fetch(page, size);
    };
    await readWholeList({ ...all, concurrency: 3, fetchPage });
    expect(most).toBe(3);
  });
});

describe('a list that changes at one known moment', () => {
  test('neighbours share two records', async () => {
    const list = new ChangingList(1_000);
    await readWholeList({ ...one, fetchPage: list.fetch });
    const ranges = list.calls.map(([page, size]) => createRange(page, size));
    ranges.slice(1).forEach(({ start }, index) => expect(start).toBeLessThanOrEqual(ranges[index]!.end - 2));
  });

  test.each([
    [
      'one deleted at the front and one added at the end: the total stays the same',
      (list: ChangingList) => {
        list.delete(0);
        list.insert(list.rows.length);
      },
    ],
    ['one deleted at the front', (list: ChangingList) => list.delete(0)],
    ['one added at the front', (list: ChangingList) => list.insert(0)],
    ['one moved from the end to the front', (list: ChangingList) => list.move(list.rows.length - 1, 0)],
    ['one moved from the front to the end', (list: ChangingList) => list.move(0, list.rows.length - 1)],
  ])('%s', async (_, change) => {
    for (const nth of [1, 2, 4, 5]) {
      const list = new ChangingList(1_000, changeAfter(nth, change));
      const onChange = jest.fn();
      const found = await readWholeList({ ...one, fetchPage: list.fetch, onChange });
      expect(list.findMissing(found)).toEqual([]);
      expect(new Set(found.map(getId)).size).toBe(found.length);
      expect(onChange).toHaveBeenCalledTimes(1);
    }
  });

  test('records that are added at the end are read, and are not a reason to read the list again', async () => {
    const list = new ChangingList(1_000, (rows) => rows.rows.length < 1_500 && rows.insert(rows.rows.length));
    const onChange = jest.fn();
    const found = await readWholeList({ ...all, fetchPage: list.fetch, onChange });
    expect(list.findMissing(found)).toEqual([]);
    expect(onChange).not.toHaveBeenCalled();
    expect(list.calls.length).toBeLessThan(10);
  });

  test('neighbours that lost their overlap are connected by one request for what lies between them', async () => {
    const removeTwenty = (rows: ChangingList) => Array.from({ length: 20 }, () => rows.delete(0));
    const list = new ChangingList(1_000, changeAfter(1, removeTwenty));
    const found = await readWholeList({ ...one, fetchPage: list.fetch });
    expect(list.findMissing(found)).toEqual([]);
    const middle = createRange(...list.calls[2]!);
    expect(Math.abs((middle.start + middle.end) / 2 - 200)).toBeLessThan(10);
  });

  test.each<[where: string, inserted: number, gapReads: number[][]]>([
    [
      'to the left of where it was',
      0,
      [
        [2, 133],
        [2, 104],
        [1, 200],
      ],
    ],
    [
      'to the right',
      150,
      [
        [2, 133],
        [2, 163],
        [2, 199],
      ],
    ],
    ['once if it is too far away: the list is read again', 400, [[2, 133]]],
  ])('a gap that 150 deleted records left is looked for %s', async (_, inserted, gapReads) => {
    let page = 0;
    const list = new ChangingList(1_000, (rows) => {
      page++;
      if (page === 1) for (let count = 0; count < 150; count++) rows.delete(0);
      if (page === 2) for (let count = 0; count < inserted; count++) rows.insert(0);
    });
    const found = await readWholeList({ ...one, fetchPage: list.fetch });
    expect(list.findMissing(found)).toEqual([]);
    expect(list.calls.slice(2, 3 + gapReads.length)).toEqual([...gapReads, [3, 197]]);
  });

  test('records that are deleted at the front all the time: each gap is closed, so the second reading is enough', async () => {
    const list = new ChangingList(2_000, (rows) => Array.from({ length: 20 }, () => rows.delete(0)));
    expect(list.findMissing(await readWholeList({ ...one, fetchPage: list.fetch }))).toEqual([]);
    expect(list.calls.filter(([page]) => page === 1)).toHaveLength(2);
  });

  test.each([
    [20, 23],
    [100, 24],
    [199, 24],
  ])(
    '%i records are deleted at the front: the list is read twice, in at most %i requests',
    async (count, requests) => {
      const list = new ChangingList(
        2_000,
        changeAfter(1, (rows) => Array.from({ length: count }, () => rows.delete(0))),
      );
      expect(list.findMissing(await readWholeList({ ...one, fetchPage: list.fetch }))).toEqual([]);
      expect(list.calls.length).toBeLessThanOrEqual(requests);
    },
  );
});

describe('a total that the pages do not have', () => {
  const wrong = (total: number, count: number) =>
    `The service says that a list has ${total} records, and returned ${count}`;

  test('a list of which nothing is shown is an error: it would be taken for an empty one', async () => {
    const fetchPage = async () => ({ items: [] as Array<{ id: string }>, total: 300 });
    for (const read of readers) await expect(read({ ...all, fetchPage })).rejects.toThrow(wrong(300, 0));
  });

  test.each([0, -1, 100])(
    'a full page of more than the %i records that are counted is an error',
    async (total) => {
      for (const read of readers) {
        const list = new ChangingList(450);
        const fetchPage = async (page: number, size: number) => ({
          ...(await list.fetch(page, size)),
          total,
        });
        await expect(read({ ...all, fetchPage })).rejects.toThrow(wrong(total, 200));
      }
    },
  );

  test.each([0, 2])('a page of 3 records is all of them, although %i are counted', async (total) => {
    for (const read of readers) {
      const list = new ChangingList(3);
      const fetchPage = async (page: number, size: number) => ({ ...(await list.fetch(page, size)), total });
      expect(await read({ ...all, fetchPage })).toEqual(list.rows);
    }
  });

  test('a page that is wrong once is read again: a record was added or deleted after the count', async () => {
    for (const total of [0, 1000]) {
      const list = new ChangingList(150);
      const fetchPage = async (page: number, size: number) => {
        const answer = await list.fetch(page, size);
        return list.calls.length > 1 ? answer : { items: total > 0 ? [] : answer.items, total };
      };
      expect(await readWholeList({ ...all, fetchPage })).toEqual(list.rows);
    }
  });

  test.each([1, 40, 250])(
    '%i records fewer than are counted, in two readings, are an error',
    async (missing) => {
      const list = new ChangingList(450);
      const shown = new ChangingList(450 - missing);
      const fetchPage = async (page: number, size: number) => ({
        ...(await shown.fetch(page, size)),
        total: list.rows.length,
      });
      const message = wrong(450, 450 - missing);
      // The code has the remedy, which is a setting of some lists alone: Fast Paging takes what is returned.
      for (const [isFast, code] of [
        [false, 'unstableList'],
        [undefined, undefined],
      ] as const)
        await expect(readWholeList({ ...all, fetchPage, isFast })).rejects.toMatchObject({ message, code });
      expect(await readWholeList({ ...all, fetchPage, isFast: true })).toEqual(shown.rows);
    },
  );

  test('a total that grows with each answer is an error, or ends at the first page without new records', async () => {
    for (const read of readers) {
      const list = new ChangingList(450);
      const fetchPage = async (page: number, size: number) => ({
        ...(await list.fetch(page, size)),
        total: 450 + 200 * list.calls.length,
      });
      const found = await read({ ...one, fetchPage }).catch((error: Error) => error.message);
      expect([list.rows, wrong(1650, 450)]).toContainEqual(found);
      expect(list.calls.length).toBeLessThan(20);
    }
  });
});

describe('a list whose records move all the time', () => {
  const random = createRandom(1);
  const pick = (list: ChangingList) => Math.floor(random() * list.rows.length);
  const moveSome = (list: ChangingList) => {
    for (let count = 0; count < 5; count++) list.move(pick(list), pick(list));
  };

  test('is read in a pinned order and returned in its own', async () => {
    const list = new ChangingList(2_000, moveSome);
    const read = { ...one, fetchPage: list.fetch, fetchPinnedPage: jest.fn(list.fetchPinned) };
    const found = (await readWholeList(read)).map(getId);
    expect(read.fetchPinnedPage).toHaveBeenCalled();
    expect([...found].sort()).toEqual([...list.unchangedIds].sort());
    // Some records moved before they were read for the first time.
    expect(found).not.toEqual(list.unchangedIds);
  });

  test('is not read in a pinned order if only the first records are wanted', async () => {
    const list = new ChangingList(1_000, moveSome);
    const fetchPinnedPage = jest.fn(list.fetchPinned);
    await readWholeList({ ...one, limit: 600, fetchPage: list.fetch, fetchPinnedPage }).catch(() => []);
    expect(fetchPinnedPage).not.toHaveBeenCalled();
  });

  test('a list that stays as it is does not need the pinned order', async () => {
    const list = new ChangingList(1_000);
    const fetchPinnedPage = jest.fn(list.fetchPinned);
    await readWholeList({ ...one, fetchPage: list.fetch, fetchPinnedPage });
    expect(fetchPinnedPage).not.toHaveBeenCalled();
  });
});

describe('a list that cannot be verified', () => {
  test('pages that never share a record: one request for each gap, five readings, then an error', async () => {
    let calls = 0;
    const fetchPage = async (page: number, size: number) => {
      const call = ++calls;
      const length = Math.max(0, Math.min(size, 300 - (page - 1) * size));
      return { items: Array.from({ length }, (_, index) => ({ id: `${call}-${index}` })), total: 300 };
    };
    await expect(readWholeList({ ...one, fetchPage })).rejects.toThrow(
      'The list kept changing while it was read',
    );
    expect(calls).toBe(5 * (2 + 1));
  });

  test('records that change their order all the time', async () => {
    const list = new ChangingList(1_000, ({ rows }) => rows.reverse());
    for (const [isFast, code] of [
      [false, 'unstableList'],
      [undefined, undefined],
    ] as const) {
      const error: unknown = await readWholeList({ ...one, fetchPage: list.fetch, isFast }).catch(
        (thrown: unknown) => thrown,
      );
      expect(error).toBeInstanceOf(UnstableListError);
      expect(error).toHaveProperty('code', code);
    }
  });

  test.each([1, 50, 200])(
    'a Limit of %i is one request, which records that move cannot disturb',
    async (limit) => {
      const list = new ChangingList(1_000, ({ rows }) => rows.reverse());
      const found = await readWholeList({ ...one, limit, fetchPage: list.fetch });
      expect(found.map(getId)).toEqual(list.unchangedIds.slice(0, limit));
      expect(list.calls).toHaveLength(1);
    },
  );

  test('a Limit of several pages whose records move is an error that says what to do', async () => {
    const list = new ChangingList(1_000, ({ rows }) => rows.reverse());
    const reading = readWholeList({ ...one, limit: 600, fetchPage: list.fetch });
    await expect(reading).rejects.toMatchObject({
      description: expect.stringContaining('as a Limit, are read in one request') as string,
    });
  });
});
