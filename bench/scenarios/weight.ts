import type { Engine } from '../../test/harness';
import { createAxiosClient, runHttpRequestNode, runInParallel, runOwnNode } from '../contenders/engine';
import type { LoadTimes } from '../load';
import type { Memory } from '../memory';
import type { SyncMemory } from '../memorySync';
import { request, startRemoteService, startScript } from '../remote';
import type { Row, Scenario } from '../report';

const ITEMS = 2_000;
/** Measured runs of each contender. The fastest counts. */
const RUNS = 3;

/** Milliseconds per item in addition to the request, with 8 parallel requests and no latency. */
export async function measureOverhead(engine: Engine): Promise<Scenario> {
  const service = await startRemoteService({}, ITEMS);
  const ids = (await runOwnNode(engine, service, { operation: 'getAll', returnAll: true })).getJson('Node');
  const rows: Row[] = [];
  let bare = 0;
  const measure = async (name: string, work: () => Promise<unknown>) => {
    await work();
    let best = Infinity;
    for (let run = 0; run < RUNS; run++) {
      const from = performance.now();
      await work();
      best = Math.min(best, performance.now() - from);
    }
    const each = best / ITEMS;
    bare ||= each;
    rows.push({
      name,
      bar: each,
      cells: [`${each.toFixed(2)} ms`, `${Math.max(0, each - bare).toFixed(2)} ms`],
    });
    return each;
  };
  const client = await createAxiosClient(service);
  const axios = await measure('axios, 8 at once', () =>
    runInParallel(ITEMS, 8, async (index) => void (await client.get(`/${String(ids[index]!.id)}`))),
  );
  const us = await measure('Record Database node', () =>
    runOwnNode(engine, service, { operation: 'get', recordId: '={{ $json.id }}' }, ids),
  );
  const url = `=${service.baseUrl}/api/v1/data-tables/${service.tableId}/records/{{ $json.id }}`;
  const theirs = await measure('HTTP Request node', () => runHttpRequestNode(engine, service, { url }, ids));
  await service.stop();
  rows.unshift(rows.splice(1, 1)[0]!);
  return {
    title: 'Read 2,000 records one by one, without latency: time per item',
    text: 'The embedded service answers on the other core. n8n decrypts the credential, evaluates the parameters and pairs the items; the bare request does none of it. The fastest of 3 runs after a first one.',
    columns: ['per item', 'over the bare request'],
    unit: 'ms',
    rows,
    targets: [
      {
        text: `an item costs no more than with the HTTP Request node: ${us.toFixed(2)} ms against ${theirs.toFixed(2)} ms (bare: ${axios.toFixed(2)} ms)`,
        holds: us <= theirs * 1.1,
      },
    ],
  };
}

const computeMedian = (numbers: number[]) =>
  [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)]!;

/** The time that the package adds to n8n's start, and the memory of 100,000 records. */
export async function measureWeight(): Promise<{ load: LoadTimes; memory: Memory; syncMemory: SyncMemory }> {
  const loads: LoadTimes[] = [];
  for (let run = 0; run < 5; run++) {
    const process = startScript('load.ts');
    loads.push(await request<LoadTimes>(process, {}));
    process.disconnect();
  }
  const load = {
    alone: computeMedian(loads.map(({ alone }) => alone)),
    inN8n: computeMedian(loads.map(({ inN8n }) => inN8n)),
    files: loads[0]!.files,
  };
  const memory = await measureMemory<Memory>('memory.ts');
  return { load, memory, syncMemory: await measureSyncMemory() };
}

/** Runs a script with its own table of 100,000 records. */
async function measureMemory<T>(script: string): Promise<T> {
  const service = await startRemoteService({}, 100_000);
  const process = startScript(script, ['--expose-gc']);
  const { baseUrl, keys, tableId, importId } = service;
  const memory = await request<T>(process, { baseUrl, keys, tableId, importId });
  process.disconnect();
  await service.stop();
  return memory;
}

/** The memory of a Sync of 100,000 rows of which 1,000 changed. */
export const measureSyncMemory = () => measureMemory<SyncMemory>('memorySync.ts');
