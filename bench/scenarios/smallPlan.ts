/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not shipped: runs on Node */
import { setTimeout } from 'node:timers/promises';
import type { Engine } from '../../test/harness';
import {
  createKeyAndCityColumns,
  createWriteParameters,
  FIND_BY_KEY,
  runHttpRequestNode,
  runOwnNode,
} from '../contenders/engine';
import { type RemoteService, startRemoteService } from '../remote';
import { formatSeconds, type Row, type Scenario } from '../report';

/** The smallest plan that was met: 60 requests a minute, 1,000 a day. */
const PER_WINDOW = 60;
const PER_DAY = 1_000;
/** Milliseconds of the shortened minute. */
const WINDOW = 3_000;

const COUNT = 600;
const CHANGED = 60;
const NEW_CITY = 'Elsewhere';

const createCity = (index: number) => (index % (COUNT / CHANGED) === 0 ? NEW_CITY : `City ${index % 97}`);
const input = Array.from({ length: COUNT }, (_, index) => ({ key: `k${index}`, city: createCity(index) }));
const columns = createKeyAndCityColumns('key');

/** The HTTP Request node in batches of the limit, as people set it by hand. */
const IN_BATCHES = { options: { batching: { batch: { batchSize: PER_WINDOW, batchInterval: WINDOW } } } };

async function findAndWrite(engine: Engine, service: RemoteService, writesAll: boolean) {
  const found = (await runHttpRequestNode(engine, service, { ...FIND_BY_KEY, ...IN_BATCHES }, input)).getJson(
    'Node',
  ) as Array<{ items?: Array<{ id: string; city: string }> }>;
  const writes = input.flatMap(({ city }, index) => {
    const [record] = found[index]?.items ?? [];
    return record && (writesAll || record.city !== city) ? [{ id: record.id, city }] : [];
  });
  // The last batch has used up the minute.
  await setTimeout(WINDOW);
  const url = `=${service.baseUrl}/api/v1/data-tables/${service.tableId}/records/{{ $json.id }}`;
  await runHttpRequestNode(engine, service, { ...createWriteParameters('city'), ...IN_BATCHES, url }, writes);
}

export async function measureSmallPlan(engine: Engine): Promise<Scenario> {
  const rows: Row[] = [];
  const measure = async (name: string, work: (service: RemoteService) => Promise<unknown>) => {
    const limits = { perMinute: PER_WINDOW, windowMs: WINDOW, perDay: PER_DAY };
    const service = await startRemoteService(limits, COUNT);
    const from = performance.now();
    await work(service);
    const ms = performance.now() - from;
    const { requests, refused, records, cities } = await service.getStatistics();
    await service.stop();
    const written = cities[NEW_CITY] ?? 0;
    rows.push({
      name,
      bar: requests,
      cells: [requests, formatSeconds(ms), refused, `${written} of ${CHANGED}`],
    });
    return { requests, refused, isRight: records === COUNT && written === CHANGED };
  };
  const upsert = await measure('Record Database node, Create or Update', (service) =>
    runOwnNode(engine, service, { operation: 'upsert', columns }, input),
  );
  const sync = await measure('Record Database node, Sync', (service) =>
    runOwnNode(engine, service, { operation: 'sync', columns }, input),
  );
  await measure('HTTP Request node in batches: find, compare, write', (service) =>
    findAndWrite(engine, service, false),
  );
  await measure('HTTP Request node in batches: find, write', (service) =>
    findAndWrite(engine, service, true),
  );
  return {
    title: 'Upsert 600 records, of which 60 changed, at 60 requests a minute and 1,000 a day: requests',
    text: `The smallest plan that was met. The minute is shortened to ${WINDOW / 1000} s. The comparison between find and write is free here.`,
    columns: ['requests', 'time', '429s', 'changes written'],
    unit: 'requests',
    rows,
    targets: [
      {
        text: `all changes in at most 100 requests, none refused: ${upsert.requests}, ${upsert.refused} refused`,
        holds: upsert.isRight && upsert.requests <= 100 && upsert.refused === 0,
      },
      {
        text: `fewer with Sync: ${sync.requests}, ${sync.refused} refused`,
        holds: sync.isRight && sync.requests < upsert.requests && sync.refused === 0,
      },
    ],
  };
}
