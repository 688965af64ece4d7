import { expectCreatedOnce, FAULTS } from '../engine/retries/walk';
import { skipWaits } from '../environment/skipWaits';

/** Creates of 20 items in a node with Retry On Fail: each fault at each position, with each number of tries. */
jest.setTimeout(60 * 60_000);
skipWaits();

const COUNT = 20;

describe.each([2, 3, 4, 5])('%i tries', (maxTries) => {
  test.each(Object.keys(FAULTS))('%s', async (fault) => {
    for (let position = 0; position < COUNT; position++)
      await expectCreatedOnce({ fault, position, maxTries, count: COUNT });
  });
});
