import type { Run } from '../../harness';
import { scaleRuns } from '../../randomness';
import type { Fault } from '../../service';

/** A write, and what goes wrong at one of its requests. */
export interface FaultCase {
  operation: 'update' | 'upsert' | 'save';
  /** How the service reads a field that an update leaves out. */
  omittedOnUpdate: 'keep' | 'blank';
  fault?: string;
  /** Requests of the write that pass before the fault. */
  position: number;
  /** Whether the fault applies to one request or to all requests from then on. */
  lasts: boolean;
}

export const READINGS = ['keep', 'blank'] as const;

export const FAULTS: Record<string, Fault> = {
  '500': { type: 'status', status: 500 },
  'daily limit': { type: 'rateLimit', scope: 'day', retryAfter: 3600 },
  'key disabled': { type: 'status', status: 401, body: { type: 'error', msg: 'API Disabled', status: 401 } },
  'lost answer': { type: 'reset', when: 'after' },
  timeout: { type: 'stall', ms: 3_600_000 },
  cancellation: { type: 'stall', ms: 200 },
};

/** Most of a case is waiting for timeouts. */
const CONCURRENCY = 40;

export const formatError = ({ error }: Run): string => {
  const { message = '', description = '' } = (error ?? {}) as { message?: string; description?: string };
  return `${message} ${description}`.trim();
};

/** Returns a case for each fault at each of the first `maxRequests` requests, once and from then on. */
export const createFaultyCases = <C extends FaultCase>(one: C, faults: string[], maxRequests: number): C[] =>
  faults.flatMap((fault) =>
    Array.from({ length: maxRequests }).flatMap((_, position) =>
      [false, true].map((lasts) => ({ ...one, fault, position, lasts })),
    ),
  );

/** Returns the share of the cases that this run of the tests draws, spread over all by a prime. */
export const drawCases = <C>(cases: C[]): C[] =>
  cases.filter((_, index) => (index * 7919) % cases.length < scaleRuns(cases.length));

/** Runs cases side by side. @returns what is wrong with their outcomes */
export async function runAll<C>(cases: C[], runCase: (one: C) => Promise<string[]>): Promise<string[]> {
  const wrong: string[] = [];
  const left = [...cases];
  const work = async () => {
    for (let one = left.shift(); one; one = left.shift()) wrong.push(...(await runCase(one)));
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  return wrong;
}
