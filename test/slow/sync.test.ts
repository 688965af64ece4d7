/* eslint-disable no-console -- not shipped: runs on Node */
import { AUTO_MAP, getOutput, TestEnvironment } from '../engine/support/testEnvironment';
import { scaleRuns } from '../randomness';

/** 100,000 in a full run. */
const ROWS = scaleRuns(100_000);
const row = (n: number, price = n) => ({ sku: `p${n}`, name: `Part ${n}`, price });

test(`${ROWS} rows of which 1 % changed: at most ${0.0165 * ROWS} requests`, async () => {
  const env = await TestEnvironment.start({ sample: 'empty' });
  try {
    const table = env.service.addTable({
      name: 'Parts',
      fields: [
        { name: 'SKU', type: 'Text' },
        { name: 'Name', type: 'Text' },
        { name: 'Price', type: 'Currency' },
      ],
    });
    for (let n = 0; n < ROWS; n++) table.insert(row(n));
    const input = Array.from({ length: ROWS }, (_, n) => row(n, n % 100 === 0 ? -1 : n));
    const parameters = { columns: { ...AUTO_MAP, matchingColumns: ['sku'] }, output: 'summary' };
    const before = env.service.requests.length;
    const run = await env.runRecordOperation('sync', table, parameters, input);
    const requests = env.service.requests.length - before;
    console.log(`sync of ${ROWS} rows: ${requests} requests`);
    expect(getOutput(run)).toEqual([
      { created: 0, updated: ROWS / 100, deleted: 0, unchanged: ROWS - ROWS / 100, failed: 0 },
    ]);
    expect(requests).toBeLessThanOrEqual(Math.round(0.0165 * ROWS));
  } finally {
    await env.stop();
  }
});
