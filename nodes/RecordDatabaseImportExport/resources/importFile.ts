/** The operation that imports a file with a template. */
import { readBinaryField } from '../../n8n/files/binaryInput';
import { createWaitOptions, startRunAndWait, waitParameter } from '../../n8n/jobs/waitForm';
import { createLocator, MADE_IN_BUILDER_HINT } from '../../n8n/lists/listPicker';
import type { Item } from '../../n8n/operation/item';
import type { ItemOperation } from '../../n8n/operation/operation';
import { createOptions, defineParameter } from '../../n8n/parameters/parameter';
import { FormBody } from '../../service';

export const importTemplateLocator = createLocator(
  'Imports',
  'Import Template',
  'importId',
  'The import template to work with',
  { hint: MADE_IN_BUILDER_HINT },
);

const DATA_SOURCE_OPTION = {
  name: 'Data Source',
  value: 'dataSource',
  description: 'Text in a format that the import accepts',
} as const;

const sourceParameter = defineParameter({
  displayName: 'Source',
  name: 'source',
  type: 'options',
  default: 'file',
  description: 'Where the rows come from',
  options: [
    { name: 'File', value: 'file', description: 'A file in the input, such as a CSV file' },
    DATA_SOURCE_OPTION,
  ],
  inTools: { default: DATA_SOURCE_OPTION.value, options: [DATA_SOURCE_OPTION] },
});

const binaryFieldParameter = defineParameter({
  displayName: 'Input Binary Field',
  name: 'binaryPropertyName',
  type: 'string',
  default: 'data',
  required: true,
  forTools: 'never',
  hint: 'The name of the input binary field containing the file to be uploaded',
  displayOptions: { show: { source: ['file'] } },
});

const dataSourceParameter = defineParameter({
  displayName: 'Data Source',
  name: 'dataSource',
  type: 'string',
  typeOptions: { rows: 4 },
  default: '',
  required: true,
  description: 'The text to import in place of a file',
  displayOptions: { show: { source: ['dataSource'] } },
});

/**
 * Creates a body without a stream: a stream could not be sent again after a new login. Published clients of the service
 * use the names `file` and `data_source` (evidence 23).
 */
async function createUploadBody(item: Item): Promise<FormBody> {
  if (item.read(sourceParameter) === 'dataSource')
    return new FormBody([['data_source', item.read(dataSourceParameter)]]);
  return new FormBody([['file', await readBinaryField(item, item.read(binaryFieldParameter))]]);
}

export const REPEATED_IMPORT_REMEDY = { noun: 'imports', remedy: 'Look at the imports with "Get Runs".' };

export const runWithFile: ItemOperation = {
  name: 'run',
  displayName: 'Run',
  action: 'Run import',
  description: 'Upload a file, import its rows as records, and optionally wait until the import has ended',
  writes: true,
  makes: REPEATED_IMPORT_REMEDY,
  parameters: [
    importTemplateLocator,
    sourceParameter,
    binaryFieldParameter,
    dataSourceParameter,
    waitParameter,
    createOptions(
      ...createWaitOptions(
        'What to do when the run ends as failed or terminated. An import with errors in all of its rows counts as failed.',
      ),
    ),
  ],
  async run(item) {
    const id = item.read(importTemplateLocator);
    return startRunAndWait(item, { kind: 'import', id, body: await createUploadBody(item) });
  },
};
