import { listIn, subscriptionSchema, type Subscription } from './responses';

/** Spec: Events. No others are sent. */
export const RECORD_EVENTS = ['INSERT', 'UPDATE', 'DELETE'] as const;
export type RecordEvent = (typeof RECORD_EVENTS)[number];

/**
 * The subscriptions of a list answer, whose envelope the spec does not show; undefined where there is no
 * list in it. What does not look like a subscription is nobody's we could know, and is left out.
 */
export function subscriptionsIn(body: unknown): Subscription[] | undefined {
  return listIn(body)?.flatMap((one) => {
    const parsed = subscriptionSchema.safeParse(one);
    return parsed.success ? [{ ...parsed.data, type: parsed.data.type.toUpperCase() }] : [];
  });
}
