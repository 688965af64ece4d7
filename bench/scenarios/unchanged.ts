import type { Engine } from '../../test/harness';
import {
  createKeyAndCityColumns,
  createWriteParameters,
  FIND_BY_KEY,
  runHttpRequestNode,
  runOwnNode,
} from '../contenders/engine';
import type { RemoteService } from '../remote';
import type { Scenario } from '../report';
import { RequestComparison } from '../requestComparison';

const COUNT = 1_000;
const CHANGED = 10;

const createCity = (index: number) => (index % (COUNT / CHANGED) === 0 ? 'Elsewhere' : `City ${index % 97}`);
const input = Array.from({ length: COUNT }, (_, index) => ({ key: `k${index}`, city: createCity(index) }));
const columns = createKeyAndCityColumns('key');

const WRITE = createWriteParameters('city');

/** Finds each record with the HTTP Request node, and writes those that `isWanted`. */
async function findAndWrite(
  engine: Engine,
  service: RemoteService,
  isWanted: (city: string, index: number) => boolean,
) {
  const found = (await runHttpRequestNode(engine, service, FIND_BY_KEY, input)).getJson('Node') as Array<{
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
  const comparison = new RequestComparison({ before: COUNT, after: COUNT });
  const us = await comparison.measure('Record Database node, Create or Update', (service) =>
    runOwnNode(engine, service, { operation: 'upsert', columns }, input),
  );
  const sync = await comparison.measure('Record Database node, Sync', (service) =>
    runOwnNode(engine, service, { operation: 'sync', columns }, input),
  );
  await comparison.measure('HTTP Request node: find, compare, write', (service) =>
    findAndWrite(engine, service, (city, index) => city !== input[index]!.city),
  );
  await comparison.measure('HTTP Request node: find, write', (service) =>
    findAndWrite(engine, service, () => true),
  );
  return {
    title: 'Upsert 1,000 records, of which 10 changed: requests',
    text: 'At 40 ms latency, on a service that keeps the fields that an update leaves out. The comparison between find and write is free here.',
    ...comparison.table,
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
