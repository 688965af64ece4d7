import { skipWaits } from '../../environment/skipWaits';
import { expectCreatedOnce, FAULTS } from './walk';

/** Creates in a node with Retry On Fail; `test/slow/retries.test.ts` walks all positions and numbers of tries. */
skipWaits();

const CASES = Object.keys(FAULTS).flatMap((fault) =>
  [
    { position: 0, maxTries: 5 },
    { position: 7, maxTries: 2 },
    { position: 19, maxTries: 3 },
  ].map((one) => ({ ...one, fault, count: 20 })),
);

test.each(CASES)('$fault at record $position, $maxTries tries: each exists once', async (one) => {
  await expectCreatedOnce(one);
});

test.each(Object.keys(FAULTS))('%s with a Dedupe Field: all records exist once', async (fault) => {
  await expectCreatedOnce({ fault, position: 4, maxTries: 3, count: 8, dedupeField: 'key' });
});
