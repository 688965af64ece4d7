import type { RecordEvent, Subscription } from '../../shared/model/responses/subscriptions';

/** One subscription that the trigger needs. */
export interface DesiredSubscription {
  tableId: string;
  event: RecordEvent;
  hookUrl: string;
}

/** The subscriptions to create, to keep and to remove. */
export interface SubscriptionDiff {
  create: DesiredSubscription[];
  keep: Subscription[];
  remove: Subscription[];
}

/** Whether a listed subscription with the same table and event matches a wanted one. */
export type SubscriptionMatcher = (listed: Subscription, wanted: DesiredSubscription) => boolean;

/** One subscription per table and event (spec: Events). */
export const buildDesiredSubscriptions = (
  tableIds: string[],
  events: RecordEvent[],
  address: (tableId: string, event: RecordEvent) => string,
): DesiredSubscription[] =>
  tableIds.flatMap((tableId) =>
    events.map((event) => ({ tableId, event, hookUrl: address(tableId, event) })),
  );

/**
 * Compares the wanted subscriptions with the trigger's own ones in the service's list. Each wanted subscription is
 * kept once, because a second one would deliver every event twice. All others are removed.
 */
export function diffSubscriptions(
  wanted: DesiredSubscription[],
  own: Subscription[],
  fits: SubscriptionMatcher,
): SubscriptionDiff {
  const kept = new Map<DesiredSubscription, Subscription>();
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

export const isEmptyDiff = ({ create, remove }: SubscriptionDiff): boolean =>
  create.length === 0 && remove.length === 0;
