/** What the trigger stores between polls, and the text in which it is stored. */
import { groupBy } from 'lodash';
import type { IPollFunctions } from 'n8n-workflow';
import type { RecordValues, Table } from '../records';
import { asObject, parseJson } from '../service';

/**
 * The static data of a node is lost if the node is renamed, and with N8N_POLLER_DURABLE_CURSORS_ENABLED, n8n does not
 * save it after the poll at publication. So the static data of the workflow, which n8n always saves, contains a copy.
 * @returns no state at a first poll
 */
export function readPollState(context: IPollFunctions, scope: string): { text: string; state?: PollState } {
  const [copies, key] = locateStateCopy(context);
  for (const text of [context.getWorkflowStaticData('node').state, copies[key]].map(String)) {
    const state = parsePollState(text, scope);
    if (state) return { text, state };
  }
  return { text: '' };
}

/** n8n saves the state when the poll returns items, and at publication. */
export function writePollState(context: IPollFunctions, state: PollState): void {
  const text = formatPollState(state);
  // Only a changed text is written: n8n saves static data after any write, even of an equal value.
  const nodeData = context.getWorkflowStaticData('node');
  for (const [data, key] of [[nodeData, 'state'], locateStateCopy(context)] as const)
    if (data[key] !== text) data[key] = text;
}

/** Returns the workflow's static data, and the key under which they hold the copy of the state. */
const locateStateCopy = (context: IPollFunctions) =>
  [context.getWorkflowStaticData('global'), `recordDatabasePollingTrigger ${context.getNode().id}`] as const;

/** `UPSERT`: created or updated; a date does not show which. `NOT_VISIBLE`: deleted, or hidden from the user. */
export type ChangeEvent = 'INSERT' | 'UPDATE' | 'UPSERT' | 'DELETE' | 'LEFT_FILTER' | 'NOT_VISIBLE' | 'ENTRY';

export interface Change {
  event: ChangeEvent;
  /** ID of the record, or hash of the log entry. */
  key: string;
  /** Only the ID for a record that can no longer be read. */
  values: RecordValues;
  /** Slugs; null if the earlier values are unknown. Undefined for polling by date and for logs. */
  changedFields?: string[] | null;
  /** Earlier values of the watched fields, null where they are unknown. Undefined without Watched Fields. */
  before?: RecordValues;
}

export interface PollInput {
  /** Empty at the first poll. */
  state: PollState;
  /** Whether this is a first poll that only stores what exists, and returns nothing. */
  returnsNothing: boolean;
  /** Milliseconds of n8n's clock. */
  now: number;
}

export interface PollResult {
  changes: Change[];
  state: PollState;
  /** Undefined for a log. */
  table?: Table;
}

/** Maximum size of `known` (polling by date), or of `records` and `values` (polling by comparison). */
export const MAX_STATE_BYTES = 220_000;

export interface PollState {
  /** Hash of the settings that define the watched data. A state with another scope is ignored. */
  scope: string;
  /** Number of polls that have returned changes. `_eventId` depends on it. */
  pollCount: number;
  /** For polling by date and for logs: all records or entries up to this date have been found; '' at the start. */
  floor: string;
  /** For polling by date and for logs: the newest date that was found; '' if there is none. */
  watermark: string;
  /** When `watermark` was found, in milliseconds of n8n's clock. */
  advancedAt: number;
  /** For polling by date and for logs: the hashes of the records or entries found after `floor`, each with its date. */
  known: Map<string, string>;
  /** For polling by comparison: the hashes of the values of each record, by record ID. */
  records: Map<string, string>;
  /** For polling by comparison: the values of the watched fields, by record ID, as many as fit in the state. */
  values: Map<string, RecordValues>;
  /** For polling by comparison: the slugs of the compared fields, in the order of their hashes. */
  slugs: string[];
}

export const createPollState = (scope: string): PollState => ({
  scope,
  pollCount: 0,
  floor: '',
  watermark: '',
  advancedAt: 0,
  known: new Map(),
  records: new Map(),
  values: new Map(),
  slugs: [],
});

/** Number of characters, each with 6 bits. Among 240 hashes, two are equal by chance in one of 10^10 polls. */
export const ENTRY_HASH_LENGTH = 8;

/** Lists of pairs replace the maps, which JSON does not have. */
type StoredPollState = Omit<PollState, 'known' | 'records' | 'values'> & {
  known: Array<[date: string, hashes: string[]]>;
  records: Array<[id: string, hashes: string]>;
  values: Array<[id: string, values: RecordValues]>;
};

/** Returns one text, because n8n observes and copies every entry of an object. */
export const formatPollState = ({ known, records, values, ...rest }: PollState): string =>
  JSON.stringify({
    ...rest,
    known: Object.entries(groupBy([...known.keys()], (hash) => known.get(hash))),
    records: [...records],
    values: [...values],
  } satisfies StoredPollState);

/** @returns undefined if there is no text, or if its scope differs from `scope` */
export function parsePollState(text: string, scope: string): PollState | undefined {
  const stored = parseJson(text);
  if (asObject(stored).scope !== scope) return undefined;
  const { known, records, values, ...rest } = stored as StoredPollState;
  const dates = known.flatMap(([date, hashes]) => hashes.map((hash) => [hash, date] as const));
  return { ...rest, known: new Map(dates), records: new Map(records), values: new Map(values) };
}
