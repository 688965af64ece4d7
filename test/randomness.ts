/**
 * What random tests share. Each prints its seed; `SEED=…` repeats what failed.
 */
export function newSeed(): number {
  const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31);
  console.log(`seed ${seed}`);
  return seed;
}

/** How often a test repeats itself: all of `count`, or a share for who runs every suite thousands of times. */
export const runs = (count: number): number => Math.ceil(count * Number(process.env.RUNS_SHARE ?? 1));
