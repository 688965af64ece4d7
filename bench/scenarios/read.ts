import type { Engine } from '../../test/harness';
import { createAxiosClient, READ_ALL_PAGES, runHttpRequestNode, runOwnNode } from '../contenders/engine';
import { startRemoteService } from '../remote';
import { formatFactor, formatSeconds, type Row, type Scenario } from '../report';

const ROWS = 50_000;
const LATENCY = 40;
const PARALLEL = 8;
/** Runs of each contender. The fastest counts, because other work on the machine disturbed it least. */
const RUNS = 3;
const PAGES = ROWS / 200;

export async function measureRead(engine: Engine): Promise<Scenario> {
  const service = await startRemoteService({ latencyMs: LATENCY }, ROWS);
  const ideal = (LATENCY * PAGES) / PARALLEL;
  const rows: Row[] = [];
  const measure = async (name: string, work: () => Promise<number>) => {
    let best = Infinity;
    let [records, requests] = [0, 0];
    for (let run = 0; run < RUNS; run++) {
      const before = await service.getStatistics();
      const from = performance.now();
      records = await work();
      best = Math.min(best, performance.now() - from);
      requests = (await service.getStatistics()).requests - before.requests;
    }
    rows.push({
      name,
      bar: best / 1000,
      cells: [formatSeconds(best), formatFactor(best / ideal), requests, records],
    });
    return best;
  };

  const getMany = { operation: 'getAll', returnAll: true };
  // The first run of each node also loads its code.
  await runOwnNode(engine, service, { operation: 'getAll', limit: 10 });
  const us = await measure(
    'Record Database node',
    async () => (await runOwnNode(engine, service, getMany)).getJson('Node').length,
  );
  const fast = await measure(
    '… with Fast Paging',
    async () =>
      (await runOwnNode(engine, service, getMany, undefined, { fastPaging: true })).getJson('Node').length,
  );
  const theirs = await measure('HTTP Request node, its pagination', async () => {
    const pages = (await runHttpRequestNode(engine, service, READ_ALL_PAGES)).getJson('Node') as Array<{
      items: unknown[];
    }>;
    return pages.reduce((sum, { items }) => sum + items.length, 0);
  });
  const client = await createAxiosClient(service);
  await measure('axios, page after page', async () => {
    const found: unknown[] = [];
    for (let page = 1; page <= PAGES; page++) {
      const { data } = await client.get('', { params: { page, limit: 200 } });
      found.push(...(data as { items: unknown[] }).items);
    }
    return found.length;
  });
  rows.push({
    name: `ideal: ${LATENCY} ms × ${PAGES} pages ÷ ${PARALLEL}`,
    bar: ideal / 1000,
    cells: [formatSeconds(ideal), formatFactor(1), PAGES, ROWS],
  });
  await service.stop();
  return {
    title: 'Read 50,000 records at 40 ms latency',
    text: `Get Many with Return All and its default of ${PARALLEL} parallel requests; the others read page after page, as they do. The fastest of ${RUNS} runs of each.`,
    columns: ['time', 'of the ideal', 'requests', 'records'],
    unit: 'seconds',
    rows,
    targets: [
      { text: `within 1.30 × of the ideal: ${formatFactor(us / ideal)}`, holds: us <= 1.3 * ideal },
      {
        text: `within 1.15 × with Fast Paging: ${formatFactor(fast / ideal)}`,
        holds: fast <= 1.15 * ideal,
      },
      {
        text: `at least 5 × faster than the HTTP Request node: ${formatFactor(theirs / us)}`,
        holds: theirs >= 5 * us,
      },
    ],
  };
}
