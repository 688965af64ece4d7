import { request, startRemoteService, startScript } from '../remote';
import { formatPercent, formatSeconds, type Scenario } from '../report';
import type { Share } from '../worker';

const PER_WINDOW = 240;
/** Not shortened: the limiter spreads the last calls over a minute. In a shorter window all processes send them at once. */
const WINDOW = 60_000;
const CREATES = 720;

/** Numbers of processes, with the share of requests that may be refused. Each process may have one refused in a window. */
const PROCESSES = [
  { count: 2, maxRefused: 0.02 },
  { count: 4, maxRefused: 0.03 },
];

async function measureProcesses(count: number) {
  const service = await startRemoteService({ perMinute: PER_WINDOW, windowMs: WINDOW });
  const { baseUrl, keys, tableId, eventTableId, importId } = service;
  const workers = Array.from({ length: count }, (_, index) => ({
    name: `worker${index}`,
    process: startScript('worker.ts'),
  }));
  const shares = await Promise.all(
    workers.map(({ name, process }) =>
      request<Share>(process, {
        stand: { baseUrl, keys, tableId, eventTableId, importId },
        name,
        count: CREATES / count,
      }),
    ),
  );
  for (const { process } of workers) process.disconnect();
  const { requests, refused, records, duplicates, firstAt, lastAt } = await service.getStatistics();
  await service.stop();
  const ms = lastAt - firstAt;
  // The requests that the limit allows in that time: all started windows, and the last one in proportion.
  const windows =
    Math.floor(ms / WINDOW) + Math.min(1, ((requests - refused) % PER_WINDOW || PER_WINDOW) / PER_WINDOW);
  return {
    ms,
    utilisation: (requests - refused) / (windows * PER_WINDOW),
    refused: refused / requests,
    failed: shares.reduce((sum, share) => sum + share.failed, 0),
    records,
    duplicates,
  };
}

/** Independent n8n processes with the same key. */
export async function measureSharedKey(): Promise<Scenario> {
  const rows: Scenario['rows'] = [];
  const targets: Scenario['targets'] = [];
  const measured = await Promise.all(
    PROCESSES.map(async (one) => ({ ...one, ...(await measureProcesses(one.count)) })),
  );
  for (const { count, maxRefused, ms, utilisation, refused, failed, records, duplicates } of measured) {
    rows.push({
      name: `Record Database node in ${count} processes`,
      bar: utilisation,
      cells: [
        formatSeconds(ms),
        formatPercent(utilisation),
        formatPercent(refused),
        failed,
        records,
        duplicates,
      ],
    });
    targets.push(
      {
        text: `${count} processes: at least 90 % of the limit: ${formatPercent(utilisation)}`,
        holds: utilisation >= 0.9,
      },
      {
        text: `… at most ${maxRefused * 100} % refused: ${formatPercent(refused)}`,
        holds: refused <= maxRefused,
      },
      { text: `… 0 failed items: ${failed}`, holds: failed === 0 && records === CREATES && duplicates === 0 },
    );
  }
  return {
    title: 'Two and four processes share one key',
    text: `${CREATES} creates under a limit of ${PER_WINDOW} per window of ${WINDOW / 1000} s. Utilisation: requests served against what the windows that were begun allow.`,
    columns: ['time', 'utilisation', '429s', 'failed items', 'records', 'duplicates'],
    unit: 'share of the limit',
    rows,
    targets,
  };
}
