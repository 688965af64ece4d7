import type { INodeProperties } from 'n8n-workflow';
import { fileParts } from '../../shared/kit/binaryInput';
import type { Item } from '../../shared/kit/item';
import { outputs, type Operation } from '../../shared/kit/operation';
import { finalEntry, waitOptions, waitParameter } from '../../shared/kit/waitForCompletion';
import { unanswered, v11 } from '../../shared/model/endpoint';
import { InputError, shown } from '../../shared/model/inputError';

const trigger = unanswered(v11('POST /imports/{importId}/trigger', 'once'));
const status = v11('GET /imports/status/{queueId}');
const queueEntry = v11('GET /imports/queues/{queueId}');

const fieldsOption: INodeProperties = {
  displayName: 'Additional Form Fields',
  name: 'formFields',
  type: 'fixedCollection',
  placeholder: 'Add Field',
  default: {},
  typeOptions: { multipleValues: true },
  description: 'Further fields of the form that your import expects',
  options: [
    {
      displayName: 'Field',
      name: 'fields',
      values: [
        { displayName: 'Name', name: 'name', type: 'string', default: '' },
        { displayName: 'Value', name: 'value', type: 'string', default: '' },
      ],
    },
  ],
};

/** @throws InputError for a field without a name, or with an object for a value */
function formField(name: unknown, value: unknown): [name: string, value: string] {
  const key = String(name ?? '').trim();
  const isText = typeof value !== 'object' || value === null;
  if (key !== '' && isText) return [key, String(value ?? '')];
  throw new InputError(
    `Additional Form Fields cannot hold ${shown(isText ? name : value)}`,
    'Give each field a name, and text as its value.',
  );
}

/**
 * The upload as the platform's own form: n8n can send it again after a new login, which a stream cannot
 * be. The names of the parts are "not shown" in the spec (Imports and exports), so they can be changed.
 */
async function formOf(item: Item): Promise<FormData> {
  const form = new FormData();
  const { fields = [] } = (item.options.formFields ?? {}) as {
    fields?: Array<{ name: string; value: unknown }>;
  };
  for (const { name, value } of fields) form.append(...formField(name, value));
  if (item.value<string>('source', 'file') === 'file') {
    const field = String(item.options.fileField ?? 'file').trim() || 'file';
    const parts = await fileParts(item, item.text('binaryPropertyName'));
    for (const { data, fileName, mimeType } of parts) {
      form.append(field, new Blob([data as Uint8Array<ArrayBuffer>], { type: mimeType }), fileName);
    }
    if (parts.length === 0) {
      throw new InputError('There is no file to import', 'Name the input binary field, mostly "data".');
    }
  } else {
    const source = item.text('dataSource');
    if (source === '') {
      throw new InputError(
        'Data Source is empty: there is nothing to import',
        'Give the text that the import reads. An expression here may have found nothing.',
      );
    }
    form.append('data_source', source);
  }
  return form;
}

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
      options: [
        fieldsOption,
        {
          displayName: 'File Field Name',
          name: 'fileField',
          type: 'string',
          default: 'file',
          description: 'Name of the form field that carries the file',
        },
        ...waitOptions,
      ],
    },
  ],
  async run(item) {
    const { body } = await item.client.call(trigger, {
      path: { importId: item.id('importId') },
      body: await formOf(item),
    });
    if (!item.flag('wait')) return outputs(body);
    const plan = {
      noun: 'import',
      one: status,
      idName: 'queueId',
      others: [queueEntry],
      lookAgain: 'Get Status',
    };
    return outputs(await finalEntry(item, plan, body));
  },
});
