import type { Engine } from '../../test/harness';
import {
  createKeyAndCityColumns,
  createWriteParameters,
  FIND_BY_KEY,
  READ_ALL_PAGES,
  runHttpRequestNode,
  runOwnNode,
} from '../contenders/engine';
import type { RemoteService } from '../remote';
import type { Scenario } from '../report';
import { RequestComparison } from '../requestComparison';

const COUNT = 2_000;
const CHANGED = 20;
/** Records that are not in the input, and as many input items that are not in the table. */
const REPLACED = 10;

const createCity = (index: number) => (index % (COUNT / CHANGED) === 0 ? 'Elsewhere' : `City ${index % 97}`);
const input = Array.from({ length: COUNT }, (_, index) => index + REPLACED).map((index) => ({
  key: `k${index}`,
  city: createCity(index),
}));

const SYNC = { operation: 'sync', columns: createKeyAndCityColumns('key'), deleteMissing: true };

const WRITE = createWriteParameters('key', 'city');

interface BenchRecord {
  id: string;
  key: string;
  city: string;
}

const readItems = (pages: object[]): BenchRecord[] =>
  (pages as Array<{ items: BenchRecord[] }>).flatMap(({ items }) => items);

/** Creates and updates with the HTTP Request node what differs from `records`. */
async function writeDifferences(engine: Engine, service: RemoteService, records: BenchRecord[]) {
  const byKey = new Map(records.map((record) => [record.key, record]));
  const url = `${service.baseUrl}/api/v1/data-tables/${service.tableId}/records`;
  const creates = input.filter(({ key }) => !byKey.has(key));
  const updates = input.flatMap((row) => {
    const record = byKey.get(row.key);
    return record && record.city !== row.city ? [{ ...row, id: record.id }] : [];
  });
  await runHttpRequestNode(engine, service, WRITE, creates);
  await runHttpRequestNode(engine, service, { ...WRITE, url: `=${url}/{{ $json.id }}` }, updates);
}

async function readCompareWrite(engine: Engine, service: RemoteService): Promise<void> {
  const records = readItems((await runHttpRequestNode(engine, service, READ_ALL_PAGES)).getJson('Node'));
  await writeDifferences(engine, service, records);
  const keys = new Set(input.map(({ key }) => key));
  const missing = records.filter(({ key }) => !keys.has(key)).map(({ id }) => ({ id }));
  const url = `=${service.baseUrl}/api/v1/data-tables/${service.tableId}/records/{{ $json.id }}`;
  await runHttpRequestNode(engine, service, { method: 'DELETE', url }, missing);
}

async function findCompareWrite(engine: Engine, service: RemoteService): Promise<void> {
  const found = await runHttpRequestNode(engine, service, FIND_BY_KEY, input);
  await writeDifferences(engine, service, readItems(found.getJson('Node')));
}

export async function measureSync(engine: Engine): Promise<Scenario> {
  const comparison = new RequestComparison({ before: COUNT, after: COUNT });
  const us = await comparison.measure('Record Database node', (service) =>
    runOwnNode(engine, service, SYNC, input),
  );
  await comparison.measure('HTTP Request node: read all pages, compare, write', (service) =>
    readCompareWrite(engine, service),
  );
  await comparison.measure('HTTP Request node: find, compare, write (deletes nothing)', (service) =>
    findCompareWrite(engine, service),
  );
  const maximum = 65;
  return {
    title: 'Sync 2,000 rows, of which 20 changed, 10 are new and 10 are gone: requests',
    text: 'At 40 ms latency, on a service that keeps the fields that an update leaves out. The comparison between reading and writing is free here. Our node looks up once more each key that it is going to create, because a record that a list skips would be created a second time.',
    ...comparison.table,
    targets: [
      { text: `at most ${maximum} requests: ${us.requests}`, holds: us.isRight && us.requests <= maximum },
    ],
  };
}
