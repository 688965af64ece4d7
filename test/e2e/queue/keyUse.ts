import type { RecordedRequest } from '../../service';

export interface KeyUse {
  sent: number;
  refused: number;
  /** Of all requests, the share that was answered 429. */
  refusedShare: number;
  /** What each window served, in their order. */
  windows: number[];
}

/**
 * How requests under one limit used it, whichever process made them. A window opens with the first request
 * after the last one closed, so all requests are needed, also for the windows that opened after `since`.
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
