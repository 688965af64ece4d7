/* eslint-disable no-console -- not shipped: runs on Node */
import { createUnderFaults } from '../engine/reliability/writesUnderFaults';
import { skipWaits } from '../environment/skipWaits';

skipWaits();

/** Writes under faults, 10,000 items each. */

test('10,000 creates with a Dedupe Field: 0 duplicates, 0 lost', async () => {
  const outcome = await createUnderFaults(10_000, 11, 'key');
  console.log('with a Dedupe Field, seed 11:', outcome);
  expect(outcome).toMatchObject({ written: 10_000, duplicates: 0, lost: 0, failed: 0 });
});

test('10,000 creates without: 0 duplicates, every unknown one reported', async () => {
  const outcome = await createUnderFaults(10_000, 12);
  console.log('without a Dedupe Field, seed 12:', outcome);
  expect(outcome).toMatchObject({ duplicates: 0, lost: 0, misreported: 0 });
  expect(outcome.failed).toBe(outcome.unknown);
});
