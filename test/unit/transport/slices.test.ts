import { around, following, slice, slicesUpTo } from '../../../nodes/shared/transport/slices';

test('a slice knows where it begins and ends', () => {
  expect(slice(1, 200)).toEqual({ page: 1, size: 200, start: 0, end: 200 });
  expect(slice(3, 50)).toEqual({ page: 3, size: 50, start: 100, end: 150 });
});

test('without overlap the next page follows', () => {
  expect(following(200, 200, false)).toEqual(slice(2, 200));
  expect(following(150, 50, false)).toEqual(slice(4, 50));
  expect(slicesUpTo(401, 200, 200, false)).toEqual([slice(2, 200), slice(3, 200)]);
  expect(slicesUpTo(400, 200, 200, false)).toEqual([slice(2, 200)]);
  expect(slicesUpTo(200, 200, 200, false)).toEqual([]);
});

/** The largest page wins only if its number falls right: page and size are all that can be asked for. */
test.each([
  [200, 200],
  [400, 200],
  [1_234, 200],
  [20_000, 200],
  [45, 15],
  [400, 10],
])('behind %i, at most %i wide: ten shared (or a quarter), and as far as possible', (end, max) => {
  const shared = Math.min(10, Math.floor(max / 4));
  const next = following(end, max, true);
  expect(next.start).toBeLessThanOrEqual(end - shared);
  expect(next.end).toBeGreaterThan(end);
  expect(next).toEqual(slice(next.page, next.size));
  expect(next.size).toBeLessThanOrEqual(max);
  // Nothing reaches further among the sizes that are tried: the larger half, as small ones cost requests.
  for (let size = max; size > max - Math.ceil(max / 2); size--) {
    const page = Math.floor((end - shared) / size) + 1;
    expect(page * size).toBeLessThanOrEqual(next.end);
  }
});

test('every slice gets ahead, however small the pages: where none can overlap, the next one follows', () => {
  expect(following(12, 4, true)).toEqual(slice(4, 4));
  for (const max of [...Array.from({ length: 25 }, (_, index) => index + 1), 50, 100, 200]) {
    for (let end = max, next; end < 21_000; end = next.end) {
      next = following(end, max, true);
      if (next.end <= end) throw new Error(`pages of ${max} stand still at ${end}`);
    }
  }
});

test('overlapping slices leave no gap up to where they must reach', () => {
  const found = slicesUpTo(5_000, 200, 200, true);
  let reached = 200;
  for (const one of found) {
    expect(one.start).toBeLessThanOrEqual(reached - 10);
    reached = one.end;
  }
  expect(reached).toBeGreaterThanOrEqual(5_000);
  expect(found.at(-2)!.end).toBeLessThan(5_000);
  expect(found.length).toBeLessThan(30);
});

test.each([
  [200, 200],
  [201, 200],
  [333.3, 200],
  [15_000, 200],
  [3, 4],
])('around %d: no slice of the larger sizes has it nearer to its middle', (offset, max) => {
  const middle = around(offset, max);
  const far = ({ start, end }: { start: number; end: number }) => Math.abs((start + end) / 2 - offset);
  expect(middle).toEqual(slice(middle.page, middle.size));
  for (let size = max; size > max - Math.ceil(max / 2); size--) {
    for (let page = 1; (page - 2) * size <= offset; page++) {
      expect(far(middle)).toBeLessThanOrEqual(far(slice(page, size)));
    }
  }
});

test('around the very beginning is the first page', () => {
  expect(around(0, 200).page).toBe(1);
  expect(around(-50, 200).page).toBe(1);
});
