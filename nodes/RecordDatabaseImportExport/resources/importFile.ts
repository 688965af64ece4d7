import { readFileParts } from '../../n8n/files/binaryInput';
import { readWaitSettings, createWaitOptions, waitParameter } from '../../n8n/jobs/waitForm';
import type { createLocator } from '../../n8n/lists/listPicker';
import type { Item } from '../../n8n/operation/item';
import { type ItemOperation, toOutputs } from '../../n8n/operation/operation';
import { createOptions, defineParameter } from '../../n8n/parameters/parameter';
import { formatForError, FormBody, type FormPart, InputError, runToEnd, startRun } from '../../service';

export const createImportFileOperation = (template: ReturnType<typeof createLocator>): ItemOperation => ({
  name: 'run',
  displayName: 'Run',
  action: 'Run import',
  description: 'Upload a file, import its rows as records, and optionally wait until the import has ended',
  writes: true,
  makes: IMPORTS,
  parameters: [
    template,
    source,
    binaryField,
    dataSource,
    waitParameter,
    createOptions(
      ...createWaitOptions(
        'What to do when the run ends as failed or terminated. An import with errors in all of its rows counts as failed.',
      ),
      fileFieldOption,
      dataSourceFieldOption,
      formFieldsOption,
    ),
  ],
  async run(item) {
    const wait = readWaitSettings(item);
    const id = item.read(template);
    const target = { kind: 'import', id, body: await createSourceForm(item) } as const;
    if (!wait) return toOutputs(await startRun(item.client, target));
    return toOutputs((await runToEnd(item.client, target, wait, item.noteStart)).entry);
  },
});

const DATA_SOURCE = {
  name: 'Data Source',
  value: 'dataSource',
  description: 'Text in a format that the import accepts',
} as const;

const source = defineParameter({
  displayName: 'Source',
  name: 'source',
  type: 'options',
  default: 'file',
  description: 'Where the rows come from',
  options: [
    { name: 'File', value: 'file', description: 'A file in the input, such as a CSV file' },
    DATA_SOURCE,
  ],
  inTools: { default: DATA_SOURCE.value, options: [DATA_SOURCE] },
});

const binaryField = defineParameter({
  displayName: 'Input Binary Field',
  name: 'binaryPropertyName',
  type: 'string',
  default: 'data',
  required: true,
  forTools: 'never',
  hint: 'The name of the input binary field containing the file to be uploaded',
  displayOptions: { show: { source: ['file'] } },
});

const dataSource = defineParameter({
  displayName: 'Data Source',
  name: 'dataSource',
  type: 'string',
  typeOptions: { rows: 4 },
  default: '',
  required: true,
  description: 'The text to import in place of a file',
  displayOptions: { show: { source: ['dataSource'] } },
});

export const formFieldsOption = defineParameter({
  displayName: 'Additional Form Fields',
  name: 'formFields',
  type: 'fixedCollection',
  placeholder: 'Add Field',
  default: {},
  typeOptions: { multipleValues: true },
  description: 'Further form fields that the import expects',
  options: [
    {
      displayName: 'Field',
      name: 'fields',
      values: [
        {
          displayName: 'Name',
          name: 'name',
          type: 'string',
          default: '',
          description: 'The name of the form field',
        },
        {
          displayName: 'Value',
          name: 'value',
          type: 'string',
          default: '',
          description: 'The text of the form field',
        },
      ],
    },
  ],
});

const dataSourceFieldOption = defineParameter({
  displayName: 'Send Data Source As',
  name: 'dataSourceField',
  type: 'string',
  default: 'data_source',
  description: 'The name of the form field that holds the data source',
  displayOptions: { show: { '/source': ['dataSource'] } },
});

export const fileFieldOption = defineParameter({
  displayName: 'Send File As',
  name: 'fileField',
  type: 'string',
  default: 'file',
  description: 'The name of the form field that holds the file',
  displayOptions: { show: { '/source': ['file'] } },
});

/** @throws InputError for a field without a name, or whose value is an object or undefined */
function readFormField(name: unknown, value: unknown): [name: string, value: string] {
  const key = String(name ?? '').trim();
  const isText = value === null || (typeof value !== 'object' && value !== undefined);
  if (key !== '' && isText) return [key, String(value ?? '')];
  throw new InputError(
    `Additional Form Fields cannot hold ${formatForError(isText ? name : value)}`,
    'Give each field a name, and text as its value. An expression may have returned nothing.',
  );
}

/** Reads Additional Form Fields. The caller adds the file. @throws InputError */
export const readFormFields = (item: Item): FormPart[] =>
  item.readOptionOrDefault(formFieldsOption).map(({ name, value }) => readFormField(name, value));

/**
 * Builds the upload: its bytes can be sent a second time after a new login, which a stream cannot.
 * The spec does not show the names of the form fields (Imports and exports), so options change them and add further
 * fields.
 * Open point: `importParts`.
 * @throws InputError if the item has no file
 */
async function createSourceForm(item: Item): Promise<FormBody> {
  const fields = readFormFields(item);
  if (item.read(source) === 'dataSource') {
    const field = item.readOption(dataSourceFieldOption) || dataSourceFieldOption.default;
    return new FormBody([...fields, [field, item.read(dataSource)]]);
  }
  const field = item.readOption(fileFieldOption) || fileFieldOption.default;
  const files = await readFileParts(item, item.read(binaryField));
  if (files.length > 0) return new FormBody([...fields, ...files.map((file): FormPart => [field, file])]);
  throw new InputError(
    'There is no file to import',
    'Give the name of the input binary field, usually "data".',
  );
}

/** What items make in both operations that import. */
export const IMPORTS = { noun: 'imports', remedy: 'Look at the imports with "Get Runs".' };
