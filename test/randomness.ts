/* eslint-disable @n8n/community-nodes/no-restricted-globals, no-console -- not shipped: runs on Node */
/**
 * Shared by random tests. Each prints its seed; `SEED=…` repeats a failed run.
 */
export function createSeed(): number {
  const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31);
  console.log(`seed ${seed}`);
  return seed;
}

/**
 * How often a random test repeats itself: `RUNS_SHARE` of `count`, a tenth by default. `.ci/run` draws all
 * (`RUNS_SHARE=1`).
 */
export const scaleRuns = (count: number): number => Math.ceil(count * Number(process.env.RUNS_SHARE ?? 0.1));
