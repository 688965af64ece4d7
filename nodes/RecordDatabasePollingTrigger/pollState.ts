/** What the trigger stores between polls, and the text in which it is stored. */
import { groupBy } from 'lodash';
import type { IPollFunctions } from 'n8n-workflow';
import type { RecordValues, Table } from '../records';
import { asObject, parseJson } from '../service';

/**
 * Reads the state of the trigger; undefined at a first poll. The static data of a node is lost if the node is renamed.
 * With N8N_POLLER_DURABLE_CURSORS_ENABLED, n8n does not save it after the poll at publication. So the static data of
 * the workflow, which n8n always saves, contains a copy.
 * @returns the state and its text, which is '' without a state
 */
export function readPollState(context: IPollFunctions, scope: string): { text: string; state?: PollState } {
  const [copies, key] = locateCopy(context);
  for (const text of [context.getWorkflowStaticData('node').state, copies[key]].map(String)) {
    const state = parsePollState(text, scope);
    if (state) return { text, state };
  }
  return { text: '' };
}

/** Stores the state. n8n saves it when the poll returns items, and at publication. */
export function writePollState(context: IPollFunctions, state: PollState): void {
  const text = formatPollState(state);
  // n8n saves static data after any write, even of an equal value.
  for (const [data, key] of [[context.getWorkflowStaticData('node'), 'state'], locateCopy(context)] as const)
    if (data[key] !== text) data[key] = text;
}

/** Returns the workflow's static data, and the key under which it holds the copy of the state. */
const locateCopy = (context: IPollFunctions) =>
  [context.getWorkflowStaticData('global'), `recordDatabasePollingTrigger ${context.getNode().id}`] as const;

/** `UPSERT`: created or updated; a date does not show which. `NOT_VISIBLE`: deleted, or hidden from the user. */
export type ChangeEvent = 'INSERT' | 'UPDATE' | 'UPSERT' | 'DELETE' | 'LEFT_FILTER' | 'NOT_VISIBLE' | 'ENTRY';

/** A change of a record, or a new log entry, that starts the workflow. */
export interface Change {
  event: ChangeEvent;
  /** ID of the record, or hash of the log entry. */
  key: string;
  /** The values of the record or log entry. Only the ID for a record that can no longer be read. */
  values: RecordValues;
  /** Slugs of the changed fields; null if the earlier values are unknown. Undefined for polling by date and for logs. */
  changedFields?: string[] | null;
  /** Earlier values of the watched fields, null where they are unknown. Undefined without Watched Fields. */
  before?: RecordValues;
}

export interface PollInput {
  /** The state before the poll. It is empty at the first poll. */
  state: PollState;
  /** Whether this is a first poll that only stores what exists, and returns nothing. */
  returnsNothing: boolean;
  /** The present time, in milliseconds of n8n's clock. */
  now: number;
}

/** What a poll has found, and the state for the next poll. */
export interface PollResult {
  changes: Change[];
  state: PollState;
  /** The table of the records; undefined for a log. */
  table?: Table;
}

/** Maximum bytes of `known` for polling by date, or of `records` and `values` for polling by comparison. */
export const MAX_STORED_BYTES = 220_000;

/** What the trigger stores between polls. */
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

/** Characters of a hash in `known`, 6 bits each. Two of 240 hashes are equal by chance in one of 10^10 polls. */
export const ENTRY_HASH_LENGTH = 8;

/** The state as it is stored: lists of pairs in place of maps, which JSON does not have. */
type StoredState = Omit<PollState, 'known' | 'records' | 'values'> & {
  known: Array<[date: string, hashes: string[]]>;
  records: Array<[id: string, hashes: string]>;
  values: Array<[id: string, values: RecordValues]>;
};

/** Formats the state as one text, because n8n observes and copies every entry of an object. */
export const formatPollState = ({ known, records, values, ...rest }: PollState): string =>
  JSON.stringify({
    ...rest,
    known: Object.entries(groupBy([...known.keys()], (hash) => known.get(hash))),
    records: [...records],
    values: [...values],
  } satisfies StoredState);

/** Parses the stored text. Undefined if there is none, or if its scope differs from `scope`. */
export function parsePollState(text: string, scope: string): PollState | undefined {
  const stored = parseJson(text);
  if (asObject(stored).scope !== scope) return undefined;
  const { known, records, values, ...rest } = stored as StoredState;
  const dates = known.flatMap(([date, hashes]) => hashes.map((hash) => [hash, date] as const));
  return { ...rest, known: new Map(dates), records: new Map(records), values: new Map(values) };
}
