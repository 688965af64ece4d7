/* eslint-disable @n8n/community-nodes/no-restricted-globals -- not shipped: runs on Node */
/** Measures the heap that 100,000 records take: as the node's output, and as parsed JSON. */
import { openEngine, runOwnNode } from './contenders/engine';
import type { BenchTarget } from './remote';

export interface Memory {
  records: number;
  jsonMb: number;
  plainMb: number;
  outputMb: number;
  peakMb: number;
}

const MB = 1024 * 1024;

function measureHeap(): number {
  global.gc?.();
  global.gc?.();
  return process.memoryUsage().heapUsed / MB;
}

process.on('message', async (stand: BenchTarget) => {
  const engine = await openEngine();
  await runOwnNode(engine, stand, { operation: 'getAll', limit: 1 });
  const empty = measureHeap();
  let peak = 0;
  const timer = setInterval(() => (peak = Math.max(peak, process.memoryUsage().heapUsed / MB)), 20);
  let run: Awaited<ReturnType<typeof runOwnNode>> | undefined = await runOwnNode(engine, stand, {
    operation: 'getAll',
    returnAll: true,
  });
  clearInterval(timer);
  const outputMb = measureHeap() - empty;
  const items = run.getItems('Node');
  const records = items.length;
  const text = JSON.stringify(items.map(({ json }) => json));
  items.length = 0;
  run = undefined;
  const before = measureHeap();
  const plain = JSON.parse(text) as unknown[];
  const plainMb = measureHeap() - before;
  process.send?.({
    records: Math.min(records, plain.length),
    jsonMb: text.length / MB,
    plainMb,
    outputMb,
    peakMb: peak - empty,
  } satisfies Memory);
  await engine.stop();
});
