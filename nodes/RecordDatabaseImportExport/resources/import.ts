import {
  createCallOperation,
  createListOperation,
  type Operation,
  type Resource,
  toOutputs,
} from '../../shared/kit/operation/operation';
import { readPagedList } from '../../shared/kit/operation/readPagedList';
import { readLimit, returnAllOrLimit } from '../../shared/kit/operation/returnAll';
import { withSimplifiedRuns } from '../../shared/kit/operation/simplify';
import { createLocator } from '../../shared/kit/pickers/listPicker';
import { tableLocator } from '../../shared/kit/pickers/tablePickers';
import { importEndpoints } from '../../shared/model/endpoints/imports';
import { importRunOutput } from '../../shared/model/outputs/runs';
import { createRunImportOperation } from './runImport';
import { createRunItemsOperation } from './runItems/runItems';

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
  endpoints: [importEndpoints.list],
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
    action: 'Get many import runs',
    description: 'Get the runs of all imports',
    output: importRunOutput,
    endpoint: importEndpoints.listQueue,
  }),
  createCallOperation({
    name: 'getQueueEntry',
    displayName: 'Get Queue Entry',
    action: 'Get import run',
    description: 'Get one run of an import',
    output: importRunOutput,
    endpoint: importEndpoints.getQueueEntry,
    parameters: [queueId],
  }),
  createListOperation({
    name: 'getStatus',
    displayName: 'Get Status',
    action: 'Get status of import run',
    description: 'Get the progress of a run: total, processed and failed rows',
    output: importRunOutput,
    endpoint: importEndpoints.getStatus,
    parameters: [queueId],
  }),
];

/** Spec: Imports and exports. */
export const importResource: Resource = {
  name: 'import',
  displayName: 'Import',
  operations: [
    withSimplifiedRuns(createRunImportOperation(template)),
    createRunItemsOperation(template),
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
