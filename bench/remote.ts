/* eslint-disable @n8n/community-nodes/no-dangerous-functions, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not shipped: runs on Node */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Keys, ServiceOptions } from '../test/service';

/** The address and keys of the service for a contender. */
export interface BenchTarget {
  baseUrl: string;
  keys: Keys;
  tableId: string;
  /** A table whose events a trigger may listen to. */
  eventTableId: string;
  /** A template that imports CSV files into the table. */
  importId: string;
}

/** The requests counted by the service. */
export interface ServiceStatistics {
  requests: number;
  refused: number;
  records: number;
  duplicates: number;
  /** Number of records by their city. */
  cities: Record<string, number>;
  /** Arrival of the first and the last request, ms. */
  firstAt: number;
  lastAt: number;
}

/** The deliveries of new records in the table of events. */
export interface EventsSent {
  /** Milliseconds from each event to the answer of the trigger. */
  waits: number[];
  /** HTTP statuses of the answers. */
  statuses: number[];
}

/** Starts a script of the benchmark as a process. */
export function startScript(script: string, execArgv: string[] = []): ChildProcess {
  return fork(join(__dirname, script), { execArgv: ['--import', 'tsx', ...execArgv] });
}

/** Sends one message and waits for the answer. */
export async function request<T>(process: ChildProcess, message: object): Promise<T> {
  const answer = once(process, 'message');
  process.send(message);
  return (await answer)[0] as T;
}

export interface RemoteService extends BenchTarget {
  getStatistics(): Promise<ServiceStatistics>;
  /** Creates `count` records in the table of events, one each `everyMs` milliseconds. */
  sendEvents(count: number, everyMs: number): Promise<EventsSent>;
  stop(): Promise<void>;
}

export async function startRemoteService(options: Partial<ServiceOptions>, rows = 0): Promise<RemoteService> {
  const process = startScript('service.ts');
  const stand = await request<BenchTarget>(process, { command: 'start', data: { options, rows } });
  return {
    ...stand,
    sendEvents: (count, everyMs) =>
      request<EventsSent>(process, { command: 'sendEvents', data: { count, everyMs } }),
    getStatistics: () => request<ServiceStatistics>(process, { command: 'seen' }),
    stop: () => request(process, { command: 'stop' }),
  };
}
