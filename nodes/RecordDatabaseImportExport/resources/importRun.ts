import type { INodeProperties } from 'n8n-workflow';
import { outputs, type Operation } from '../../shared/kit/operation';
import { finalEntry } from '../../shared/kit/waitForCompletion';
import { waitOf, waitOptions, waitParameter } from '../../shared/kit/waitForm';
import { unanswered, v11 } from '../../shared/model/endpoint';
import { formOf, formOptions } from './importForm';

const trigger = unanswered(v11('POST /imports/{importId}/trigger', 'once'));
const status = v11('GET /imports/status/{queueId}');
const queueEntry = v11('GET /imports/queues/{queueId}');

export const runImport = (template: INodeProperties): Operation => ({
  name: 'run',
  displayName: 'Run',
  action: 'Run an import',
  description: 'Upload a file and import its rows as records, and wait for the end if wanted',
  endpoints: [trigger, status, queueEntry],
  parameters: [
    template,
    {
      displayName: 'Source',
      name: 'source',
      type: 'options',
      default: 'file',
      description: 'Where the rows come from',
      options: [
        { name: 'File', value: 'file', description: 'A file in the input, such as a CSV' },
        { name: 'Data Source', value: 'dataSource', description: 'Text that the import knows how to read' },
      ],
    },
    {
      displayName: 'Input Binary Field',
      name: 'binaryPropertyName',
      type: 'string',
      default: 'data',
      required: true,
      hint: 'The name of the input binary field containing the file to be uploaded',
      displayOptions: { show: { source: ['file'] } },
    },
    {
      displayName: 'Data Source',
      name: 'dataSource',
      type: 'string',
      typeOptions: { rows: 4 },
      default: '',
      required: true,
      description: 'What to import in place of a file',
      displayOptions: { show: { source: ['dataSource'] } },
    },
    waitParameter,
    {
      displayName: 'Options',
      name: 'options',
      type: 'collection',
      placeholder: 'Add Option',
      default: {},
      options: [...formOptions, ...waitOptions],
    },
  ],
  async run(item) {
    const wait = waitOf(item);
    const { body } = await item.client.call(trigger, {
      path: { importId: item.id('importId') },
      body: await formOf(item),
    });
    if (!wait) return outputs(body);
    const plan = {
      noun: 'import',
      one: status,
      idName: 'queueId',
      others: [queueEntry],
      lookAgain: 'Get Status',
    };
    return outputs(await finalEntry(item, plan, wait, body));
  },
});
