import { z } from 'zod';
import { isFile } from '../http/body';
import { invalid } from '../http/errors';
import { route, type Call, type Routes } from '../http/route';
import type { ImportTemplate } from '../state/imports';
import { byId, limitQuery, pageQuery, success, tableById } from './common';

export const imports = {
  'GET /api/v1.1/{appId}/imports': route({
    query: { page: pageQuery, limit: limitQuery, dataTableId: z.string().optional() },
    handle: (call) => {
      const { page, limit = 100, dataTableId } = call.query;
      if (dataTableId !== undefined) tableById(dataTableId, call);
      const found = call.app.imports.templates.filter(
        ({ table }) => !dataTableId || table.id === dataTableId,
      );
      const items = found.slice((page - 1) * limit, page * limit).map(template);
      return success({ items, total_items: found.length, current_page: page, limit });
    },
  }),

  'GET /api/v1.1/{appId}/imports/{importId}': route({
    handle: ({ app, params }) =>
      success({ item: template(byId(app.imports.templates, params.importId, 'Import')) }),
  }),

  'POST /api/v1.1/{appId}/imports/{importId}/trigger': route({
    permission: 'allow_import',
    open: 'form',
    handle: (call) => {
      const { app, params, user } = call;
      const chosen = byId(app.imports.templates, params.importId, 'Import');
      const { id } = app.imports.start(chosen, source(call), user);
      return success({ msg: 'Import started', [app.options.queueIdKey]: id });
    },
  }),

  'GET /api/v1.1/{appId}/imports/queues': route({
    handle: ({ app }) => success({ items: app.imports.queue, total_items: app.imports.queue.length }),
  }),

  'GET /api/v1.1/{appId}/imports/queues/{queueId}': route({
    handle: ({ app, params }) => success({ item: byId(app.imports.queue, params.queueId, 'Queue') }),
  }),

  'GET /api/v1.1/{appId}/imports/status/{queueId}': route({
    handle: ({ app, params }) => success({ items: [byId(app.imports.queue, params.queueId, 'Queue')] }),
  }),
} satisfies Routes;

const template = ({ id, name, table }: ImportTemplate) => ({
  id,
  name,
  dataTable: { id: table.id, name: table.name },
});

/** "File or data source": the first file whatever its name, which the spec does not show. */
function source({ payload }: Call): Buffer {
  const values = payload.entries.map(([, value]) => value);
  const file = values.flat().find(isFile);
  if (file) return file.bytes;
  const text = payload.entries.find(([key]) => key === 'data_source')?.[1];
  if (typeof text !== 'string') throw invalid({ file: ['This field is required'] });
  return Buffer.from(text);
}
