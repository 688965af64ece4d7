import type { Engine } from '../../test/harness';
import { runHttpRequestNode, runOwnImport, runOwnNode } from '../contenders/engine';
import { formatSeconds, type Row, type Scenario } from '../report';
import { startRemoteService, type RemoteService } from '../remote';

const COUNT = 2_000;
/** Milliseconds that the service needs for an import. */
const IMPORT_MS = 5_000;

const input = Array.from({ length: COUNT }, (_, index) => ({ key: `k${index}`, city: `City ${index % 97}` }));
const columns = {
  mappingMode: 'defineBelow',
  value: { key: '={{ $json.key }}', city: '={{ $json.city }}' },
};
const body = {
  method: 'POST',
  sendBody: true,
  bodyParameters: {
    parameters: ['key', 'city'].map((name) => ({ name, value: `={{ $json.${name} }}` })),
  },
};

export async function measureBulkCreate(engine: Engine): Promise<Scenario> {
  const rows: Row[] = [];
  const measure = async (name: string, work: (service: RemoteService) => Promise<unknown>) => {
    const service = await startRemoteService({ latencyMs: 40, jobMs: IMPORT_MS });
    const from = performance.now();
    await work(service);
    const ms = performance.now() - from;
    const { requests, records, duplicates } = await service.getStatistics();
    await service.stop();
    rows.push({ name, bar: requests, cells: [requests, formatSeconds(ms), records, duplicates] });
    return { requests, isRight: records === COUNT && duplicates === 0 };
  };
  const imported = await measure('Import, Run With Items', (service) => runOwnImport(engine, service, input));
  const created = await measure('Create, 8 at once', (service) =>
    runOwnNode(engine, service, { operation: 'create', columns }, input),
  );
  await measure('HTTP Request node, one request an item', (service) =>
    runHttpRequestNode(engine, service, body, input),
  );
  return {
    title: 'Create 2,000 records without a limit: requests',
    text: `At 40 ms latency. The import takes ${IMPORT_MS / 1000} s in the service; most of its requests look whether it has ended.`,
    columns: ['requests', 'time', 'records after', 'duplicates'],
    unit: 'requests',
    rows,
    targets: [
      {
        text: `an import needs at most 20 requests: ${imported.requests} against ${created.requests}`,
        holds: imported.isRight && imported.requests <= 20,
      },
    ],
  };
}
