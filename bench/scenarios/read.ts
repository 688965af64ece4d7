import { sumBy } from 'lodash';
import type { Engine } from '../../test/harness';
import {
  createAxiosClient,
  READ_ALL_PAGES,
  runHttpRequestNode,
  runInParallel,
  runOwnNode,
} from '../contenders/engine';
import { startRemoteService } from '../remote';
import { formatFactor, formatSeconds, type Row, type Scenario } from '../report';

const ROWS = 50_000;
const LATENCY = 40;
const PARALLEL = 8;
/** Measured runs of each contender. The fastest counts, because other work on the machine disturbed it least. */
const RUNS = 5;
const PAGES = ROWS / 200;

/** Reads the records, and returns a function that counts them when the time is taken. */
type Work = () => Promise<() => number>;

export async function measureRead(engine: Engine): Promise<Scenario> {
  const service = await startRemoteService({ latencyMs: LATENCY }, ROWS);
  const ideal = (LATENCY * PAGES) / PARALLEL;
  const rows: Row[] = [];
  const measure = async (name: string, work: Work, runs = RUNS) => {
    // Code that never ran is slower. A user's n8n has run for days.
    await work();
    let best = Infinity;
    let [records, requests] = [0, 0];
    for (let run = 0; run < runs; run++) {
      const before = await service.getStatistics();
      const from = performance.now();
      const count = await work();
      best = Math.min(best, performance.now() - from);
      records = count();
      requests = (await service.getStatistics()).requests - before.requests;
    }
    rows.push({
      name,
      bar: best / 1000,
      cells: [formatSeconds(best), formatFactor(best / ideal), requests, records],
    });
    return best;
  };

  const us = await measure('Record Database node', async () => {
    const run = await runOwnNode(engine, service, { operation: 'getAll', returnAll: true });
    return () => run.getItems('Node').length;
  });
  const readPages = async () => {
    const run = await runHttpRequestNode(engine, service, READ_ALL_PAGES);
    return () => sumBy(run.getJson('Node'), ({ items }) => (items as unknown[]).length);
  };
  const theirs = await measure('HTTP Request node, its pagination', readPages, 1);
  const client = await createAxiosClient(service);
  const readPage = async (page: number) => {
    const { data } = await client.get('', { params: { page, limit: 200 } });
    return (data as { items: unknown[] }).items;
  };
  const bareInParallel = async () => {
    const pages = [await readPage(1)];
    await runInParallel(PAGES - 1, PARALLEL, async (index) => {
      pages[index + 1] = await readPage(index + 2);
    });
    const found = pages.flat();
    return () => found.length;
  };
  await measure(`axios, ${PARALLEL} pages at once, nothing checked`, bareInParallel);
  const bareInTurn = async () => {
    const found: unknown[] = [];
    for (let page = 1; page <= PAGES; page++) found.push(...(await readPage(page)));
    return () => found.length;
  };
  await measure('axios, page after page', bareInTurn, 1);
  rows.push({
    name: `ideal: ${LATENCY} ms × ${PAGES} pages ÷ ${PARALLEL}`,
    bar: ideal / 1000,
    cells: [formatSeconds(ideal), formatFactor(1), PAGES, ROWS],
  });
  await service.stop();
  return {
    title: 'Read 50,000 records at 40 ms latency',
    text: `Get Many with Return All and its default of ${PARALLEL} parallel requests; the HTTP Request node reads page after page. A bare client that sends ${PARALLEL} requests at once and checks nothing shows what is possible. The fastest of ${RUNS} runs after a first one.`,
    columns: ['time', 'of the ideal', 'requests', 'records'],
    unit: 'seconds',
    rows,
    targets: [
      { text: `within 1.15 × of the ideal: ${formatFactor(us / ideal)}`, holds: us <= 1.15 * ideal },
      {
        text: `at least 5 × faster than the HTTP Request node: ${formatFactor(theirs / us)}`,
        holds: theirs >= 5 * us,
      },
    ],
  };
}
