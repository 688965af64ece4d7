import type { Engine } from '../../test/harness';
import { runInParallel, runOwnNode, createAxiosClient } from '../contenders/engine';
import { formatSeconds, type Row, type Scenario } from '../report';
import { startRemoteService, type RemoteService } from '../remote';

const COUNT = 1_000;
/** Records with the keys k0 … k499 exist before the run. */
const EXISTING = 500;

const input = Array.from({ length: COUNT }, (_, index) => ({ key: `k${index}`, city: 'Elsewhere' }));
const columns = {
  mappingMode: 'defineBelow',
  value: { key: '={{ $json.key }}', city: '={{ $json.city }}' },
  matchingColumns: ['key'],
};

export async function measureUpsert(engine: Engine): Promise<Scenario> {
  const rows: Row[] = [];
  const measure = async (name: string, work: (service: RemoteService) => Promise<unknown>) => {
    const service = await startRemoteService({ latencyMs: 40 }, EXISTING);
    const from = performance.now();
    await work(service);
    const ms = performance.now() - from;
    const { requests, records, duplicates } = await service.getStatistics();
    await service.stop();
    rows.push({ name, bar: requests, cells: [requests, formatSeconds(ms), records, duplicates] });
    return { requests, isRight: records === COUNT && duplicates === 0 };
  };
  const us = await measure('Record Database node', (service) =>
    runOwnNode(engine, service, { operation: 'upsert', columns }, input),
  );
  const theirs = await measure('find, then write, for each item (8 at once)', async (service) => {
    const client = await createAxiosClient(service);
    await runInParallel(COUNT, 8, async (index) => {
      const items = [{ field_id: 'key', operator: 'is exact', val: input[index]!.key }];
      const { data } = await client.post('', {
        filters: { condition: 'AND', items, child: [] },
        page: 1,
        limit: 1,
      });
      const [found] = (data as { items: Array<{ id: string }> }).items;
      await client.post(found ? `/${found.id}` : '', input[index]);
    });
  });
  return {
    title: 'Upsert 1,000 records, half of them there already: requests',
    text: 'At 40 ms latency. Our node looks many keys up with one request.',
    columns: ['requests', 'time', 'records after', 'duplicates'],
    unit: 'requests',
    rows,
    targets: [
      {
        text: `fewer requests than find-then-write: ${us.requests} against ${theirs.requests}`,
        holds: us.isRight && us.requests < theirs.requests,
      },
    ],
  };
}
