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
  /** A template that imports CSV files into the table. */
  importId: string;
}

/** The requests counted by the service. */
export interface ServiceStatistics {
  requests: number;
  refused: number;
  records: number;
  duplicates: number;
  /** Arrival of the first and the last request, ms. */
  firstAt: number;
  lastAt: number;
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
  stop(): Promise<void>;
}

export async function startRemoteService(options: Partial<ServiceOptions>, rows = 0): Promise<RemoteService> {
  const process = startScript('service.ts');
  const stand = await request<BenchTarget>(process, { command: 'start', data: { options, rows } });
  return {
    ...stand,
    getStatistics: () => request<ServiceStatistics>(process, { command: 'seen' }),
    stop: () => request(process, { command: 'stop' }),
  };
}
