import type { Random } from '../state/random';
import type { AnswerForm } from './answers';
import type { RecordedRequest } from './recorder';

/**
 * A failure of one request. `before`, `rateLimit`, `html` and `redirect` replace the work; with `after`,
 * `stall`, `answer` and `truncate` the work is done, but the client cannot see it. With `hold` it is done after `until`;
 * with `cut` the connection is closed at once.
 */
export type Fault =
  | {
      type: 'status';
      status: number;
      /** A text is sent as it is: '' is an empty answer. */
      body?: unknown;
      headers?: Record<string, string>;
      when?: 'before' | 'after';
    }
  | { type: 'rateLimit'; scope: 'minute' | 'day'; retryAfter?: number }
  | { type: 'reset'; when: 'before' | 'after' }
  | { type: 'stall'; ms: number }
  | { type: 'hold'; until: Promise<unknown>; cut?: boolean }
  | { type: 'answer'; form: AnswerForm }
  /** `answer` with the form `half`. */
  | { type: 'truncate' }
  | { type: 'html'; status?: number }
  | { type: 'redirect'; status: number; location: string };

export interface FaultRule {
  when?: {
    method?: string;
    /** The endpoint with or without its method; a RegExp also sees `METHOD /real/path`. */
    pattern?: string | RegExp;
    /** Only the n-th matching request, from 1. */
    nth?: number;
    /** Matching requests that pass first. */
    skip?: number;
  };
  /** How many requests fail; default 1. */
  times?: number;
  /** Chance of each matching request, drawn from the seeded generator. */
  probability?: number;
  fault: Fault;
}

interface ArmedRule extends FaultRule {
  seen: number;
  left: number;
}

/** The armed faults. Every rule counts the requests that match it; the first rule that is due applies. */
export class Faults {
  private readonly armed = new Set<ArmedRule>();

  constructor(private readonly random: Random) {}

  add(rule: FaultRule): () => void {
    const armed: ArmedRule = { ...rule, seen: 0, left: rule.times ?? 1 };
    this.armed.add(armed);
    return () => void this.armed.delete(armed);
  }

  clear(): void {
    this.armed.clear();
  }

  takeNext(request: RecordedRequest): Fault | undefined {
    const matching = [...this.armed].filter((rule) => matches(rule, request));
    for (const rule of matching) rule.seen++;
    const due = matching.find((rule) => isDue(rule) && this.random.nextBoolean(rule.probability ?? 1));
    if (due && --due.left <= 0) this.armed.delete(due);
    return due?.fault;
  }
}

function isDue({ when = {}, seen }: ArmedRule): boolean {
  return seen > (when.skip ?? 0) && (when.nth === undefined || seen === when.nth);
}

function matches({ when = {} }: FaultRule, { method, pattern, path }: RecordedRequest): boolean {
  if (when.method !== undefined && when.method !== method) return false;
  if (when.pattern === undefined) return true;
  if (typeof when.pattern === 'string') {
    return pattern !== '' && (pattern === when.pattern || pattern === `${method} ${when.pattern}`);
  }
  return when.pattern.test(pattern) || when.pattern.test(`${method} ${path}`);
}
