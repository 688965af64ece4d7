import {
  type PageRange,
  createPageRange,
  findCenteredRange,
} from '../../../../nodes/service/paging/pageRanges';
import { OverlapVerifier } from '../../../../nodes/service/paging/readWholeList';

type Shared = 'left' | 'right' | 'both' | 'none';

/** A full range that begins with these IDs; its other IDs are in no other range. */
const load = (range: PageRange, ...firstIds: string[]) => {
  const others = Array.from({ length: range.size }, (_, index) => `${range.page}x${range.size}-${index}`);
  const ids = [...firstIds, ...others].slice(0, range.size);
  return { items: ids, ids, range, total: 10_000 };
};

const leftRange = createPageRange(10, 200);
const left = load(leftRange, 'left');
const right = load(createPageRange(11, 200), 'right');

/** Returns ranges that share a record with the neighbours that `script` says, one after the other. */
function createVerifier(script: Shared[] = []) {
  const reads: PageRange[] = [];
  const verifier = new OverlapVerifier(async (range: PageRange) => {
    const shared = script[reads.push(range) - 1] ?? 'none';
    return load(range, ...(shared === 'both' ? ['left', 'right'] : [shared]));
  });
  return { verifier, reads };
}

test.each<[Shared[], number[]]>([
  [['both'], []],
  [['left', 'both'], [1]],
  [['right', 'both'], [-1]],
  [
    ['none', 'none', 'left', 'right', 'both'],
    [-1, 2, 1, -1],
  ],
  [
    ['none', 'right', 'left', 'none', 'none', 'both'],
    [-1, -1, 1, 2, -1],
  ],
])('after ranges that share a record with %j, it reads on by %j thirds of a range', async (script, moves) => {
  const { verifier, reads } = createVerifier(script);
  expect(await verifier.verify(0, left, right)).toBe(true);
  let offset = leftRange.end;
  const expected = [findCenteredRange(offset, 200)];
  moves.forEach((move, index) => {
    offset += (move * reads[index]!.size) / 3;
    expected.push(findCenteredRange(offset, 200));
  });
  expect(reads).toEqual(expected);
  expect(verifier.getGapRanges(0).map(({ range }) => range)).toEqual(expected);
  expect(await verifier.hasNoGaps()).toBe(true);
});

test('a gap that stays open is not verified', async () => {
  const { verifier, reads } = createVerifier();
  expect(await verifier.verify(0, left, right)).toBe(false);
  expect(await verifier.hasNoGaps()).toBe(false);
  expect(reads).toHaveLength(8);
});

test('a pair is verified once, also by callers that come at the same time', async () => {
  const { verifier, reads } = createVerifier(['left', 'both']);
  const first = verifier.verify(0, left, right);
  expect(verifier.verify(0, left, right)).toBe(first);
  await first;
  expect(verifier.verify(0, left, right)).toBe(first);
  expect(reads).toHaveLength(2);
});

// Pages of 198 records: page 11 begins at offset 1,980, which is 180 in the left range.
const overlapping = createPageRange(11, 198);
const shortLeft = { ...left, items: left.items.slice(0, 190), ids: left.ids.slice(0, 190) };
test.each([
  ['the same record at the same offset', left, load(overlapping, left.ids[180]!), false],
  ['another record at the same offset', left, load(overlapping, left.ids[181]!), true],
  ['ranges next to each other', left, right, false],
  ['ranges with a distance', left, load(createPageRange(13, 200)), false],
  ['no records in the second range', left, { items: [], ids: [], total: 10_000, range: overlapping }, false],
  ['a first range at the end of the list', shortLeft, load(overlapping, 'new'), false],
])('shifts: %s', async (_, first, second, isShifted) => {
  const { verifier } = createVerifier();
  await verifier.verify(0, first, second);
  expect(verifier.hasFoundShifts).toBe(isShifted);
});
