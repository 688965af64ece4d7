import type { Engine } from '../../test/harness';
import { httpRequest, ours, plainAxios } from '../contenders/engine';
import { seconds, times, type Row, type Scenario } from '../report';
import { startRemoteService } from '../remote';

const ROWS = 50_000;
const LATENCY = 40;
const PARALLEL = 8;
/** Of each contender; the fastest counts, as the one least disturbed by whatever else the machine did. */
const RUNS = 3;
const PAGES = ROWS / 200;

const PAGINATION = {
  paginationMode: 'updateAParameterInEachRequest',
  parameters: { parameters: [{ type: 'qs', name: 'page', value: '={{ $pageCount + 1 }}' }] },
  paginationCompleteWhen: 'other',
  completeExpression: '={{ $response.body.current_page >= $response.body.total_pages }}',
};

export async function read(engine: Engine): Promise<Scenario> {
  const service = await startRemoteService({ latencyMs: LATENCY }, ROWS);
  const ideal = (LATENCY * PAGES) / PARALLEL;
  const rows: Row[] = [];
  const measure = async (name: string, work: () => Promise<number>) => {
    let best = Infinity;
    let [records, requests] = [0, 0];
    for (let run = 0; run < RUNS; run++) {
      const before = await service.seen();
      const from = performance.now();
      records = await work();
      best = Math.min(best, performance.now() - from);
      requests = (await service.seen()).requests - before.requests;
    }
    rows.push({ name, bar: best / 1000, cells: [seconds(best), times(best / ideal), requests, records] });
    return best;
  };

  const getMany = { operation: 'getAll', returnAll: true };
  // The first run of each node loads code that later runs find ready.
  await ours(engine, service, { operation: 'getAll', limit: 10 });
  const us = await measure(
    'Record Database node',
    async () => (await ours(engine, service, getMany)).jsonOf('Node').length,
  );
  await measure(
    '… with Strict Paging',
    async () =>
      (await ours(engine, service, { ...getMany, options: { strictPaging: true } })).jsonOf('Node').length,
  );
  const paged = {
    sendQuery: true,
    queryParameters: { parameters: [{ name: 'limit', value: '200' }] },
    options: { pagination: { pagination: PAGINATION } },
  };
  const theirs = await measure('HTTP Request node, its pagination', async () => {
    const pages = (await httpRequest(engine, service, paged)).jsonOf('Node') as Array<{ items: unknown[] }>;
    return pages.reduce((sum, { items }) => sum + items.length, 0);
  });
  const client = await plainAxios(service);
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
    cells: [seconds(ideal), times(1), PAGES, ROWS],
  });
  await service.stop();
  return {
    title: 'Read 50,000 records at 40 ms latency',
    text: `Get Many with Return All and its default of ${PARALLEL} parallel requests; the others read page after page, as they do. The fastest of ${RUNS} runs of each.`,
    columns: ['time', 'of the ideal', 'requests', 'records'],
    unit: 'seconds',
    rows,
    targets: [
      { text: `within 1.25 × of the ideal: ${times(us / ideal)}`, holds: us <= 1.25 * ideal },
      {
        text: `at least 5 × faster than the HTTP Request node: ${times(theirs / us)}`,
        holds: theirs >= 5 * us,
      },
    ],
  };
}
