import type { Engine } from '../../test/harness';
import { createAxiosClient, runHttpRequestNode, runInParallel, runOwnNode } from '../contenders/engine';
import { type RemoteService, startRemoteService } from '../remote';
import { formatFactor, formatSeconds, type Row, type Scenario } from '../report';

const COUNT = 1_000;
const PER_WINDOW = 240;
const WINDOW = 6_000;
const BOUND = (Math.ceil(COUNT / PER_WINDOW) - 1) * WINDOW;

const input = Array.from({ length: COUNT }, (_, index) => ({ key: `k${index}` }));
const columns = { mappingMode: 'defineBelow', value: { key: '={{ $json.key }}' } };
const body = {
  method: 'POST',
  sendBody: true,
  bodyParameters: { parameters: [{ name: 'key', value: '={{ $json.key }}' }] },
};

export async function measureCreate(engine: Engine): Promise<Scenario> {
  const rows: Row[] = [];
  const measure = async (name: string, work: (service: RemoteService) => Promise<unknown>) => {
    const service = await startRemoteService({ perMinute: PER_WINDOW, windowMs: WINDOW });
    const from = performance.now();
    await work(service);
    const ms = performance.now() - from;
    const { records, duplicates, refused } = await service.getStatistics();
    await service.stop();
    const once = records - duplicates;
    rows.push({
      name,
      bar: COUNT - once,
      cells: [formatSeconds(ms), formatFactor(ms / BOUND), once, COUNT - once, duplicates, refused],
    });
    return { ms, lost: COUNT - once, duplicates };
  };
  const us = await measure('Record Database node', (service) =>
    runOwnNode(engine, service, { operation: 'create', columns }, input),
  );
  await measure('HTTP Request node', (service) => runHttpRequestNode(engine, service, body, input));
  const batching = { batch: { batchSize: PER_WINDOW, batchInterval: WINDOW } };
  await measure('HTTP Request node, batches of the limit', (service) =>
    runHttpRequestNode(engine, service, { ...body, options: { batching } }, input),
  );
  await measure('axios at full speed', async (service) => {
    const client = await createAxiosClient(service);
    await runInParallel(COUNT, 8, async (index) => void (await client.post('', input[index])));
  });
  return {
    title: 'Create 1,000 records under a limit of 240 per window: records lost',
    text: `The window is shortened to ${WINDOW / 1000} s. The bound is what the limit alone asks for: ${BOUND / 1000} s. A record is lost when its request was refused and nobody repeated it.`,
    columns: ['time', 'of the bound', 'created once', 'lost', 'duplicates', '429s'],
    unit: 'records',
    rows,
    targets: [
      { text: `within 1.05 × of the bound: ${formatFactor(us.ms / BOUND)}`, holds: us.ms <= 1.05 * BOUND },
      {
        text: `0 lost and 0 duplicates: ${us.lost} and ${us.duplicates}`,
        holds: us.lost + us.duplicates === 0,
      },
    ],
  };
}
