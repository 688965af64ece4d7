import { z } from 'zod';
import { createNotFoundError, createValidationError } from '../http/errors';
import { defineRoute, type Routes } from '../http/route';
import { createSuccess, getTableById, requiredText } from './common';

export const webhooks = {
  'POST /api/v1/web-hooks/subscribe': defineRoute({
    json: {
      data_table_id: requiredText,
      type: z.enum(['INSERT', 'UPDATE', 'DELETE']),
      hookUrl: z.string().url('URL must be valid'),
      platform: requiredText,
    },
    handle: (call) => {
      getTableById(call.json.data_table_id, call);
      const id = call.app.ids.next();
      call.app.webhooks.add({ id, ...call.json });
      return createSuccess({ id, msg: 'Webhook subscribed successfully' });
    },
  }),

  'GET /api/v1/web-hooks/list': defineRoute({
    query: { data_table_id: z.string().optional() },
    handle: (call) => {
      const { data_table_id } = call.query;
      if (data_table_id === undefined && call.app.options.webhooksOfAllTables === 'refused') {
        throw createValidationError({ data_table_id: ['This field is required'] });
      }
      if (data_table_id !== undefined) getTableById(data_table_id, call);
      const { subscriptions } = call.app.webhooks;
      return createSuccess({
        [call.app.options.webhooksKey]: subscriptions.filter(
          (each) => data_table_id === undefined || each.data_table_id === data_table_id,
        ),
      });
    },
  }),

  'DELETE /api/v1/web-hooks/unsubscribe': defineRoute({
    json: { id: requiredText },
    handle: ({ json, app }) => {
      const { subscriptions } = app.webhooks;
      const index = subscriptions.findIndex(({ id }) => id === json.id);
      if (index < 0) throw createNotFoundError('Webhook');
      subscriptions.splice(index, 1);
      return createSuccess({ msg: 'Webhook unsubscribed successfully' });
    },
  }),
} satisfies Routes;
