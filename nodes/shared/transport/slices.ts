/** A part of a list that the service can be asked for: page `page` of `size` records. */
export interface Slice {
  page: number;
  size: number;
  /** Offset of the first record. */
  start: number;
  /** Offset behind the last record. */
  end: number;
}

/** Records that neighbours share at least, where pages small enough for it are allowed. */
const OVERLAP = 10;

export const slice = (page: number, size: number): Slice => ({
  page,
  size,
  start: (page - 1) * size,
  end: page * size,
});

/** Sizes worth a look; smaller ones would need too many requests. */
const sizesUpTo = (max: number): number[] =>
  Array.from({ length: Math.ceil(max / 2) }, (_, index) => max - index);

/** The page that holds the record at `offset`. */
const pageAt = (offset: number, size: number): Slice => slice(Math.floor(offset / size) + 1, size);

/**
 * The slice that reaches furthest behind `end` and still shares some records with what lies before it.
 * Small pages may all end at `end` (of 4 and of 3 records behind 12): then the next page, which shares none.
 */
function furthest(end: number, maxSize: number): Slice {
  const overlap = Math.min(OVERLAP, Math.floor(maxSize / 4));
  const best = sizesUpTo(maxSize)
    .map((size) => pageAt(end - overlap, size))
    .reduce((far, one) => (one.end > far.end ? one : far));
  return best.end > end ? best : pageAt(end, maxSize);
}

/** The slice with `offset` as near to its middle as the service's page numbers allow. */
export const around = (offset: number, maxSize: number): Slice =>
  sizesUpTo(maxSize)
    .map((size) => slice(Math.max(1, Math.round(offset / size - 0.5) + 1), size))
    .reduce((best, one) => (distance(one, offset) < distance(best, offset) ? one : best));

const distance = ({ start, end }: Slice, offset: number) => Math.abs((start + end) / 2 - offset);

/** The slice to read after `end`: the next page, or one that reaches back over the seam. */
export const following = (end: number, maxSize: number, overlaps: boolean): Slice =>
  overlaps ? furthest(end, maxSize) : pageAt(end, maxSize);

/** All slices behind the first `end` records, up to the offset `upTo`. */
export function slicesUpTo(upTo: number, end: number, maxSize: number, overlaps: boolean): Slice[] {
  const found: Slice[] = [];
  for (let reached = end; reached < upTo; reached = found.at(-1)!.end) {
    found.push(following(reached, maxSize, overlaps));
  }
  return found;
}
