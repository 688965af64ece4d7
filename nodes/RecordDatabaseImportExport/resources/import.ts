import { locator } from '../../shared/kit/listPicker';
import { callOperation, outputs, type Operation, type Resource } from '../../shared/kit/operation';
import { tableLocator } from '../../shared/kit/pickers';
import { limitOf, returnAllOrLimit } from '../../shared/kit/returnAll';
import { v11 } from '../../shared/model/endpoint';
import { itemIn } from '../../shared/model/envelope';
import { listIn } from '../../shared/model/responses';
import { readPages } from '../../shared/transport/pages';
import { runImport } from './importRun';

const template = locator('Imports', 'Import', 'importId', 'The import template to work with');
const queueId = locator('ImportQueue', 'Queue Entry', 'queueId', 'The run of an import');
const listImports = v11('GET /imports');

const getAll: Operation = {
  name: 'getAll',
  displayName: 'Get Many',
  action: 'Get many imports',
  description: 'Get the import templates of the application, or of one table',
  endpoints: [listImports],
  parameters: [
    ...returnAllOrLimit,
    { ...tableLocator, required: false, description: 'Only imports into this table. Leave empty for all.' },
  ],
  async run(item) {
    const dataTableId = item.optional('dataTableId');
    let unknown: unknown;
    const found = await readPages({
      fetch: async (page, limit) => {
        const query = { page, limit, ...(dataTableId && { dataTableId }) };
        const { body } = await item.client.call(listImports, { query });
        const total = Number((body as { total_items?: unknown }).total_items);
        const items = listIn(body, 'items');
        if (!items) unknown = body;
        return { items: items ?? [], ...(Number.isInteger(total) && { total }) };
      },
      limit: limitOf(item),
      parallel: 2,
      idOf: (one) => String((one as { id?: unknown }).id ?? JSON.stringify(one)),
    });
    // The spec does not show the answer: one without a list is handed on as it is.
    return outputs(found.length === 0 && unknown !== undefined ? unknown : found);
  },
};

/** Spec: Imports and exports. */
export const importResource: Resource = {
  name: 'import',
  displayName: 'Import',
  operations: [
    getAll,
    callOperation({
      name: 'get',
      displayName: 'Get',
      action: 'Get an import',
      description: 'Get the details of an import template',
      endpoint: v11('GET /imports/{importId}'),
      parameters: [template],
    }),
    callOperation({
      name: 'getQueue',
      displayName: 'Get Queue',
      action: 'Get the import queue',
      description: 'Get the runs of all imports',
      endpoint: v11('GET /imports/queues'),
      items: 'items',
    }),
    callOperation({
      name: 'getQueueEntry',
      displayName: 'Get Queue Entry',
      action: 'Get an entry of the import queue',
      description: 'Get one run of an import',
      endpoint: v11('GET /imports/queues/{queueId}'),
      parameters: [queueId],
      read: itemIn,
    }),
    callOperation({
      name: 'getStatus',
      displayName: 'Get Status',
      action: 'Get the status of an import run',
      description: 'Get how far a run is: rows in all, processed, and in error',
      endpoint: v11('GET /imports/status/{queueId}'),
      items: 'items',
      parameters: [queueId],
    }),
    runImport(template),
  ],
};
