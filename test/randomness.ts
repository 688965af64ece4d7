/* eslint-disable @n8n/community-nodes/no-restricted-globals -- not shipped: runs on Node */
/** Shared by the random tests of a file. A failed test names the seed (`sharedContext.js`); `SEED=…` repeats its run. */
export function createSeed(): number {
  const state = globalThis as { testSeed?: number };
  state.testSeed ??= Number(process.env.SEED ?? Date.now() % 2 ** 31);
  return state.testSeed;
}

/** The share of a full run. By default a hundredth; `.ci/run` draws a tenth, and the nightly run all (`RUNS_SHARE=1`). */
const readShare = (): number => Number(process.env.RUNS_SHARE ?? 0.01);

/** How often a random test repeats itself: its share of `count`, and at least three times. */
export const scaleRuns = (count: number): number => Math.max(3, Math.ceil(count * readShare()));

/** A size, such as the number of items: `small` shows the same as `full`, which is for the nightly run. */
export const scaleSize = <T>(small: T, full: T): T => (readShare() < 1 ? small : full);
