/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not shipped: runs on Node */
import { setTimeout } from 'node:timers/promises';

/** Time source of the service. A test passes its own to advance the time. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };

export const SECOND = 1000;
export const HOUR = 3600 * SECOND;
export const DAY = 24 * HOUR;

const formats = new Map<string, Intl.DateTimeFormat>();
/** The last second of each zone: tests insert thousands of records in one. */
const latest = new Map<string, { second: number; text: string }>();

/**
 * `YYYY-MM-DD HH:MM:SS`, the form of every timestamp in a body (spec: Resources). The spec names no time zone; see
 * `ServiceOptions.timeZone`.
 */
export function formatTimestamp(ms: number, timeZone = 'UTC'): string {
  const second = Math.floor(ms / SECOND);
  const known = latest.get(timeZone);
  if (known?.second === second) return known.text;
  const text = formatSecond(ms, timeZone);
  latest.set(timeZone, { second, text });
  return text;
}

function formatSecond(ms: number, timeZone: string): string {
  if (timeZone === 'UTC') return new Date(ms).toISOString().slice(0, 19).replace('T', ' ');
  // Swedish dates have this form.
  const format =
    formats.get(timeZone) ??
    new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  formats.set(timeZone, format);
  return format.format(ms);
}

/** Waits that `stop()` ends, so that no timer outlives the service. */
export class Timers {
  private readonly waits = new Set<AbortController>();
  private isStopped = false;

  /** @param wait ends this wait early when aborted. Each wait has its own, so that listeners do not add up. */
  async sleep(ms: number, wait = new AbortController()): Promise<void> {
    if (this.isStopped) return;
    this.waits.add(wait);
    await setTimeout(ms, undefined, { signal: wait.signal }).catch(() => undefined);
    this.waits.delete(wait);
  }

  stop(): void {
    this.isStopped = true;
    for (const wait of this.waits) wait.abort();
  }
}
