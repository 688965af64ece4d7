/* eslint-disable @n8n/community-nodes/require-node-api-error -- not shipped: runs on Node */
import { readWholeList } from '../../../../nodes/service';
import { UnstableListError } from '../../../../nodes/service/errors/apiError';
import { scaleRuns } from '../../../randomness';
import { ChangingList, createRandom } from './changingList';

const getId = ({ id }: { id: string }) => id;
const SEEDS = Array.from({ length: scaleRuns(200) }, (_, index) => index + 1);
const SIZE = 10_000;

type Change = (list: ChangingList, pick: () => number) => void;
const insert: Change = (list, pick) => list.insert(pick());
const append: Change = (list) => list.insert(list.rows.length);
const remove: Change = (list, pick) => list.delete(pick());
const move: Change = (list, pick) => list.move(pick(), pick());

/** A list that changes after each page with a probability of its own for each seed, up to twice a page. */
function createList(seed: number, changes: Change[]) {
  const random = createRandom(seed);
  const rate = [0.02, 0.1, 0.5, 1, 2][seed % 5]!;
  return new ChangingList(SIZE, (list) => {
    const pick = () => Math.floor(random() * list.rows.length);
    for (const change of changes) if (random() < rate) change(list, pick);
    if (rate > 1) for (const change of changes) if (random() < rate - 1) change(list, pick);
  });
}

async function countReadings(changes: Change[], isPinnable = false) {
  const counts = { whole: 0, unstable: 0 };
  for (const seed of SEEDS) {
    const list = createList(seed, changes);
    const concurrency = seed % 2 ? 8 : 1;
    try {
      const found = await readWholeList({
        limit: Infinity,
        concurrency,
        getId,
        fetchPage: list.fetch,
        ...(isPinnable && { fetchPinnedPage: list.fetchPinned }),
      });
      expect([seed, list.findMissing(found)]).toEqual([seed, []]);
      expect([seed, new Set(found.map(getId)).size]).toEqual([seed, found.length]);
      counts.whole++;
    } catch (error) {
      if (!(error instanceof UnstableListError)) throw error;
      counts.unstable++;
    }
  }
  return counts;
}

test('insertions and deletions anywhere: no record is missing', async () => {
  const { unstable } = await countReadings([insert, append, remove]);
  expect(unstable).toBeLessThanOrEqual(SEEDS.length * 0.01);
});

test.each([
  ['insertions, deletions and moves', [insert, remove, move]],
  ['moves alone', [move]],
])('%s: no record is missing, or there is an error', async (_, changes) => {
  const { whole, unstable } = await countReadings(changes);
  expect(whole + unstable).toBe(SEEDS.length);
  // Where few records move, the reading succeeds.
  expect(whole).toBeGreaterThanOrEqual(Math.floor(SEEDS.length * 0.1));
});

test.each([
  ['insertions, deletions and moves', [insert, remove, move]],
  ['moves alone', [move]],
])('%s: all records are read if the service can return them in the order of creation', async (_, changes) => {
  const { unstable } = await countReadings(changes, true);
  expect(unstable).toBeLessThanOrEqual(SEEDS.length * 0.01);
});
