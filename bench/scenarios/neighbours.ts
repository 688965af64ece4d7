/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not shipped: runs on Node */
import { setTimeout } from 'node:timers/promises';
import type { Engine } from '../../test/harness';
import { listenToEvents, openTableList, runOwnNode } from '../contenders/engine';
import { type RemoteService, startRemoteService } from '../remote';
import { formatFactor, formatPercent, formatSeconds, type Row, type Scenario } from '../report';

const CREATES = 600;
const PER_MINUTE = 240;
/** What the limit alone asks for, in milliseconds. */
const BOUND = (Math.ceil(CREATES / PER_MINUTE) - 1) * 60_000;

const DELIVERIES = 30;
const DELIVERY_EVERY_MS = 4_000;
const DROPDOWN_EVERY_MS = 5_000;
/** With more calls than these, the bulk run would need requests that the limit does not allow before its bound. */
const READ_EVERY_MS = 30_000;

const input = Array.from({ length: CREATES }, (_, index) => ({ key: `k${index}` }));
const columns = { mappingMode: 'defineBelow', value: { key: '={{ $json.key }}' } };

/** Creates the records. @returns milliseconds */
async function runBulk(engine: Engine, service: RemoteService): Promise<number> {
  const from = performance.now();
  await runOwnNode(engine, service, { operation: 'create', columns }, input);
  return performance.now() - from;
}

/** Repeats a call until `isOver`. @returns how long each one took, in milliseconds */
async function measureCalls(
  everyMs: number,
  call: () => Promise<unknown>,
  isOver: () => boolean,
): Promise<number[]> {
  const waits: number[] = [];
  const startedAt = performance.now();
  for (let next = everyMs; ; next += everyMs) {
    await setTimeout(Math.max(0, startedAt + next - performance.now()));
    if (isOver()) return waits;
    const from = performance.now();
    await call();
    waits.push(performance.now() - from);
  }
}

const start = () => startRemoteService({ perMinute: PER_MINUTE, latencyMs: 40 }, 1);

async function measureAlone(engine: Engine) {
  const service = await start();
  const ms = await runBulk(engine, service);
  const { records, refused } = await service.getStatistics();
  await service.stop();
  return { ms, records, refused };
}

async function measureBeside(engine: Engine) {
  const service = await start();
  const trigger = await listenToEvents(engine, service);
  let isOver = false;
  const bulk = runBulk(engine, service).finally(() => (isOver = true));
  const [events, dropdowns, reads, ms] = await Promise.all([
    service.sendEvents(DELIVERIES, DELIVERY_EVERY_MS),
    measureCalls(
      DROPDOWN_EVERY_MS,
      () => openTableList(engine),
      () => isOver,
    ),
    measureCalls(
      READ_EVERY_MS,
      () => runOwnNode(engine, service, { operation: 'getAll', returnAll: false, limit: 1 }),
      () => isOver,
    ),
    bulk,
  ]);
  const started = await trigger.waitUntilIdle();
  const { records, refused } = await service.getStatistics();
  await trigger.deactivate();
  await service.stop();
  return { ms, events, started: started.length, dropdowns, reads, records, refused };
}

const findPercentile = (waits: number[], share: number) =>
  [...waits].sort((a, b) => a - b)[Math.ceil(waits.length * share) - 1] ?? 0;
const findLongest = (waits: number[]) => Math.max(0, ...waits);

function createWaitRow(name: string, waits: number[]): Row {
  const shown = [findPercentile(waits, 0.5), findPercentile(waits, 0.95), findLongest(waits)];
  return {
    name,
    bar: findPercentile(waits, 0.95),
    cells: [waits.length, ...shown.map(formatSeconds)],
  };
}

const createBulkRow = (name: string, ms: number): Row => ({
  name,
  bar: ms,
  cells: [CREATES, '', '', formatSeconds(ms)],
});

/** A bulk run, deliveries, dropdowns and short runs with one key in one process. */
export async function measureNeighbours(engine: Engine): Promise<Scenario> {
  const alone = await measureAlone(engine);
  const beside = await measureBeside(engine);
  const { waits, statuses } = beside.events;
  const refused = statuses.filter((status) => status !== 200).length;
  const quick = waits.filter((ms) => ms <= 1_000).length / DELIVERIES;
  const [dropdown, read] = [findLongest(beside.dropdowns), findLongest(beside.reads)];
  return {
    title: 'A bulk run beside deliveries, dropdowns and short runs',
    text: `One key with ${PER_MINUTE} requests a minute, one process, 40 ms latency. Create of ${CREATES} items, ${DELIVERIES} deliveries whose record the trigger reads, one each ${DELIVERY_EVERY_MS / 1000} s, a dropdown of tables each ${DROPDOWN_EVERY_MS / 1000} s, and a Get Many of one record each ${READ_EVERY_MS / 1000} s. The bound of the bulk run is what the limit alone asks for: ${BOUND / 1000} s.`,
    columns: ['calls', 'half within', '95 % within', 'longest'],
    unit: 'ms',
    rows: [
      createWaitRow('deliveries', waits),
      createWaitRow('dropdowns', beside.dropdowns),
      createWaitRow('Get Many', beside.reads),
      createBulkRow('Create alone', alone.ms),
      createBulkRow('Create beside them', beside.ms),
    ],
    targets: [
      {
        text: `0 deliveries refused, each one starts the workflow: ${refused} refused, ${beside.started} of ${DELIVERIES} started`,
        holds: refused === 0 && beside.started === DELIVERIES,
      },
      { text: `95 % of the deliveries within 1 s: ${formatPercent(quick)}`, holds: quick >= 0.95 },
      { text: `each dropdown within 2 s: ${formatSeconds(dropdown)}`, holds: dropdown <= 2_000 },
      { text: `each Get Many within 2 s: ${formatSeconds(read)}`, holds: read <= 2_000 },
      {
        text: `Create alone within 1.05 × of the bound: ${formatFactor(alone.ms / BOUND)}`,
        holds: alone.ms <= 1.05 * BOUND,
      },
      {
        text: `Create beside them at most 5 % longer than alone: ${formatFactor(beside.ms / alone.ms)}`,
        holds: beside.ms <= 1.05 * alone.ms,
      },
      {
        text: `requests refused (429): ${alone.refused} alone, ${beside.refused} beside them`,
        holds: alone.refused + beside.refused === 0,
      },
    ],
  };
}
