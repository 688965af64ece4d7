import { importEndpoints } from '../../client/endpoints/catalogue';
import { createLocator } from '../../n8n/lists/listPicker';
import { tableLocator } from '../../n8n/lists/tablePickers';
import {
  type Operation,
  type Resource,
  createCallOperation,
  createListOperation,
  toOutputs,
} from '../../n8n/operation/operation';
import {
  readLimit,
  readPagedList,
  returnAllOrLimit,
  withSimplifiedRuns,
} from '../../n8n/operation/returnAll';
import { createImportFileOperation } from './importFile';
import { createImportItemsOperation } from './importItems';

const template = createLocator('Imports', 'Import', 'importId', 'The import template to work with');
const queueId = createLocator('ImportQueue', 'Queue Entry', 'queueId', 'The run of an import');

const optionalTable = {
  ...tableLocator,
  required: false,
  description: 'Only imports into this table. Leave empty for all.',
} as const;

const getAll: Operation = {
  name: 'getAll',
  displayName: 'Get Many',
  action: 'Get many imports',
  description: 'Get the import templates of the application, or of one table',
  parameters: [...returnAllOrLimit, optionalTable],
  async run(item) {
    const dataTableId = item.read(optionalTable);
    return toOutputs(
      await readPagedList(item.client, importEndpoints.list, readLimit(item), {
        ...(dataTableId && { dataTableId }),
      }),
    );
  },
};

/** The operations that return runs of imports. */
const runOperations = [
  createListOperation({
    name: 'getQueue',
    displayName: 'Get Queue',
    action: 'Get import queue',
    description: 'Get the runs of all imports',
    endpoint: importEndpoints.listQueue,
  }),
  createCallOperation({
    name: 'getQueueEntry',
    displayName: 'Get Queue Entry',
    action: 'Get import queue entry',
    description: 'Get one run of an import',
    endpoint: importEndpoints.getQueueEntry,
    parameters: [queueId],
  }),
  createListOperation({
    name: 'getStatus',
    displayName: 'Get Status',
    action: 'Get status of import queue entry',
    description: 'Get the progress of a run: total, processed and failed rows',
    endpoint: importEndpoints.getStatus,
    parameters: [queueId],
  }),
];

/** Spec: Imports and exports. */
export const importResource: Resource = {
  name: 'import',
  displayName: 'Import',
  operations: [
    withSimplifiedRuns(createImportFileOperation(template)),
    createImportItemsOperation(template),
    getAll,
    createCallOperation({
      name: 'get',
      displayName: 'Get',
      action: 'Get import',
      description: 'Get the details of an import template',
      endpoint: importEndpoints.get,
      parameters: [template],
    }),
    ...runOperations.map(withSimplifiedRuns),
  ],
};
