import { type FilterTree, hashValue, type Table } from '../records';
import type { Client, logEndpoints } from '../service';
import type { Change, PollState } from './pollState';

/** The changes that a comparison finds. */
export const SNAPSHOT_EVENTS = ['INSERT', 'UPDATE', 'DELETE', 'LEFT_FILTER', 'NOT_VISIBLE'] as const;

export type SnapshotEvent = (typeof SNAPSHOT_EVENTS)[number];

/** A log; see `logEndpoints`. */
type LogName = keyof typeof logEndpoints;

interface CommonWatch {
  /** Whether the first poll returns what exists. By default it only stores it in the state. */
  returnExisting: boolean;
  /** Seconds before the last date that are read again, because dates may arrive late. */
  overlap: number;
}

interface TableWatch extends CommonWatch {
  tableId: string;
  filter?: FilterTree;
  /** The inputs of the filter as the form has them: an expression may have another value at each poll. */
  filterInputs?: unknown;
  /** IANA name of the workflow's time zone. */
  timeZone: string;
}

/** The records of a table by a date field: by `created_at` created records, else created and updated ones. */
export interface DateWatch extends TableWatch {
  detection: 'date';
  /** Slug or field ID. */
  dateField: string;
}

/** Created, updated and deleted records of a table of up to 5,000 records. */
export interface SnapshotWatch extends TableWatch {
  detection: 'snapshot';
  events: SnapshotEvent[];
  /** Fields to compare, by slug or field ID; empty for all. */
  changedFields: string[];
}

/** The entries of a log. */
export interface LogWatch extends CommonWatch {
  detection: 'log';
  log: LogName;
}

export type Watch = DateWatch | SnapshotWatch | LogWatch;

export interface ReadInput {
  /** Undefined at the first poll of what is watched. */
  stored: PollState | undefined;
  scope: string;
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

const SCOPE_HASH_LENGTH = 16;

/**
 * Identifies the watched data by a hash of the application and of the settings that define it. If it changes, the stored
 * state is ignored, and the next poll is a first poll. By date, the filter is no part of it: the position stays valid. A
 * comparison includes the user, by the email address, because another user may see other records. A given token does not
 * show its user.
 */
export function hashScope(
  { credential: { baseUrl, appId, hasUserLogin, email } }: Pick<Client, 'credential'>,
  watch: Watch,
): string {
  const watched =
    watch.detection === 'log'
      ? [watch.log]
      : watch.detection === 'date'
        ? [watch.tableId, watch.dateField]
        : [watch.tableId, watch.filterInputs, watch.changedFields, ...(hasUserLogin ? [email] : [])];
  return hashValue([baseUrl, appId, watch.detection, watched], SCOPE_HASH_LENGTH);
}
