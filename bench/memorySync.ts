/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not shipped: runs on Node */
/** Measures the heap that a Sync of 100,000 rows takes, in addition to its input. */
import { constants, PerformanceObserver } from 'node:perf_hooks';
import { openEngine, runOwnNode } from './contenders/engine';
import type { BenchTarget } from './remote';
import { createRow } from './rows';

const SYNC_ROWS = 100_000;

export interface SyncMemory {
  /** The counts that the node returns. */
  summary: object;
  seconds: number;
  /** The input items alone. */
  inputMb: number;
  /** Most on the heap after a full garbage collection, the input items not included. */
  liveMb: number;
  /** Most on the heap, garbage included, the input items not included. */
  peakMb: number;
  /** Most memory of the process with n8n's engine, everything included. */
  residentMb: number;
}

const MB = 1024 * 1024;
const readHeap = () => process.memoryUsage().heapUsed / MB;

function collectAndRead(): number {
  global.gc?.();
  global.gc?.();
  return readHeap();
}

process.on('message', async (stand: BenchTarget) => {
  const engine = await openEngine();
  await runOwnNode(engine, stand, { operation: 'getAll', limit: 1 });
  const empty = collectAndRead();
  // One row in a hundred has another city than the table.
  const input = Array.from({ length: SYNC_ROWS }, (_, index) => ({
    ...createRow(index),
    ...(index % 100 === 0 && { city: 'Elsewhere' }),
  }));
  const before = collectAndRead();
  let peak = 0;
  let live = 0;
  const timer = setInterval(() => (peak = Math.max(peak, readHeap())), 20);
  const observer = new PerformanceObserver((list) => {
    const entries = list.getEntries() as unknown as Array<{ detail: { kind: number } }>;
    const isFull = entries.some(({ detail }) => detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR);
    if (isFull) live = Math.max(live, readHeap());
  });
  observer.observe({ entryTypes: ['gc'] });
  const from = performance.now();
  const columns = { mappingMode: 'autoMapInputData', value: null, matchingColumns: ['key'] };
  const parameters = { operation: 'sync', columns, deleteMissing: true, output: 'summary' };
  const run = await runOwnNode(engine, stand, parameters, input);
  const seconds = (performance.now() - from) / 1000;
  clearInterval(timer);
  observer.disconnect();
  process.send?.({
    summary: run.getJson('Node')[0] ?? {},
    seconds,
    inputMb: before - empty,
    liveMb: live - before,
    peakMb: peak - before,
    residentMb: process.resourceUsage().maxRSS / 1024,
  } satisfies SyncMemory);
  await engine.stop();
});
