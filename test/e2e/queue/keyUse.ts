import type { RecordedRequest } from '../../service';

export interface KeyUse {
  sent: number;
  refused: number;
  /** The share of all requests with the status 429. */
  refusedShare: number;
  /** The number of requests served in each window, in order. */
  windows: number[];
}

/**
 * Calculates how the requests of all processes used a shared limit. A window opens with the first request after the
 * previous window has closed, so the calculation needs all requests, also for windows that opened after `since`.
 */
export function keyUse(requests: readonly RecordedRequest[], windowMs: number, since = -Infinity): KeyUse {
  const windows: Array<{ opensAt: number; served: number }> = [];
  for (const { at, status } of [...requests].sort((a, b) => a.at - b.at)) {
    const last = windows.at(-1);
    const open = last && at < last.opensAt + windowMs ? last : { opensAt: at, served: 0 };
    if (open !== last) windows.push(open);
    if (status !== 429) open.served++;
  }
  const meant = requests.filter(({ at }) => at >= since);
  const { length: refused } = meant.filter(({ status }) => status === 429);
  return {
    sent: meant.length,
    refused,
    refusedShare: refused / Math.max(1, meant.length),
    windows: windows.filter(({ opensAt }) => opensAt >= since).map(({ served }) => served),
  };
}
