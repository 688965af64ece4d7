import { createUnderFaults, runTasksUnderFaults } from './writesUnderFaults';

/**
 * R2 with a tenth of its numbers; `npm run test:slow` has all of them. At the same time, because each sits out
 * the timeout of its answers that never come.
 */

const SEEDS = [1, 2];

test.concurrent.each(SEEDS)('1,000 creates with a Dedupe Field: all exist once; seed %i', async (seed) => {
  const outcome = await createUnderFaults(1_000, seed, 'key');
  expect(outcome).toMatchObject({ written: 1_000, duplicates: 0, lost: 0, failed: 0 });
  expect(outcome.requests).toBeGreaterThan(1_050);
});

test.concurrent.each(SEEDS)(
  '1,000 creates without: none twice, every unknown one is reported; seed %i',
  async (seed) => {
    const outcome = await createUnderFaults(1_000, seed);
    expect(outcome).toMatchObject({ duplicates: 0, lost: 0, misreported: 0 });
    expect(outcome.unknown).toBeGreaterThan(40);
    expect(outcome.failed).toBe(outcome.unknown);
  },
);

test.concurrent('1,000 task runs: none twice, every unknown one is reported', async () => {
  const outcome = await runTasksUnderFaults(1_000, 3);
  expect(outcome).toMatchObject({ duplicates: 0, misreported: 0 });
  expect(outcome.written).toBeLessThan(1_000);
  expect(outcome.written).toBeGreaterThanOrEqual(1_000 - outcome.unknown);
});
