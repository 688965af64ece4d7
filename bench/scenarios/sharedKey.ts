import { request, startScript, startRemoteService } from '../remote';
import { formatPercent, formatSeconds, type Scenario } from '../report';
import type { Share } from '../worker';

const PER_WINDOW = 240;
const WINDOW = 6_000;
const EACH = 720;

/** Two independent n8n processes with the same key. */
export async function measureSharedKey(): Promise<Scenario> {
  const service = await startRemoteService({ perMinute: PER_WINDOW, windowMs: WINDOW });
  const { baseUrl, keys, tableId, importId } = service;
  const workers = ['a', 'b'].map((name) => ({ name, process: startScript('worker.ts') }));
  const shares = await Promise.all(
    workers.map(({ name, process }) =>
      request<Share>(process, { stand: { baseUrl, keys, tableId, importId }, name, count: EACH }),
    ),
  );
  for (const { process } of workers) process.disconnect();
  const { requests, refused, records, duplicates, firstAt, lastAt } = await service.getStatistics();
  await service.stop();
  const ms = lastAt - firstAt;
  // The requests that the limit allows in that time: all started windows, and the last one in proportion.
  const windows =
    Math.floor(ms / WINDOW) + Math.min(1, ((requests - refused) % PER_WINDOW || PER_WINDOW) / PER_WINDOW);
  const utilisation = (requests - refused) / (windows * PER_WINDOW);
  const failed = shares.reduce((sum, share) => sum + share.failed, 0);
  return {
    title: 'Two processes share one key',
    text: `${2 * EACH} creates under a limit of ${PER_WINDOW} per window of ${WINDOW / 1000} s. Utilisation: requests served against what the windows that were begun allow.`,
    columns: ['time', 'utilisation', '429s', 'failed items', 'records', 'duplicates'],
    unit: 'share of the limit',
    rows: [
      {
        name: 'Record Database node, twice',
        bar: utilisation,
        cells: [
          formatSeconds(ms),
          formatPercent(utilisation),
          formatPercent(refused / requests),
          failed,
          records,
          duplicates,
        ],
      },
    ],
    targets: [
      { text: `at least 90 % of the limit: ${formatPercent(utilisation)}`, holds: utilisation >= 0.9 },
      {
        text: `at most 2 % refused: ${formatPercent(refused / requests)}`,
        holds: refused / requests <= 0.02,
      },
      { text: `0 failed items: ${failed}`, holds: failed === 0 && records === 2 * EACH && duplicates === 0 },
    ],
  };
}
