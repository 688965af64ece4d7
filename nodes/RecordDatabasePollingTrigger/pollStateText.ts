import { parseJsonObject } from '../shared/model/input/parseJson';
import type { ChangeEvent } from './changes/change';
import type { PollState, Tracked } from './pollState';
/** Maximum length of the stored tracked records or entries, in ASCII characters. */
export const MAX_TRACKED_LENGTH = 200_000;

const EVENT_LETTERS: Record<ChangeEvent, string> = {
  INSERT: 'I',
  UPDATE: 'U',
  UPSERT: 'C',
  DELETE: 'D',
  LEFT_FILTER: 'L',
  ENTRY: 'E',
};

const EVENTS = new Map(
  Object.entries(EVENT_LETTERS).map(([event, letter]) => [letter, event as ChangeEvent]),
);

const PENDING = 'R';

function formatTracked([key, { value, mark }]: [string, Tracked]): string {
  const parts = [encodeURIComponent(key), value];
  if (mark) {
    parts.push(EVENT_LETTERS[mark.event] + mark.sequence.toString(36));
    if (mark.isPending) parts.push(PENDING);
  }
  return parts.join(' ');
}

function parseTracked(line: string): [string, Tracked] {
  const [key = '', value = '', mark, pending] = line.split(' ');
  const id = decodeURIComponent(key);
  const event = mark && EVENTS.get(mark.charAt(0));
  if (!event) return [id, { value }];
  const sequence = parseInt(mark.slice(1), 36);
  return [id, { value, mark: { event, sequence, ...(pending === PENDING && { isPending: true }) } }];
}

/** Formats tracked records or entries as one line each: key, value and mark, separated by spaces. */
export const formatTrackedLines = (tracked: Map<string, Tracked>): string =>
  [...tracked].map(formatTracked).join('\n');

/** Formats the state as text. */
export const formatPollState = ({ tracked, returnedAt, ...rest }: PollState): string =>
  JSON.stringify({ ...rest, returnedAt: [...returnedAt], tracked: formatTrackedLines(tracked) });

interface StoredState extends Omit<PollState, 'tracked' | 'returnedAt'> {
  returnedAt: Array<[number, number]>;
  tracked: string;
}

const isStoredState = (value: object | undefined): value is StoredState =>
  value !== undefined && 'scope' in value && 'tracked' in value && typeof value.tracked === 'string';

/** Parses the stored text. Undefined if there is none, or if its scope differs from `scope`. */
export function parsePollState(text: unknown, scope: string): PollState | undefined {
  const stored = typeof text === 'string' ? parseJsonObject(text) : undefined;
  if (!isStoredState(stored) || stored.scope !== scope) return undefined;
  const lines = stored.tracked === '' ? [] : stored.tracked.split('\n');
  return { ...stored, returnedAt: new Map(stored.returnedAt), tracked: new Map(lines.map(parseTracked)) };
}
