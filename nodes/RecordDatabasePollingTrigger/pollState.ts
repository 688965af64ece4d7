import type { IPollFunctions } from 'n8n-workflow';
import type { RecordValues, Table } from '../records';
import { isObject, parseJson } from '../service';

/**
 * Reads the state, or its copy; undefined at the first poll of what is watched. n8n stores the static data of a node
 * under the node's name, which may change. With N8N_POLLER_DURABLE_CURSORS_ENABLED, n8n stores it in a table, but does
 * not save the changes of the poll at publication. So a copy is stored under the node's ID in the static data of the
 * workflow, which n8n saves in both cases.
 * @returns also its text; '' without a state
 */
export function readState(context: IPollFunctions, scope: string): { text: string; state?: PollState } {
  const [copies, key] = locateCopy(context);
  for (const text of [context.getWorkflowStaticData('node').state, copies[key]].map(String)) {
    const state = parsePollState(text, scope);
    if (state) return { text, state };
  }
  return { text: '' };
}

/** Stores the state. n8n saves it when the poll returns items, and at publication. */
export function writeState(context: IPollFunctions, state: PollState): void {
  const text = formatPollState(state);
  // n8n saves static data after any write, even of an equal value.
  for (const [data, key] of [[context.getWorkflowStaticData('node'), 'state'], locateCopy(context)] as const)
    if (data[key] !== text) data[key] = text;
}

/** The static data of the workflow and the key in it that hold a copy of the state. */
const locateCopy = (context: IPollFunctions) =>
  [context.getWorkflowStaticData('global'), `recordDatabasePollingTrigger ${context.getNode().id}`] as const;

/**
 * What happened. `UPSERT`: a date does not show whether a record was created or updated. `NOT_VISIBLE`: a user can no
 * longer read the record; it is deleted or hidden. `ENTRY`: a log entry was added.
 */
export type ChangeEvent = 'INSERT' | 'UPDATE' | 'UPSERT' | 'DELETE' | 'LEFT_FILTER' | 'NOT_VISIBLE' | 'ENTRY';

export interface Change {
  event: ChangeEvent;
  /** ID of the record, or hash of the log entry. */
  key: string;
  /** Values of the record or entry; only the ID of a record that can no longer be read. */
  values: RecordValues;
  /** Slugs of the changed fields; null if the earlier values are unknown. Set only by comparison. */
  changedFields?: string[] | null;
  /** Earlier values of the watched fields, null where they are unknown. Set only if the form names some. */
  before?: RecordValues;
}

/** One poll: the state before it, and its time. */
export interface Poll {
  /** At the first poll, an empty state. */
  state: PollState;
  /** Whether the first poll only stores what exists. */
  isSilent: boolean;
  /** Milliseconds of n8n's clock. */
  now: number;
}

/** What has changed since the state was stored, with the state for the next poll. */
export interface Found {
  changes: Change[];
  state: PollState;
  /** Undefined for a log. */
  table?: Table;
}

/** Maximum number of characters, all ASCII, of the stored versions or records (`formatKnown`, `formatRecords`). */
export const MAX_STORED_LENGTH = 200_000;

/** What the trigger stores between polls. */
export interface PollState {
  /** Hash of the application and the settings that define the watched data. A state with another scope is ignored. */
  scope: string;
  /** Number of polls that have returned changes: the number of the last of them. */
  pollCount: number;
  /** By date and logs: earlier polls have found all versions with a date up to this one; '' at the start. */
  floor: string;
  /** By date and logs: the newest known date; '' if there is none. */
  watermark: string;
  /** When `watermark` was found, in milliseconds of n8n's clock. */
  advancedAt: number;
  /** By date and logs: the dates of the versions after `floor`, by hash. */
  known: Map<string, string>;
  /** By comparison: the hashes of the values of each record (`byComparison.ts`), by ID. */
  records: Map<string, string>;
  /** By comparison with Watched Fields: their values (`formatValues`), by ID, as far as they fit in the state. */
  values: Map<string, string>;
  /** By comparison: slugs of the compared fields, in the order of their hashes. */
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

/** Characters of the hash of a version, 6 bits each. Two versions in one poll have the same hash once in 10^10 polls. */
export const VERSION_HASH_LENGTH = 8;

/** Formats versions as one line for each date: `20260601100000 `, and the hashes without separators. */
export function formatKnown(known: Map<string, string>): string {
  const lines = new Map<string, string>();
  for (const [hash, date] of known) {
    const head = `${date.replace(/\D/g, '')} `;
    lines.set(head, (lines.get(head) ?? '') + hash);
  }
  return [...lines].map(([head, hashes]) => head + hashes).join('\n');
}

function parseKnown(text: string): Map<string, string> {
  const known = new Map<string, string>();
  for (const line of text.split('\n')) {
    const [digits = '', hashes = ''] = line.split(' ');
    const date = digits.replace(/^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)$/, '$1-$2-$3 $4:$5:$6');
    for (let start = 0; start < hashes.length; start += VERSION_HASH_LENGTH)
      known.set(hashes.slice(start, start + VERSION_HASH_LENGTH), date);
  }
  return known;
}

/** Values are JSON in JSON in JSON, which would store each quote as four characters. An apostrophe is one. */
const swapQuotes = (text: string): string => text.replace(/["']/g, (quote) => (quote === '"' ? "'" : '"'));

/** The bytes that n8n stores for the values of a record. */
export const countStoredBytes = (values: string): number =>
  Buffer.byteLength(JSON.stringify(JSON.stringify(swapQuotes(values))));

/** Formats the compared records as one line each: ID, hashes, and the values of watched fields. */
export const formatRecords = (
  records: Map<string, string>,
  values: Map<string, string> = new Map(),
): string =>
  [...records]
    .map(([id, hashes]) => {
      const text = values.get(id);
      return [encodeURIComponent(id), hashes, ...(text ? [swapQuotes(text)] : [])].join(' ');
    })
    .join('\n');

function parseRecords(text: string): Pick<PollState, 'records' | 'values'> {
  const records = new Map<string, string>();
  const values = new Map<string, string>();
  for (const line of text === '' ? [] : text.split('\n')) {
    const [code = '', hashes = '', ...words] = line.split(' ');
    const id = decodeURIComponent(code);
    records.set(id, hashes);
    if (words.length > 0) values.set(id, swapQuotes(words.join(' ')));
  }
  return { records, values };
}

type StoredState = Omit<PollState, 'known' | 'records' | 'values'> & {
  known: string;
  records: string;
};

/** Formats the state as one text, because n8n observes and copies every entry of an object. */
export const formatPollState = ({ known, records, values, ...rest }: PollState): string =>
  JSON.stringify({
    ...rest,
    known: formatKnown(known),
    records: formatRecords(records, values),
  } satisfies StoredState);

const isStoredState = (value: unknown): value is StoredState =>
  isObject(value) && 'scope' in value && 'floor' in value && 'known' in value && 'records' in value;

/** Parses the stored text. Undefined if there is none, or if its scope differs from `scope`. */
export function parsePollState(text: string, scope: string): PollState | undefined {
  const stored = parseJson(text);
  if (!isStoredState(stored) || stored.scope !== scope) return undefined;
  return { ...stored, known: parseKnown(stored.known), ...parseRecords(stored.records) };
}
