import { z } from 'zod';
import { isFile } from '../http/body';
import { createValidationError } from '../http/errors';
import { type Call, defineRoute, type Routes } from '../http/route';
import type { Application } from '../state/application';
import type { ImportTemplate } from '../state/imports';
import {
  createItemSuccess,
  createListSuccess,
  createRunSuccess,
  createSuccess,
  formatTemplateTable,
  getById,
  getTableById,
  limitQuery,
  pageQuery,
} from './common';

export const imports = {
  'GET /api/v1.1/{appId}/imports': defineRoute({
    query: { page: pageQuery, limit: limitQuery, dataTableId: z.string().optional() },
    handle: (call) => {
      const { page, limit = 100, dataTableId } = call.query;
      if (dataTableId !== undefined) getTableById(dataTableId, call);
      const found = call.app.imports.templates.filter(
        ({ table }) => !dataTableId || table.id === dataTableId,
      );
      const items = found
        .slice((page - 1) * limit, page * limit)
        .map((template) => formatTemplate(template, call.app));
      return createListSuccess(call.app, items, { total_items: found.length, current_page: page, limit });
    },
  }),

  'GET /api/v1.1/{appId}/imports/{importId}': defineRoute({
    handle: ({ app, params }) =>
      createItemSuccess(app, formatTemplate(getById(app.imports.templates, params.importId, 'Import'), app)),
  }),

  'POST /api/v1.1/{appId}/imports/{importId}/trigger': defineRoute({
    permission: 'allow_import',
    open: 'form',
    handle: (call) => {
      const { app, params, user } = call;
      const chosen = getById(app.imports.templates, params.importId, 'Import');
      const { id } = app.imports.start(chosen, readSource(call), user);
      return createRunSuccess(app, 'Import started', id);
    },
  }),

  'GET /api/v1.1/{appId}/imports/queues': defineRoute({
    handle: ({ app }) =>
      createListSuccess(
        app,
        app.imports.queue.map((entry) => app.imports.describe(entry)),
      ),
  }),

  'GET /api/v1.1/{appId}/imports/queues/{queueId}': defineRoute({
    handle: ({ app, params }) => createItemSuccess(app, describeEntry(app, params.queueId)),
  }),

  'GET /api/v1.1/{appId}/imports/status/{queueId}': defineRoute({
    handle: ({ app, params }) => createSuccess({ items: [describeEntry(app, params.queueId)] }),
  }),
} satisfies Routes;

const formatTemplate = ({ id, name, table }: ImportTemplate, app: Application) => ({
  id,
  name,
  ...formatTemplateTable(app, table),
});

const describeEntry = (app: Application, queueId: string | undefined) =>
  app.imports.describe(getById(app.imports.queue, queueId, 'Queue'));

/** "File or data source" (spec: Imports and exports), in parts with the names that clients met (evidence 23). */
function readSource({ payload }: Call): Buffer {
  const listParts = (name: string) =>
    payload.entries.filter(([key]) => key === name).flatMap(([, value]) => value);
  const file = listParts('file').find(isFile);
  if (file) return file.bytes;
  const text = listParts('data_source').find((value) => typeof value === 'string');
  if (text === undefined) throw createValidationError({ file: ['This field is required'] });
  return Buffer.from(text);
}
