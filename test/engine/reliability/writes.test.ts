import { skipWaits } from '../../environment/skipWaits';
import { scaleRuns } from '../../randomness';
import { createUnderFaults, runTasksUnderFaults } from './writesUnderFaults';

/** Writes under resets, server errors and stalls; `npm run test:slow` uses ten times the number. */
skipWaits();

const SEEDS = [1, 2];
const COUNT = scaleRuns(1_000);

test.each(SEEDS)(`${COUNT} creates with a Dedupe Field: all exist once; seed %i`, async (seed) => {
  const outcome = await createUnderFaults(COUNT, seed, 'key');
  expect(outcome).toMatchObject({ written: COUNT, duplicates: 0, lost: 0, failed: 0 });
  expect(outcome.requests).toBeGreaterThan(COUNT);
});

test.each(SEEDS)(
  `${COUNT} creates without: none twice, every unknown one is reported; seed %i`,
  async (seed) => {
    const outcome = await createUnderFaults(COUNT, seed);
    expect(outcome).toMatchObject({ duplicates: 0, lost: 0, misreported: 0 });
    expect(outcome.unknown).toBeGreaterThan(COUNT / 100);
    expect(outcome.failed).toBe(outcome.unknown);
  },
);

test(`${COUNT} task runs: none twice, every unknown one is reported`, async () => {
  const outcome = await runTasksUnderFaults(COUNT, 3);
  expect(outcome).toMatchObject({ duplicates: 0, misreported: 0 });
  expect(outcome.written).toBeLessThan(COUNT);
  expect(outcome.written).toBeGreaterThanOrEqual(COUNT - outcome.unknown);
});
