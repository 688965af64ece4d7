import { exportEndpoints } from '../../client/endpoints/catalogue';
import { ApiError } from '../../client/errors/apiError';
import { asObject } from '../../client/input/values';
import { downloadToBinary } from '../../n8n/files/binaryOutput';
import { createLocator } from '../../n8n/lists/listPicker';
import {
  type ItemOperation,
  type Resource,
  createCallOperation,
  createListOperation,
  toOutputs,
} from '../../n8n/operation/operation';
import { withSimplifiedRuns } from '../../n8n/operation/returnAll';
import { createOptions, defineParameter } from '../../n8n/parameters/parameter';
import { createRunExportOperation, downloadOptions } from './runExport';

const template = createLocator(
  'ExportTemplates',
  'Export Template',
  'templateId',
  'The export template to work with',
);

const queueId = createLocator('ExportQueue', 'Queue Entry', 'queueId', 'The run of an export');

const download = defineParameter({
  displayName: 'Download File',
  name: 'download',
  type: 'boolean',
  default: false,
  description: 'Whether to download the exported file as binary data',
});

const getQueue = createListOperation({
  name: 'getQueue',
  displayName: 'Get Queue',
  action: 'Get export queue',
  description: 'Get the runs of all exports, with the URLs of their files',
  endpoint: exportEndpoints.listQueue,
});

const getQueueEntry: ItemOperation = {
  name: 'getQueueEntry',
  displayName: 'Get Queue Entry',
  action: 'Get export queue entry',
  description: 'Get one run of an export, and optionally its file',
  parameters: [queueId, download, createOptions(...downloadOptions)],
  async run(item) {
    const { body } = await item.client.call(exportEndpoints.getQueueEntry, {
      path: { queueId: item.read(queueId) },
    });
    const [output] = toOutputs(body);
    if (!output || !item.read(download)) return toOutputs(body);
    const entry = asObject(body);
    if (!entry.download_url) {
      throw new ApiError({
        message: 'The export has no file yet',
        description: `Its status is "${String(entry.status ?? 'not shown')}". Try again later, or use the operation "Run" with "Wait for Completion".`,
      });
    }
    return [{ ...output, binary: await downloadToBinary(item, entry.download_url) }];
  },
};

/** Spec: Imports and exports. Two endpoints list the templates, and each has an operation. */
export const exportResource: Resource = {
  name: 'export',
  displayName: 'Export',
  operations: [
    withSimplifiedRuns(createRunExportOperation(template)),
    createListOperation({
      name: 'getAll',
      displayName: 'Get Many',
      action: 'Get many exports',
      description: 'Get the export templates of the application from /exports',
      endpoint: exportEndpoints.list,
    }),
    createListOperation({
      name: 'getAllTemplates',
      displayName: 'Get Many Templates',
      action: 'Get many export templates',
      description: 'Get the export templates of the application from /exports/templates',
      endpoint: exportEndpoints.listTemplates,
    }),
    withSimplifiedRuns(getQueue),
    withSimplifiedRuns(getQueueEntry),
    createCallOperation({
      name: 'getTemplate',
      displayName: 'Get Template',
      action: 'Get export template',
      description: 'Get the details of an export template',
      endpoint: exportEndpoints.getTemplate,
      parameters: [template],
    }),
  ],
};
