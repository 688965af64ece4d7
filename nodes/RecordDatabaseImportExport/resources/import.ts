/** Spec: Imports and exports. */
import { createLocator } from '../../n8n/lists/listPicker';
import { createOptionalTable } from '../../n8n/lists/tablePickers';
import {
  type Operation,
  type Resource,
  createCallOperation,
  createGetOperation,
  toOutputs,
} from '../../n8n/operation/operation';
import { readLimit, readPagedList, limitParameters } from '../../n8n/operation/returnAll';
import { addSimplifyParameter } from '../../n8n/operation/simplify';
import { defineParameter } from '../../n8n/parameters/parameter';
import { asObject, type Endpoint, importEndpoints } from '../../service';
import { importTemplateLocator, runWithFile } from './importFile';
import { runWithItems } from './importItems';

const optionalTableParameter = createOptionalTable(
  'Only the templates that import into this table',
  'Empty: all tables',
);

const getAll: Operation = {
  name: 'getAll',
  displayName: 'Get Many',
  action: 'Get many import templates',
  description: 'Get the import templates of the application, or of one table',
  parameters: [optionalTableParameter, ...limitParameters],
  async run(item) {
    const query = { dataTableId: item.read(optionalTableParameter) || undefined };
    return toOutputs(await readPagedList(item.client, importEndpoints.list, readLimit(item), query));
  },
};

const runsToGetParameter = defineParameter({
  displayName: 'Runs',
  name: 'which',
  type: 'options',
  default: 'all',
  description: 'The runs to get',
  options: [
    { name: 'All', value: 'all', description: 'The runs of all imports' },
    { name: 'One Run', value: 'oneRun' },
    {
      name: 'Progress of One Run',
      value: 'progress',
      description: 'The total, processed and failed rows of one run',
    },
  ],
});

const runLocator = createLocator('ImportRuns', 'Run', 'queueId', 'The run to work with, newest first', {
  displayOptions: { show: { which: ['oneRun', 'progress'] } },
});

const RUN_ENDPOINTS = {
  all: importEndpoints.listQueue,
  oneRun: importEndpoints.getQueueEntry,
  progress: importEndpoints.getStatus,
};

const getRuns = createCallOperation({
  name: 'getRuns',
  displayName: 'Get Runs',
  action: 'Get runs of imports',
  description: 'Get the runs of all imports, or one run and its progress',
  parameters: [runsToGetParameter, runLocator],
  endpoint: (item): Endpoint => RUN_ENDPOINTS[item.read(runsToGetParameter)],
  read: (body) => asObject(body).items ?? body,
});

export const importResource: Resource = {
  name: 'import',
  displayName: 'Import',
  operations: [
    addSimplifyParameter(runWithFile),
    runWithItems,
    getAll,
    createGetOperation({
      action: 'Get import template',
      description: 'Get the details of an import template',
      endpoint: importEndpoints.get,
      parameters: [importTemplateLocator],
    }),
    addSimplifyParameter(getRuns),
  ],
};
