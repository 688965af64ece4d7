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

/** The slice that reaches furthest behind `end` and still shares some records with what lies before it. */
function furthest(end: number, maxSize: number): Slice {
  const overlap = Math.min(OVERLAP, Math.floor(maxSize / 4));
  return sizesUpTo(maxSize)
    .map((size) => slice(Math.floor((end - overlap) / size) + 1, size))
    .reduce((best, one) => (one.end > best.end ? one : best));
}

/** The slice with `offset` as near to its middle as the service's page numbers allow. */
export const around = (offset: number, maxSize: number): Slice =>
  sizesUpTo(maxSize)
    .map((size) => slice(Math.max(1, Math.round(offset / size - 0.5) + 1), size))
    .reduce((best, one) => (distance(one, offset) < distance(best, offset) ? one : best));

const distance = ({ start, end }: Slice, offset: number) => Math.abs((start + end) / 2 - offset);

/** The slice to read after `end`: the next page, or one that reaches back over the seam. */
export const following = (end: number, maxSize: number, overlaps: boolean): Slice =>
  overlaps ? furthest(end, maxSize) : slice(Math.floor(end / maxSize) + 1, maxSize);

/** All slices behind the first `end` records, up to the offset `upTo`. */
export function slicesUpTo(upTo: number, end: number, maxSize: number, overlaps: boolean): Slice[] {
  const found: Slice[] = [];
  for (let reached = end; reached < upTo; reached = found.at(-1)!.end) {
    found.push(following(reached, maxSize, overlaps));
  }
  return found;
}
