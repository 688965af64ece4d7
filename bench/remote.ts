import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Keys, ServiceOptions } from '../test/service';

/** Where a contender finds the service. */
export interface Stand {
  baseUrl: string;
  keys: Keys;
  tableId: string;
}

/** What the service saw, counted there. */
export interface Seen {
  requests: number;
  refused: number;
  records: number;
  duplicates: number;
  /** Arrival of the first and the last request, ms. */
  firstAt: number;
  lastAt: number;
}

/** Starts one of the benchmark's own scripts as a process. */
export function child(script: string, execArgv: string[] = []): ChildProcess {
  return fork(join(__dirname, script), { execArgv: ['--import', 'tsx', ...execArgv] });
}

/** Sends one message and waits for the answer. */
export async function ask<T>(process: ChildProcess, message: object): Promise<T> {
  const answer = once(process, 'message');
  process.send(message);
  return (await answer)[0] as T;
}

export interface RemoteService extends Stand {
  seen(): Promise<Seen>;
  stop(): Promise<void>;
}

export async function startRemoteService(options: Partial<ServiceOptions>, rows = 0): Promise<RemoteService> {
  const process = child('service.ts');
  const stand = await ask<Stand>(process, { command: 'start', data: { options, rows } });
  return {
    ...stand,
    seen: () => ask<Seen>(process, { command: 'seen' }),
    stop: () => ask(process, { command: 'stop' }),
  };
}
