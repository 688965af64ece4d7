import { locator } from '../../shared/kit/listPicker';
import { listImports } from '../../shared/kit/listSources';
import { callOperation, outputs, type Operation, type Resource } from '../../shared/kit/operation';
import { pagedList } from '../../shared/kit/pagedList';
import { tableLocator } from '../../shared/kit/pickers';
import { limitOf, returnAllOrLimit } from '../../shared/kit/returnAll';
import { v11 } from '../../shared/model/endpoint';
import { itemIn } from '../../shared/model/envelope';
import { runImport } from './importRun';

const template = locator('Imports', 'Import', 'importId', 'The import template to work with');
const queueId = locator('ImportQueue', 'Queue Entry', 'queueId', 'The run of an import');

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
    return outputs(
      await pagedList(item.client, listImports, limitOf(item), { ...(dataTableId && { dataTableId }) }),
    );
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
      read: itemIn,
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
      read: itemIn,
    }),
    runImport(template),
  ],
};
