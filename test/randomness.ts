/* eslint-disable @n8n/community-nodes/no-restricted-globals -- not shipped: runs on Node */
/** Shared by the random tests of a file. A failed test names the seed (`sharedContext.js`); `SEED=…` repeats its run. */
export function createSeed(): number {
  const state = globalThis as { testSeed?: number };
  state.testSeed ??= Number(process.env.SEED ?? Date.now() % 2 ** 31);
  return state.testSeed;
}

/**
 * How often a random test repeats itself: `RUNS_SHARE` of `count`. By default a twentieth; `.ci/run` draws a tenth, and the
 * nightly run all (`RUNS_SHARE=1`).
 */
export const scaleRuns = (count: number): number => Math.ceil(count * Number(process.env.RUNS_SHARE ?? 0.05));
