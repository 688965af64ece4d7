import { z } from 'zod';
import { createListSchema, findList, idSchema, textSchema } from './schemas';

/** The events of a subscription (spec: Events). The service sends no others. */
export const RECORD_EVENTS = ['INSERT', 'UPDATE', 'DELETE'] as const;
export type RecordEvent = (typeof RECORD_EVENTS)[number];

/** Spec: Webhook subscription. */
const subscriptionSchema = z
  .object({
    id: idSchema,
    data_table_id: idSchema,
    type: z.string(),
    hookUrl: z.string(),
    platform: textSchema,
  })
  .passthrough();
export type Subscription = z.infer<typeof subscriptionSchema>;

/** Spec: Webhooks. The envelope of the list is not defined. */
export const subscriptionListSchema = createListSchema('items');

/** Spec: Webhooks. The response may lack the ID; the list of subscriptions contains it. */
export const subscribedSchema = z.object({ id: idSchema.optional().catch(undefined) }).passthrough();

/**
 * Parses the subscriptions in a list response and skips other entries. Undefined if the response has no list.
 */
export function parseSubscriptions(body: unknown): Subscription[] | undefined {
  return findList(body)?.flatMap((entry) => {
    const parsed = subscriptionSchema.safeParse(entry);
    return parsed.success ? [{ ...parsed.data, type: parsed.data.type.toUpperCase() }] : [];
  });
}
