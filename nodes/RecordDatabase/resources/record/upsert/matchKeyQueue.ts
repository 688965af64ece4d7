import type { Item } from '../../../../shared/kit/operation/item';
import type { Table } from '../../../../shared/model/records/table';
import { KeyedQueue } from '../../../../shared/transport/concurrency/keyedQueue';
import type { MatchKey } from './matchKey';

/** Runs items with the same key one after the other, across all executions of this process. */
export const matchKeyQueue = new KeyedQueue();

/** The time of the last create for each key in this process, in milliseconds of `performance.now()`. */
const lastCreates = new Map<string, number>();
/** The map drops its oldest entries first. An entry matters only to look-ups that started before its create. */
const MAX_CREATES = 10_000;

/** Returns a text that identifies a match key across all applications and tables. */
export function formatKeyName({ client }: Item, table: Table, key: MatchKey): string {
  const { baseUrl, appId } = client.credential;
  const columns = key.matches.map(({ slot }) => [slot.field.slug, slot.part?.payload]);
  return JSON.stringify([baseUrl, appId, table.id, columns, key.text]);
}

/** Records the time of a create. Call it before the request, because earlier look-ups do not contain the new record. */
export function noteCreate(name: string): void {
  lastCreates.delete(name);
  lastCreates.set(name, performance.now());
  const [oldest] = lastCreates.keys();
  if (lastCreates.size > MAX_CREATES && oldest !== undefined) lastCreates.delete(oldest);
}

export const wasCreatedSince = (name: string, time: number): boolean => (lastCreates.get(name) ?? -1) >= time;
