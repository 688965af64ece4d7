import type { Run } from '../../harness';
import { scaleRuns } from '../../randomness';
import type { Fault } from '../../service';

/** A write, and what goes wrong at one of its requests. */
export interface FaultCase {
  operation: 'update' | 'upsert' | 'save';
  fault?: string;
  /** Requests of the write that pass before the fault. */
  position: number;
  /** Whether the fault applies to one request or to all requests from then on. */
  lasts: boolean;
}

export const FAULTS: Record<string, Fault> = {
  '500': { type: 'status', status: 500 },
  'daily limit': { type: 'rateLimit', scope: 'day', retryAfter: 3600 },
  'key disabled': { type: 'status', status: 401, body: { type: 'error', msg: 'API Disabled', status: 401 } },
  'lost answer': { type: 'reset', when: 'after' },
  timeout: { type: 'stall', ms: 3_600_000 },
  cancellation: { type: 'stall', ms: 200 },
};

const createRefusal = (status: number, msg: string): Fault => ({
  type: 'status',
  status,
  body: { type: 'error', msg, status },
});

/** Faults that an update meets besides: 16 in all, with two that a test holds up, and answers that show nothing. */
export const MORE_FAULTS: Record<string, Fault> = {
  '500 after the work': { type: 'status', status: 500, when: 'after' },
  'minute limit': { type: 'rateLimit', scope: 'minute', retryAfter: 5 },
  forbidden: createRefusal(403, 'Permission Denied'),
  'not found': createRefusal(404, 'Record Not Found'),
  refused: createRefusal(422, 'Validation failed'),
  'page of a proxy': { type: 'html', status: 502 },
  redirect: { type: 'redirect', status: 302, location: 'https://other.example/' },
  'broken connection': { type: 'reset', when: 'before' },
  'half an answer': { type: 'truncate' },
};

/** Answers that do not show whether the request was carried out. */
export const BARE_ANSWERS: Record<string, Fault> = {
  'empty answer': { type: 'status', status: 200, body: '' },
  'empty answer after the work': { type: 'status', status: 204, when: 'after' },
  'bare answer': { type: 'status', status: 200, body: {} },
  'bare answer after the work': { type: 'status', status: 200, body: {}, when: 'after' },
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
