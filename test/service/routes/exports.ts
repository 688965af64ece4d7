import { z } from 'zod';
import { route, type Routes } from '../http/route';
import type { ExportTemplate } from '../state/exports';
import { byId, success } from './common';

/** Two addresses list the templates. */
const listTemplates = route({
  handle: ({ app }) => {
    const items = app.exports.templates.map(template);
    return success({ items, total_items: items.length });
  },
});

export const exportRoutes = {
  'GET /api/v1.1/{appId}/exports': listTemplates,
  'GET /api/v1.1/{appId}/exports/templates': listTemplates,

  'GET /api/v1.1/{appId}/exports/templates/{templateId}': route({
    handle: ({ app, params }) =>
      success({ item: template(byId(app.exports.templates, params.templateId, 'Template')) }),
  }),

  'POST /api/v1.1/{appId}/exports/templates/{templateId}/trigger': route({
    permission: 'allow_export',
    json: { filters: z.unknown(), columns: z.array(z.string()).optional() },
    handle: (call) => {
      const { app, params, json } = call;
      const { id } = app.exports.start(
        byId(app.exports.templates, params.templateId, 'Template'),
        json,
        call,
      );
      return success({ msg: 'Export started', [app.options.queueIdKey]: id });
    },
  }),

  'GET /api/v1.1/{appId}/exports/queues': route({
    handle: ({ app }) => {
      const items = app.exports.queue.map((entry) => app.exports.describe(entry));
      return success({ items, total_items: items.length });
    },
  }),

  'GET /api/v1.1/{appId}/exports/queues/{queueId}': route({
    handle: ({ app, params }) =>
      success({ item: app.exports.describe(byId(app.exports.queue, params.queueId, 'Queue')) }),
  }),
} satisfies Routes;

function template({ id, name, table, columns }: ExportTemplate) {
  return { id, name, dataTable: { id: table.id, name: table.name }, columns };
}
