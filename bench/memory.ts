/* eslint-disable @n8n/community-nodes/no-restricted-globals -- not shipped: runs on Node */
/** Measures the heap that 100,000 records take: as the node's output, as parsed JSON, and read page by page in a loop. */
import type { Engine } from '../test/harness';
import { openEngine, runOwnNode } from './contenders/engine';
import type { BenchTarget } from './remote';

export interface Memory {
  records: number;
  jsonMb: number;
  plainMb: number;
  outputMb: number;
  peakMb: number;
  /** Most on the heap in a loop after a full garbage collection, while the items of a page are held. */
  loopMb: number;
  seconds: number;
  loopSeconds: number;
}

const MB = 1024 * 1024;
const PAGE = 200;
/** Pages between two measurements. */
const STEP = 50;

function measureHeap(): number {
  global.gc?.();
  global.gc?.();
  return process.memoryUsage().heapUsed / MB;
}

/** Reads all records as a workflow that reads each page in an execution of its own. */
async function measureLoop(stand: BenchTarget, engine: Engine, empty: number): Promise<number> {
  let most = 0;
  for (let startPage = 1; ; startPage++) {
    const run = await runOwnNode(engine, stand, { operation: 'getAll', limit: PAGE, options: { startPage } });
    if (startPage % STEP === 0) most = Math.max(most, measureHeap() - empty);
    if (run.getItems('Node').length < PAGE) return most;
  }
}

process.on('message', async (stand: BenchTarget) => {
  const engine = await openEngine();
  await runOwnNode(engine, stand, { operation: 'getAll', limit: 1 });
  const empty = measureHeap();
  let from = performance.now();
  const loopMb = await measureLoop(stand, engine, empty);
  const loopSeconds = (performance.now() - from) / 1000;
  // What the loop's executions left, such as compiled code, is no part of the output.
  const before = measureHeap();
  let peak = 0;
  const timer = setInterval(() => (peak = Math.max(peak, process.memoryUsage().heapUsed / MB)), 20);
  from = performance.now();
  let run: Awaited<ReturnType<typeof runOwnNode>> | undefined = await runOwnNode(engine, stand, {
    operation: 'getAll',
    returnAll: true,
  });
  const seconds = (performance.now() - from) / 1000;
  clearInterval(timer);
  const outputMb = measureHeap() - before;
  const items = run.getItems('Node');
  const records = items.length;
  const text = JSON.stringify(items.map(({ json }) => json));
  items.length = 0;
  run = undefined;
  const beforePlain = measureHeap();
  const plain = JSON.parse(text) as unknown[];
  const plainMb = measureHeap() - beforePlain;
  process.send?.({
    records: Math.min(records, plain.length),
    jsonMb: text.length / MB,
    plainMb,
    outputMb,
    peakMb: peak - before,
    loopMb,
    seconds,
    loopSeconds,
  } satisfies Memory);
  await engine.stop();
});
