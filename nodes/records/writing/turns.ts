/** Orders the writes of all executions of this process. */
import { type Client, memory } from '../../service';

/** What a task writes: its kind, and the texts that identify it, such as the ID of a record. */
type WriteSubject = readonly [kind: 'record' | 'matchKey' | 'creation' | 'table', ...ids: string[]];

const writeTurns = memory.queue('writeTurns', {
  per: 'app',
  holds: 'writes of one record or match key, creates of one match key, and syncs and undos of one table',
});

/** Runs `task` after all earlier tasks with the same subject have ended, in any execution. */
export const runInTurn = <T>(client: Client, subject: WriteSubject, task: () => Promise<T>): Promise<T> =>
  writeTurns.runTask(client, subject, task);

/** The time of the last write of each `WriteSubject`, in milliseconds of the client's clock. */
const lastWriteTimes = memory.store<number, 'app'>('lastWrites', {
  per: 'app',
  holds: 'when a record was last updated, or a match key created: an older reading is repeated',
  max: 20_000,
});

/** Call this function after the write: a request that began earlier may not show the write. */
export const storeWriteTime = (client: Client, subject: WriteSubject): void =>
  lastWriteTimes.set(client, subject, client.clock.now());

export const wasWrittenSince = (client: Client, subject: WriteSubject, time: number): boolean =>
  (lastWriteTimes.get(client, subject) ?? -Infinity) >= time;
