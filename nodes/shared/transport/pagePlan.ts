export interface Page<T> {
  items: T[];
  /** Records after filtering, where the service says so. */
  total?: number;
}

export interface PagePlan<T> {
  fetch(page: number, size: number): Promise<Page<T>>;
  /** At most this many items; Infinity for all. */
  limit: number;
  /** Pages asked for at once, after the first. */
  parallel: number;
  /** What makes an item the same item when pages shift under the reader. */
  idOf(item: T): string;
  /** Prove that nothing was skipped while the data changed, or fail; reads about a seventh more pages. */
  strict?: boolean;
  /** Told when the data was seen to change. `complete`: nothing was skipped all the same. */
  onDrift?(complete: boolean): void;
  /** Told after each page how many items are there, and how many are expected. */
  onProgress?(found: number, expected?: number): void;
}
