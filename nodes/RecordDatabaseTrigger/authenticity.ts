import type { Subscription } from '../shared/model/responses';
import type { RecordChange } from './delivery';
import { isSameToken, leadsToPath, tokenIn, type Hook } from './hook';

/** `unchecked`: the service is known to call without the token that it was given. */
export type Verdict = 'genuine' | 'unchecked' | 'forged';

/** A forged delivery makes the list be read, but not more often than this; after a failure a little sooner. */
const BELIEVED_MS = 60_000;
const FAILURE_BELIEVED_MS = 5_000;

interface Listed {
  until: number;
  subscriptions: Promise<Subscription[]>;
}

const lists = new Map<string, Listed>();

/** The list of a hook's table, read at most once a minute; callers at the same time share one request. */
function listed(key: string, read: () => Promise<Subscription[]>, now: number): Promise<Subscription[]> {
  const known = lists.get(key);
  if (known && now < known.until) return known.subscriptions;
  for (const [old, { until }] of lists) if (now >= until) lists.delete(old);
  const subscriptions = read();
  const entry = { until: now + BELIEVED_MS, subscriptions };
  lists.set(key, entry);
  subscriptions.catch(() => (entry.until = now + FAILURE_BELIEVED_MS));
  return subscriptions;
}

/** Forgets what was read, for when the list has just been changed. */
export function forgetLists(node: string): void {
  for (const key of lists.keys()) if (key.startsWith(`${node}\n`)) lists.delete(key);
}

export interface Arrival {
  change: RecordChange;
  /** The token that it came with. */
  token: string | undefined;
  /** Path of the request. */
  path: string;
  node: string;
  dropsToken: boolean;
  /** Whether the trigger is set to this table and event: for others nothing is looked up. */
  isWanted: boolean;
}

/**
 * Whether the service sent this delivery. Fails closed: without the right token it is forged, unless the
 * service's own list, which nobody reads or writes without the keys, shows an address of this hook with
 * just that token (the App Secret was changed since) or without any (the service drops the query string).
 */
export async function judge(
  { change, token, path, node, dropsToken, isWanted }: Arrival,
  hook: Hook,
  readList: (tableId: string) => Promise<Subscription[]>,
  now: number,
): Promise<Verdict> {
  const { tableId, event } = change;
  if (token !== undefined && hook.isToken(token, tableId, event)) return 'genuine';
  if (!isWanted) return 'forged';
  if (token === undefined && dropsToken) return 'unchecked';
  const subscriptions = await listed(`${node}\n${tableId}`, () => readList(tableId), now);
  const match = subscriptions.some(
    ({ data_table_id, type, hookUrl }) =>
      data_table_id === tableId &&
      type === event &&
      leadsToPath(hookUrl, path) &&
      isSameToken(tokenIn(hookUrl), token),
  );
  if (!match) return 'forged';
  return token === undefined ? 'unchecked' : 'genuine';
}
