import {
  createPageRange,
  findCenteredRange,
  findNextOverlappingRange,
  findNextPage,
  planRanges,
} from '../../../../nodes/service/paging/pageRanges';

test('a range has a start and an end', () => {
  expect(createPageRange(1, 200)).toEqual({ page: 1, size: 200, start: 0, end: 200 });
  expect(createPageRange(3, 50)).toEqual({ page: 3, size: 50, start: 100, end: 150 });
});

test('without overlap the next page follows', () => {
  expect(findNextPage(200, 200)).toEqual(createPageRange(2, 200));
  expect(findNextPage(150, 50)).toEqual(createPageRange(4, 50));
  expect(planRanges(401, 200, 200, findNextPage)).toEqual([createPageRange(2, 200), createPageRange(3, 200)]);
  expect(planRanges(400, 200, 200, findNextPage)).toEqual([createPageRange(2, 200)]);
  expect(planRanges(200, 200, 200, findNextPage)).toEqual([]);
});

/** A request has only a page number and a size, so the largest size is usable only if a page starts at the right offset. */
test.each([
  [200, 200],
  [400, 200],
  [1_234, 200],
  [20_000, 200],
  [45, 15],
  [400, 10],
  [4, 4],
])(
  'behind %i, at most %i wide: two shared (or a quarter of the page), and as far as possible',
  (end, max) => {
    const shared = Math.min(2, Math.floor(max / 4));
    const next = findNextOverlappingRange(end, max);
    expect(next.start).toBeLessThanOrEqual(end - shared);
    expect(next.end).toBeGreaterThan(end);
    expect(next).toEqual(createPageRange(next.page, next.size));
    expect(next.size).toBeLessThanOrEqual(max);
    // Nothing reaches further among the sizes that are tried: the larger half, as small ones cost requests.
    for (let size = max; size > max - Math.ceil(max / 2); size--) {
      const page = Math.floor((end - shared) / size) + 1;
      expect(page * size).toBeLessThanOrEqual(next.end);
    }
  },
);

test('every range reaches further, however small the pages: where none can overlap, the next one follows', () => {
  expect(findNextOverlappingRange(12, 4)).toEqual(createPageRange(4, 4));
  for (const max of [...Array.from({ length: 25 }, (_, index) => index + 1), 50, 100, 200]) {
    for (let end = max, next; end < 21_000; end = next.end) {
      next = findNextOverlappingRange(end, max);
      if (next.end <= end) throw new Error(`pages of ${max} do not advance at ${end}`);
    }
  }
});

test('overlapping ranges leave no gap up to where they must reach', () => {
  const found = planRanges(5_000, 200, 200, findNextOverlappingRange);
  let reached = 200;
  for (const one of found) {
    expect(one.start).toBeLessThanOrEqual(reached - 2);
    reached = one.end;
  }
  expect(reached).toBeGreaterThanOrEqual(5_000);
  expect(found.at(-2)!.end).toBeLessThan(5_000);
  expect(found.length + 1).toBeLessThanOrEqual(1.12 * 25);
});

test.each([
  [200, 200],
  [201, 200],
  [333.3, 200],
  [15_000, 200],
  [3, 4],
])('around %d: no range of the larger sizes has it closer to its middle', (offset, max) => {
  const middle = findCenteredRange(offset, max);
  const getDistance = ({ start, end }: { start: number; end: number }) =>
    Math.abs((start + end) / 2 - offset);
  expect(middle).toEqual(createPageRange(middle.page, middle.size));
  const closer: unknown[] = [];
  for (let size = max; size > max - Math.ceil(max / 2); size--) {
    for (let page = 1; (page - 2) * size <= offset; page++) {
      const range = createPageRange(page, size);
      if (getDistance(range) < getDistance(middle)) closer.push(range);
    }
  }
  expect(closer).toEqual([]);
});

test('of ranges that are equally good, the largest is used', () => {
  // Pages of 4 and of 3 records end at 12, those of 8 and of 6 at 24.
  expect(findNextOverlappingRange(10, 5)).toEqual(createPageRange(3, 4));
  expect(findNextOverlappingRange(20, 8)).toEqual(createPageRange(3, 8));
  expect(findCenteredRange(300, 200)).toEqual(createPageRange(2, 200));
});

test('the range around offset 0 is the first page', () => {
  expect(findCenteredRange(0, 200).page).toBe(1);
  expect(findCenteredRange(-50, 200).page).toBe(1);
});
