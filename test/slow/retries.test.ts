import { expectCreatedOnce, FAULTS } from '../engine/retries/walk';
import { skipWaits } from '../environment/skipWaits';
import { drawCases } from './faults/faultCases';

/** Creates of 20 items in a node with Retry On Fail: each fault at each position, with each number of tries. */
skipWaits();

const COUNT = 20;
const POSITIONS = drawCases(Array.from({ length: COUNT }, (_, position) => position));

describe.each([2, 3, 4, 5])('%i tries', (maxTries) => {
  test.each(Object.keys(FAULTS))('%s', async (fault) => {
    for (const position of POSITIONS) await expectCreatedOnce({ fault, position, maxTries, count: COUNT });
  });
});
