import type { Engine } from '../../test/harness';
import { runHttpRequestNode, runOwnNode } from '../contenders/engine';
import { formatSeconds, type Row, type Scenario } from '../report';
import { startRemoteService, type RemoteService } from '../remote';

const COUNT = 1_000;
const CHANGED = 10;

const createCity = (index: number) => (index % (COUNT / CHANGED) === 0 ? 'Elsewhere' : `City ${index % 97}`);
const input = Array.from({ length: COUNT }, (_, index) => ({ key: `k${index}`, city: createCity(index) }));
const columns = {
  mappingMode: 'defineBelow',
  value: { key: '={{ $json.key }}', city: '={{ $json.city }}' },
  matchingColumns: ['key'],
};

const FIND = {
  method: 'POST',
  sendBody: true,
  specifyBody: 'json',
  jsonBody:
    '={{ JSON.stringify({ filters: { condition: "AND", items: [{ field_id: "key", operator: "is exact", val: $json.key }], child: [] }, page: 1, limit: 1 }) }}',
};

const WRITE = {
  method: 'POST',
  sendBody: true,
  bodyParameters: { parameters: [{ name: 'city', value: '={{ $json.city }}' }] },
};

/** Finds each record with the HTTP Request node, and writes those that `isWanted`. */
async function findAndWrite(
  engine: Engine,
  service: RemoteService,
  isWanted: (city: string, index: number) => boolean,
) {
  const found = (await runHttpRequestNode(engine, service, FIND, input)).getJson('Node') as Array<{
    items: Array<{ id: string; city: string }>;
  }>;
  const writes = input.flatMap(({ city }, index) => {
    const [record] = found[index]!.items;
    return record && isWanted(record.city, index) ? [{ id: record.id, city }] : [];
  });
  const url = `=${service.baseUrl}/api/v1/data-tables/${service.tableId}/records/{{ $json.id }}`;
  await runHttpRequestNode(engine, service, { ...WRITE, url }, writes);
}

export async function measureUnchanged(engine: Engine): Promise<Scenario> {
  const rows: Row[] = [];
  const measure = async (name: string, work: (service: RemoteService) => Promise<unknown>) => {
    const service = await startRemoteService({ latencyMs: 40 }, COUNT);
    const from = performance.now();
    await work(service);
    const ms = performance.now() - from;
    const { requests, records, duplicates } = await service.getStatistics();
    await service.stop();
    rows.push({ name, bar: requests, cells: [requests, formatSeconds(ms), records, duplicates] });
    return { requests, isRight: records === COUNT && duplicates === 0 };
  };
  const us = await measure('Record Database node, Create or Update', (service) =>
    runOwnNode(engine, service, { operation: 'upsert', columns }, input),
  );
  const sync = await measure('Record Database node, Sync', (service) =>
    runOwnNode(engine, service, { operation: 'sync', columns }, input),
  );
  await measure('HTTP Request node: find, compare, write', (service) =>
    findAndWrite(engine, service, (city, index) => city !== input[index]!.city),
  );
  await measure('HTTP Request node: find, write', (service) => findAndWrite(engine, service, () => true));
  return {
    title: 'Upsert 1,000 records, of which 10 changed: requests',
    text: 'At 40 ms latency, on a service that keeps the fields that an update leaves out. The comparison between find and write is free here.',
    columns: ['requests', 'time', 'records after', 'duplicates'],
    unit: 'requests',
    rows,
    targets: [
      {
        text: `at most 36 requests with Create or Update: ${us.requests}`,
        holds: us.isRight && us.requests <= 36,
      },
      {
        text: `fewer with Sync: ${sync.requests}`,
        holds: sync.isRight && sync.requests < us.requests,
      },
    ],
  };
}
