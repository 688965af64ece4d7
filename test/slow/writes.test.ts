/* eslint-disable no-console -- not shipped: runs on Node */
import { createUnderFaults } from '../engine/reliability/writesUnderFaults';
import { skipWaits } from '../environment/skipWaits';
import { scaleRuns } from '../randomness';

skipWaits();

/** Writes under faults; 10,000 items each in a full run. */
const ITEMS = scaleRuns(10_000);

test(`${ITEMS} creates with a Dedupe Field: 0 duplicates, 0 lost`, async () => {
  const outcome = await createUnderFaults(ITEMS, 11, 'key');
  console.log('with a Dedupe Field, seed 11:', outcome);
  expect(outcome).toMatchObject({ written: ITEMS, duplicates: 0, lost: 0, failed: 0 });
});

test(`${ITEMS} creates without: 0 duplicates, every unknown one reported`, async () => {
  const outcome = await createUnderFaults(ITEMS, 12);
  console.log('without a Dedupe Field, seed 12:', outcome);
  expect(outcome).toMatchObject({ duplicates: 0, lost: 0, misreported: 0 });
  expect(outcome.failed).toBe(outcome.unknown);
});
