/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not shipped: runs on Node */
/** Measures the heap that a Sync of 100,000 rows takes, in addition to its input. */
import { GCProfiler } from 'node:v8';
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

function collectAndRead(): number {
  global.gc?.();
  global.gc?.();
  return process.memoryUsage().heapUsed / MB;
}

/** The heap before or after a garbage collection. */
interface Heap {
  heapStatistics: { usedHeapSize: number };
}

interface Collection {
  gcType: string;
  beforeGC: Heap;
  afterGC: Heap;
}

const findMost = (heaps: Heap[]) =>
  Math.max(...heaps.map(({ heapStatistics }) => heapStatistics.usedHeapSize)) / MB;

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
  // A full collection every two seconds shows what is in use. Between them, the profiler sees those of V8.
  const timer = setInterval(() => global.gc?.(), 2_000);
  const profiler = new GCProfiler();
  profiler.start();
  const from = performance.now();
  const columns = { mappingMode: 'autoMapInputData', value: null, matchingColumns: ['key'] };
  const parameters = { operation: 'sync', columns, deleteMissing: true, output: 'summary' };
  const run = await runOwnNode(engine, stand, parameters, input);
  const seconds = (performance.now() - from) / 1000;
  clearInterval(timer);
  const { statistics } = profiler.stop() as unknown as { statistics: Collection[] };
  const full = statistics.filter(({ gcType }) => gcType === 'MarkSweepCompact');
  process.send?.({
    summary: run.getJson('Node')[0] ?? {},
    seconds,
    inputMb: before - empty,
    liveMb: findMost(full.map(({ afterGC }) => afterGC)) - before,
    peakMb: findMost(statistics.map(({ beforeGC }) => beforeGC)) - before,
    residentMb: process.resourceUsage().maxRSS / 1024,
  } satisfies SyncMemory);
  await engine.stop();
});
