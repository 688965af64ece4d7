/** What 100,000 records take on the heap: as our node's output, and as plain parsed JSON. */
import { openEngine, ours } from './contenders/engine';
import type { Stand } from './remote';

export interface Memory {
  records: number;
  jsonMb: number;
  plainMb: number;
  outputMb: number;
  peakMb: number;
}

const MB = 1024 * 1024;

function heap(): number {
  global.gc?.();
  global.gc?.();
  return process.memoryUsage().heapUsed / MB;
}

process.on('message', async (stand: Stand) => {
  const engine = await openEngine();
  await ours(engine, stand, { operation: 'getAll', limit: 1 });
  const empty = heap();
  let peak = 0;
  const timer = setInterval(() => (peak = Math.max(peak, process.memoryUsage().heapUsed / MB)), 20);
  let run: Awaited<ReturnType<typeof ours>> | undefined = await ours(engine, stand, {
    operation: 'getAll',
    returnAll: true,
  });
  clearInterval(timer);
  const outputMb = heap() - empty;
  const items = run.itemsOf('Node');
  const records = items.length;
  const text = JSON.stringify(items.map(({ json }) => json));
  items.length = 0;
  run = undefined;
  const before = heap();
  const plain = JSON.parse(text) as unknown[];
  const plainMb = heap() - before;
  process.send?.({
    records: Math.min(records, plain.length),
    jsonMb: text.length / MB,
    plainMb,
    outputMb,
    peakMb: peak - empty,
  } satisfies Memory);
  await engine.stop();
});
