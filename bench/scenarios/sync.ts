import type { Engine } from '../../test/harness';
import { READ_ALL_PAGES, runHttpRequestNode, runOwnNode } from '../contenders/engine';
import { formatSeconds, type Row, type Scenario } from '../report';
import { startRemoteService, type RemoteService } from '../remote';

const COUNT = 2_000;
const CHANGED = 20;
/** Records that are not in the input, and as many input items that are not in the table. */
const REPLACED = 10;

const createCity = (index: number) => (index % (COUNT / CHANGED) === 0 ? 'Elsewhere' : `City ${index % 97}`);
const input = Array.from({ length: COUNT }, (_, index) => index + REPLACED).map((index) => ({
  key: `k${index}`,
  city: createCity(index),
}));

const SYNC = {
  operation: 'sync',
  columns: {
    mappingMode: 'defineBelow',
    value: { key: '={{ $json.key }}', city: '={{ $json.city }}' },
    matchingColumns: ['key'],
  },
  deleteMissing: true,
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
  bodyParameters: {
    parameters: ['key', 'city'].map((name) => ({ name, value: `={{ $json.${name} }}` })),
  },
};

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
  const found = await runHttpRequestNode(engine, service, FIND, input);
  await writeDifferences(engine, service, readItems(found.getJson('Node')));
}

export async function measureSync(engine: Engine): Promise<Scenario> {
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
  const us = await measure('Record Database node', (service) => runOwnNode(engine, service, SYNC, input));
  await measure('HTTP Request node: read all pages, compare, write', (service) =>
    readCompareWrite(engine, service),
  );
  await measure('HTTP Request node: find, compare, write (deletes nothing)', (service) =>
    findCompareWrite(engine, service),
  );
  const maximum = 65;
  return {
    title: 'Sync 2,000 rows, of which 20 changed, 10 are new and 10 are gone: requests',
    text: 'At 40 ms latency, on a service that keeps the fields that an update leaves out. The comparison between reading and writing is free here. Our node reads with proof that no record was skipped, because a skipped record would be created a second time.',
    columns: ['requests', 'time', 'records after', 'duplicates'],
    unit: 'requests',
    rows,
    targets: [
      { text: `at most ${maximum} requests: ${us.requests}`, holds: us.isRight && us.requests <= maximum },
    ],
  };
}
