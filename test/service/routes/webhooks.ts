import { z } from 'zod';
import { notFound } from '../http/errors';
import { route, type Routes } from '../http/route';
import { requiredText, success, tableById } from './common';

export const webhooks = {
  'POST /api/v1/web-hooks/subscribe': route({
    json: {
      data_table_id: requiredText,
      type: z.enum(['INSERT', 'UPDATE', 'DELETE']),
      hookUrl: z.string().url('URL must be valid'),
      platform: requiredText,
    },
    handle: (call) => {
      tableById(call.json.data_table_id, call);
      const id = call.app.ids.next();
      call.app.webhooks.subscriptions.push({ id, ...call.json });
      return success({ id, msg: 'Webhook subscribed successfully' });
    },
  }),

  'GET /api/v1/web-hooks/list': route({
    query: { data_table_id: z.string().optional() },
    handle: (call) => {
      const { data_table_id } = call.query;
      if (data_table_id !== undefined) tableById(data_table_id, call);
      const { subscriptions } = call.app.webhooks;
      return success({
        [call.app.options.webhooksKey]: subscriptions.filter(
          (each) => data_table_id === undefined || each.data_table_id === data_table_id,
        ),
      });
    },
  }),

  'DELETE /api/v1/web-hooks/unsubscribe': route({
    json: { id: requiredText },
    handle: ({ json, app }) => {
      const { subscriptions } = app.webhooks;
      const index = subscriptions.findIndex(({ id }) => id === json.id);
      if (index < 0) throw notFound('Webhook');
      subscriptions.splice(index, 1);
      return success({ msg: 'Webhook unsubscribed successfully' });
    },
  }),
} satisfies Routes;
