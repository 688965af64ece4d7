import { downloadedFile, fileOptions } from '../../shared/kit/binaryOutput';
import { locator } from '../../shared/kit/listPicker';
import { callOperation, outputs, type Operation, type Resource } from '../../shared/kit/operation';
import { v11 } from '../../shared/model/endpoint';
import { itemIn } from '../../shared/model/envelope';
import { ApiFailure } from '../../shared/transport/errors';
import { exportEntry, runExport } from './exportRun';

const template = locator(
  'ExportTemplates',
  'Export Template',
  'templateId',
  'The export template to work with',
);

const getQueueEntry: Operation = {
  name: 'getQueueEntry',
  displayName: 'Get Queue Entry',
  action: 'Get an entry of the export queue',
  description: 'Get one run of an export, and its file if wanted',
  endpoints: [exportEntry],
  parameters: [
    locator('ExportQueue', 'Queue Entry', 'queueId', 'The run of an export'),
    {
      displayName: 'Download File',
      name: 'download',
      type: 'boolean',
      default: false,
      description: 'Whether to download the exported file as binary data',
    },
    {
      displayName: 'Options',
      name: 'options',
      type: 'collection',
      placeholder: 'Add Option',
      default: {},
      displayOptions: { show: { download: [true] } },
      options: fileOptions,
    },
  ],
  async run(item) {
    const { body } = await item.client.call(exportEntry, { path: { queueId: item.id('queueId') } });
    const entry = itemIn(body) as { status?: unknown; download_url?: unknown };
    const [output] = outputs(entry);
    if (!output || !item.flag('download')) return outputs(entry);
    if (!entry.download_url) {
      throw new ApiFailure({
        message: 'The export has no file yet',
        description: `Its status is "${String(entry.status ?? 'not shown')}". Look again later, or use Run with "Wait for Completion".`,
      });
    }
    return [{ ...output, binary: await downloadedFile(item, entry.download_url) }];
  },
};

/** Spec: Imports and exports. Two addresses list the templates; both are here. */
export const exportResource: Resource = {
  name: 'export',
  displayName: 'Export',
  operations: [
    callOperation({
      name: 'getAll',
      displayName: 'Get Many',
      action: 'Get many exports',
      description: 'Get the export templates of the application, as /exports lists them',
      endpoint: v11('GET /exports'),
      items: 'items',
    }),
    callOperation({
      name: 'getAllTemplates',
      displayName: 'Get Many Templates',
      action: 'Get many export templates',
      description: 'Get the export templates of the application, as /exports/templates lists them',
      endpoint: v11('GET /exports/templates'),
      items: 'items',
    }),
    callOperation({
      name: 'getQueue',
      displayName: 'Get Queue',
      action: 'Get the export queue',
      description: 'Get the runs of all exports, with the address of their files',
      endpoint: v11('GET /exports/queues'),
      items: 'items',
    }),
    getQueueEntry,
    callOperation({
      name: 'getTemplate',
      displayName: 'Get Template',
      action: 'Get an export template',
      description: 'Get the details of an export template',
      endpoint: v11('GET /exports/templates/{templateId}'),
      parameters: [template],
      read: itemIn,
    }),
    runExport(template),
  ],
};
