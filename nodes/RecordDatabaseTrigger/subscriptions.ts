import type { Subscription } from '../shared/model/responses';
import type { RecordEvent } from '../shared/model/subscription';

/** One subscription that the trigger needs. */
export interface Wanted {
  tableId: string;
  event: RecordEvent;
  hookUrl: string;
}

/** What to do so that the service's list becomes what is wanted. */
export interface Plan {
  create: Wanted[];
  keep: Subscription[];
  remove: Subscription[];
}

/** Which listed subscription does for a wanted one, beyond table and event. */
export type Fits = (listed: Subscription, wanted: Wanted) => boolean;

/** One subscription per table and event (spec: Events). */
export const wantedFor = (
  tableIds: string[],
  events: RecordEvent[],
  address: (tableId: string, event: RecordEvent) => string,
): Wanted[] =>
  tableIds.flatMap((tableId) =>
    events.map((event) => ({ tableId, event, hookUrl: address(tableId, event) })),
  );

/**
 * Compares what is wanted with the trigger's own subscriptions in the service's list. Each wanted one keeps
 * a single subscription; a second one would deliver everything twice, and any other is left over.
 */
export function planFor(wanted: Wanted[], own: Subscription[], fits: Fits): Plan {
  const kept = new Map<Wanted, Subscription>();
  for (const one of wanted) {
    const found = own.find(
      (listed) => listed.data_table_id === one.tableId && listed.type === one.event && fits(listed, one),
    );
    if (found) kept.set(one, found);
  }
  const keep = [...kept.values()];
  return {
    create: wanted.filter((one) => !kept.has(one)),
    keep,
    remove: own.filter((listed) => !keep.includes(listed)),
  };
}

export const isDone = ({ create, remove }: Plan): boolean => create.length === 0 && remove.length === 0;
