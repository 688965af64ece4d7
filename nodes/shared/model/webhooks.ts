import { unanswered, v1 } from './endpoint';

/** Spec: Webhooks. Used by the trigger, and by hand to clean up. */
export const webhookEndpoints = {
  subscribe: v1('POST /web-hooks/subscribe', 'once'),
  list: v1('GET /web-hooks/list'),
  unsubscribe: unanswered(v1('DELETE /web-hooks/unsubscribe', 'idempotent')),
};
