import { readPages, Unsteady } from '../../../nodes/shared/transport/pages';
import { runs } from '../../randomness';
import { MovingList, seeded } from './movingList';

const idOf = ({ id }: { id: string }) => id;
const all = { limit: Infinity, parallel: 8, idOf };

describe('a list that stays as it is', () => {
  test.each([
    [0, 1],
    [1, 1],
    [199, 1],
    [200, 1],
    [201, 2],
    [400, 2],
    [401, 3],
  ])('%i records are read whole, in order, in %i requests', async (size, requests) => {
    const list = new MovingList(size);
    const found = await readPages({ ...all, fetch: list.fetch });
    expect(found.map(idOf)).toEqual(list.lasting);
    expect(list.calls).toHaveLength(requests);
  });

  test.each([0, 1, 199, 200, 201, 400])('strict mode reads %i records whole as well', async (size) => {
    const list = new MovingList(size);
    const found = await readPages({ ...all, strict: true, fetch: list.fetch });
    expect(found.map(idOf)).toEqual(list.lasting);
  });

  test('strict mode costs about a seventh more requests', async () => {
    const list = new MovingList(20_000);
    await readPages({ ...all, strict: true, fetch: list.fetch });
    expect(list.calls.length).toBeLessThan(118);
    expect(list.calls.every(([, size]) => size <= 200)).toBe(true);
  });

  test.each([
    [0, 0],
    [1, 1],
    [150, 1],
    [200, 1],
    [201, 2],
    [450, 3],
  ])('a limit of %i asks for %i pages and no more', async (limit, requests) => {
    const list = new MovingList(1_000);
    const found = await readPages({ ...all, limit, fetch: list.fetch });
    expect(found.map(idOf)).toEqual(list.lasting.slice(0, limit));
    expect(list.calls).toHaveLength(requests);
  });

  test.each([0, 1, 200, 450])(
    '%i records without a total are read until a page brings nothing new',
    async (size) => {
      const list = new MovingList(size, undefined, false);
      const found = await readPages({ ...all, fetch: list.fetch });
      expect(found.map(idOf)).toEqual(list.lasting);
    },
  );

  test.each([0, 100])('a total of %i, where more was seen, ends nothing', async (total) => {
    const list = new MovingList(1_000);
    const fetch = async (page: number, size: number) => ({ ...(await list.fetch(page, size)), total });
    for (const strict of [false, true]) {
      expect((await readPages({ ...all, strict, fetch })).map(idOf)).toEqual(list.lasting);
    }
  });

  test.each([
    ['shows nothing', (page: number) => page],
    ['shows its last page again', (page: number, size: number) => Math.min(page, Math.ceil(450 / size))],
  ])('a service that promises far more than it has, and %s, is not asked on and on', async (_what, shown) => {
    for (const strict of [false, true]) {
      const list = new MovingList(450);
      const fetch = async (page: number, size: number) => ({
        ...(await list.fetch(shown(page, size), size)),
        total: 100_000,
      });
      expect((await readPages({ ...all, strict, fetch })).map(idOf)).toEqual(list.lasting);
      expect(list.calls.length).toBeLessThan(40);
    }
  });

  test.each([1, 2, 4, 8])('pages that are hidden in the middle end nothing; %i at once', async (parallel) => {
    const list = new MovingList(3_800);
    const isHidden = (id: string) => Number(id.slice(1)) >= 400 && Number(id.slice(1)) < 1_400;
    for (const strict of [false, true]) {
      const fetch = async (page: number, size: number) => {
        const { items, total } = await list.fetch(page, size);
        return { items: items.filter(({ id }) => !isHidden(id)), total };
      };
      const found = await readPages({ ...all, parallel, strict, fetch });
      expect(found.map(idOf)).toEqual(list.lasting.filter((id) => !isHidden(id)));
    }
  });

  test('each record is looked at no more than a few times, also without a total', async () => {
    const list = new MovingList(20_000, undefined, false);
    let looks = 0;
    const count = (one: { id: string }) => (looks++, one.id);
    await readPages({ ...all, idOf: count, fetch: list.fetch });
    expect(looks).toBeLessThanOrEqual(3 * 20_000);
  });

  test('stops on a service that gives the same page again and again', async () => {
    const items = [{ id: 'a' }, { id: 'b' }];
    let calls = 0;
    const fetch = async () => (calls++, { items });
    expect(await readPages({ ...all, fetch })).toEqual(items);
    expect(calls).toBe(2);
  });

  test('follows a service that gives smaller pages than asked for', async () => {
    const list = new MovingList(1_000);
    const fetch = (page: number, size: number) => list.fetch(page, Math.min(size, 50));
    const found = await readPages({ ...all, fetch });
    expect(found.map(idOf)).toEqual(list.lasting);
  });

  test.each([10, 20, 21])('strict mode too, in pages of %i', async (most) => {
    const list = new MovingList(1_000);
    const fetch = (page: number, size: number) => list.fetch(page, Math.min(size, most));
    const found = await readPages({ ...all, strict: true, fetch });
    expect(found.map(idOf)).toEqual(list.lasting);
  });

  test('asks for no more pages at once than allowed', async () => {
    const list = new MovingList(10_000);
    let [atOnce, most] = [0, 0];
    const fetch = async (page: number, size: number) => {
      most = Math.max(most, ++atOnce);
      await new Promise(setImmediate);
      atOnce--;
      return list.fetch(page, size);
    };
    await readPages({ ...all, parallel: 3, fetch });
    expect(most).toBe(3);
  });
});

describe('a list that others change meanwhile (R3)', () => {
  const SEEDS = Array.from({ length: runs(500) }, (_, index) => index + 1);
  const at = (random: () => number, list: MovingList) => Math.floor(random() * list.rows.length);

  /** What the service does with new records: behind the others, or anywhere in a sorted list. */
  const kinds = {
    'new records come last': (random: () => number) => (list: MovingList) => {
      list.insert(list.rows.length);
      list.delete(at(random, list));
    },
    'new records come anywhere': (random: () => number) => (list: MovingList) => {
      list.insert(at(random, list));
      list.delete(at(random, list));
    },
  };

  test.each(Object.entries(kinds))('20,000 rows, an insert and a delete per page; %s', async (_, kind) => {
    let drifts = 0;
    let silent = 0;
    for (const seed of SEEDS) {
      const list = new MovingList(20_000, kind(seeded(seed)));
      const found = (await readPages({ ...all, fetch: list.fetch, onDrift: () => drifts++ })).map(idOf);
      const ids = new Set(found);
      expect([seed, ids.size]).toEqual([seed, found.length]);
      if (list.lasting.some((id) => !ids.has(id))) silent++;
    }
    console.log(`plain: drift noticed in ${drifts} of ${SEEDS.length} readings, ${silent} incomplete`);
    expect(drifts).toBeGreaterThan(SEEDS.length * 0.9);
  });

  test.each(Object.entries(kinds))('strict mode skips nothing in silence; %s', async (_, kind) => {
    let failures = 0;
    for (const seed of SEEDS) {
      const list = new MovingList(20_000, kind(seeded(seed)));
      const found = await readPages({ ...all, strict: true, fetch: list.fetch }).catch((error: unknown) => {
        expect(error).toBeInstanceOf(Unsteady);
        return undefined;
      });
      if (!found) {
        failures++;
        continue;
      }
      const ids = new Set(found.map(idOf));
      expect([seed, ids.size]).toEqual([seed, found.length]);
      const missed = list.lasting.filter((id) => !ids.has(id));
      expect([seed, missed]).toEqual([seed, []]);
    }
    console.log(`strict: ${failures} of ${SEEDS.length} readings given up loudly`);
    expect(failures).toBeLessThan(SEEDS.length * 0.01);
  });

  test('strict mode gives up loudly when the list moves faster than it can be read', async () => {
    const random = seeded(7);
    const list = new MovingList(4_000, (one) => {
      for (let i = 0; i < 150; i++) one.delete(Math.floor(random() * 300));
      for (let i = 0; i < 150; i++) one.insert(one.rows.length);
    });
    await expect(readPages({ ...all, strict: true, fetch: list.fetch })).rejects.toThrow(Unsteady);
  });

  test('records that only join at the end are read on, not taken for drift', async () => {
    const list = new MovingList(1_000, (one) => one.rows.length < 1_500 && one.insert(one.rows.length));
    const onDrift = jest.fn();
    const found = await readPages({ ...all, fetch: list.fetch, onDrift });
    expect(found.length).toBeGreaterThanOrEqual(1_000);
    expect(onDrift).not.toHaveBeenCalled();
  });
});
