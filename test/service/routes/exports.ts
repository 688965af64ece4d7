import { z } from 'zod';
import { defineRoute, type Routes } from '../http/route';
import type { Application } from '../state/application';
import type { ExportTemplate } from '../state/exports';
import {
  createItemSuccess,
  createListSuccess,
  createRunSuccess,
  createSuccess,
  formatTemplateTable,
  getById,
} from './common';

/** Two endpoints list the templates. */
const listTemplates = defineRoute({
  handle: ({ app }) => {
    const items = app.exports.templates.map((template) => formatTemplate(template, app));
    return createListSuccess(app, items);
  },
});

export const exportRoutes = {
  'GET /api/v1.1/{appId}/exports': listTemplates,
  'GET /api/v1.1/{appId}/exports/templates': listTemplates,

  'GET /api/v1.1/{appId}/exports/templates/{templateId}': defineRoute({
    handle: ({ app, params }) =>
      createItemSuccess(
        app,
        formatTemplate(getById(app.exports.templates, params.templateId, 'Template'), app),
      ),
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

const formatTemplate = ({ id, name, table, columns }: ExportTemplate, app: Application) => ({
  id,
  name,
  ...formatTemplateTable(app, table),
  columns,
});
