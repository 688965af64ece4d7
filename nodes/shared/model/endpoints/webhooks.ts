import { subscribedSchema, subscriptionListSchema } from '../responses/subscriptions';
import { defineV1 } from './endpoint';

/** Spec: Webhooks. */
export const webhookEndpoints = {
  subscribe: defineV1('POST /web-hooks/subscribe', { response: subscribedSchema, subject: 'table' }),
  list: defineV1('GET /web-hooks/list', { response: subscriptionListSchema, subject: 'table' }),
  unsubscribe: defineV1('DELETE /web-hooks/unsubscribe', { subject: 'webhook subscription' }),
};
