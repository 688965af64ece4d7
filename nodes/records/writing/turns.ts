/**
 * Orders the writes of all executions of this process. `takeTurn` runs the writes of one record, key, name or table one after
 * the other, and `wasWrittenSince` returns whether a reading is older than the last write of its subject.
 */
import { type Client, memory } from '../../service';

/** What is written, and the texts that identify it, such as the hash of a match key or the name of a missing record. */
type WriteSubject = readonly [kind: 'record' | 'matchKey' | 'missingRecord' | 'table', ...ids: string[]];

const turns = memory.queue('turns', {
  per: 'app',
  holds: 'writes of one record, match key or missing connected record, and syncs and undos of one table',
});

/** Runs `task` after all earlier tasks of the subject have ended, whichever execution they belong to. */
export const takeTurn = <T>(client: Client, subject: WriteSubject, task: () => Promise<T>): Promise<T> =>
  turns.run(client, subject, task);

/** The time of the last write, in milliseconds of the client's clock. */
const lastWrites = memory.store<number, 'app'>('lastWrites', {
  per: 'app',
  holds: 'when a record was last updated, or a match key created: an older reading is repeated',
  max: 20_000,
});

/** Stores the time of a write. Call it when the write has ended: a reading that was requested before may not show it. */
export const noteWrite = (client: Client, subject: WriteSubject): void =>
  lastWrites.set(client, subject, client.clock.now());

/** Whether the subject was written after `time`, in any execution and as any user. */
export const wasWrittenSince = (client: Client, subject: WriteSubject, time: number): boolean =>
  (lastWrites.get(client, subject) ?? -Infinity) >= time;
