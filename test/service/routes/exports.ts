import { z } from 'zod';
import { defineRoute, type Routes } from '../http/route';
import type { ExportTemplate } from '../state/exports';
import { createItemSuccess, createListSuccess, createRunSuccess, createSuccess, getById } from './common';

/** Two endpoints list the templates. */
const listTemplates = defineRoute({
  handle: ({ app }) => {
    return createListSuccess(app, app.exports.templates.map(formatTemplate));
  },
});

export const exportRoutes = {
  'GET /api/v1.1/{appId}/exports': listTemplates,
  'GET /api/v1.1/{appId}/exports/templates': listTemplates,

  'GET /api/v1.1/{appId}/exports/templates/{templateId}': defineRoute({
    handle: ({ app, params }) =>
      createItemSuccess(app, formatTemplate(getById(app.exports.templates, params.templateId, 'Template'))),
  }),

  'POST /api/v1.1/{appId}/exports/templates/{templateId}/trigger': defineRoute({
    permission: 'allow_export',
    json: { filters: z.unknown(), columns: z.array(z.string()).optional() },
    handle: (call) => {
      const { app, params, json } = call;
      const { id } = app.exports.start(
        getById(app.exports.templates, params.templateId, 'Template'),
        json,
        call,
      );
      return createRunSuccess(app, 'Export started', id);
    },
  }),

  'GET /api/v1.1/{appId}/exports/queues': defineRoute({
    handle: ({ app }) => {
      const items = app.exports.queue.map((entry) => app.exports.describe(entry));
      return createSuccess({ items, total_items: items.length });
    },
  }),

  'GET /api/v1.1/{appId}/exports/queues/{queueId}': defineRoute({
    handle: ({ app, params }) =>
      createItemSuccess(app, app.exports.describe(getById(app.exports.queue, params.queueId, 'Queue'))),
  }),
} satisfies Routes;

function formatTemplate({ id, name, table, columns }: ExportTemplate) {
  return { id, name, dataTable: { id: table.id, name: table.name }, columns };
}
