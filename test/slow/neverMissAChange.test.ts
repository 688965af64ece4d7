/* eslint-disable no-console -- not shipped: runs on Node */
import { range } from 'lodash';
import { copyUnderRandomChanges } from '../engine/polling/copies';
import { useFreshTestEnvironment } from '../engine/support/useTestEnvironment';
import { skipWaits } from '../environment/skipWaits';
import { scaleRuns } from '../randomness';

/** The example *Never miss a change* at 240 requests a minute, three times with 1,000 customers in a full run. */
const CUSTOMERS = Math.max(200, scaleRuns(1_000));

skipWaits();
const env = useFreshTestEnvironment({ perMinute: 240 });

test.each(range(scaleRuns(3)))(
  `run %d: ${CUSTOMERS} customers, random changes, overlapping executions, refusals and kills: after the nightly run the copies equal the table`,
  async () => {
    const counts = await copyUnderRandomChanges(env, {
      customers: CUSTOMERS,
      changes: CUSTOMERS * 2,
      changesPerRound: 20,
    });
    console.log(JSON.stringify(counts));
    expect(counts.kills).toBeGreaterThan(0);
    expect(counts.overlaps).toBeGreaterThan(0);
    expect(counts.refusals).toBeGreaterThan(0);
    // Each customer was copied at least. At 240 a minute, the executions had to wait for the limit.
    expect(counts.requests).toBeGreaterThan(CUSTOMERS);
  },
);
