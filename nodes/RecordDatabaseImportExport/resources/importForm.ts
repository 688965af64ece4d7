import type { CellNotation } from '../../client/files/csv';
import { InputError, formatForError } from '../../client/input/inputError';
import { parseNames } from '../../client/input/values';
import { importPlan } from '../../client/jobs/runJob';
import { readFileParts } from '../../n8n/files/binaryInput';
import { maximumWaitOption, readWaitSettings, waitOptions, waitParameter } from '../../n8n/jobs/waitForm';
import type { createLocator } from '../../n8n/lists/listPicker';
import { Item } from '../../n8n/operation/item';
import { type ItemOperation, toOutputs } from '../../n8n/operation/operation';
import { createOptions, defineParameter } from '../../n8n/parameters/parameter';

const source = defineParameter({
  displayName: 'Source',
  name: 'source',
  type: 'options',
  default: 'file',
  description: 'Where the rows come from',
  options: [
    { name: 'File', value: 'file', description: 'A file in the input, such as a CSV file' },
    { name: 'Data Source', value: 'dataSource', description: 'Text in a format that the import accepts' },
  ],
});

const binaryField = defineParameter({
  displayName: 'Input Binary Field',
  name: 'binaryPropertyName',
  type: 'string',
  default: 'data',
  required: true,
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

/** The parameters for the file or text to import. */
const importSourceParameters = [source, binaryField, dataSource];

const formFieldsOption = defineParameter({
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
  displayName: 'Data Source Field Name',
  name: 'dataSourceField',
  type: 'string',
  default: 'data_source',
  description: 'Name of the form field for the data source',
  displayOptions: { show: { '/source': ['dataSource'] } },
});

const fileFieldOption = defineParameter({
  displayName: 'File Field Name',
  name: 'fileField',
  type: 'string',
  default: 'file',
  description: 'Name of the form field for the file',
  displayOptions: { show: { '/source': ['file'] } },
});

/** The options that set the names and additional fields of the upload form. */
const importFormOptions = [formFieldsOption, dataSourceFieldOption, fileFieldOption];

/** The options for the names of the form fields of an upload that is always a file. */
const csvFormOptions = [formFieldsOption, { ...fileFieldOption, displayOptions: undefined }];

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

/** Creates a form with the additional fields. @throws InputError */
function createForm(item: Item): FormData {
  const form = new FormData();
  for (const { name, value } of item.readOption(formFieldsOption) ?? []) {
    form.append(...readFormField(name, value));
  }
  return form;
}

/** Builds the upload of a CSV file that holds items. */
export function buildCsvForm(item: Item, csv: string): FormData {
  const form = createForm(item);
  const field = item.readOption(fileFieldOption) || fileFieldOption.default;
  form.append(field, new Blob([csv], { type: 'text/csv' }), 'items.csv');
  return form;
}

/**
 * Builds the upload as a `FormData`. Unlike a stream, n8n can send it a second time after a new login. The spec does
 * not show the names of the form fields (Imports and exports), so options change them and add further fields.
 * Open point: `importParts`.
 */
async function buildImportForm(item: Item): Promise<FormData> {
  const form = createForm(item);
  if (item.read(source) === 'file') {
    const field = item.readOption(fileFieldOption) || fileFieldOption.default;
    const parts = await readFileParts(item, item.read(binaryField));
    for (const { data, fileName, mimeType } of parts) {
      form.append(field, new Blob([data as Uint8Array<ArrayBuffer>], { type: mimeType }), fileName);
    }
    if (parts.length === 0) {
      throw new InputError(
        'There is no file to import',
        'Give the name of the input binary field, usually "data".',
      );
    }
  } else {
    form.append(
      item.readOption(dataSourceFieldOption) || dataSourceFieldOption.default,
      item.read(dataSource),
    );
  }
  return form;
}

/** What the items of both import operations make. */
export const IMPORTS = { noun: 'imports', remedy: 'Look at the imports with "Get Queue".' };

export const createRunImportOperation = (template: ReturnType<typeof createLocator>): ItemOperation => ({
  name: 'run',
  displayName: 'Run',
  action: 'Run import',
  description: 'Upload a file, import its rows as records, and optionally wait until the import has ended',
  writes: true,
  makes: IMPORTS,
  parameters: [
    template,
    ...importSourceParameters,
    waitParameter,
    createOptions(...importFormOptions, ...waitOptions),
  ],
  async run(item) {
    const wait = readWaitSettings(item);
    const importId = item.read(template);
    const form = await buildImportForm(item);
    const { imports, jobs } = item.client;
    if (!wait) return toOutputs(await imports.trigger(importId, form));
    const job = await imports.start(importId, form, item.noteStart);
    return toOutputs(await jobs.wait(importPlan, wait, job));
  },
});

const columns = defineParameter({
  displayName: 'Columns',
  name: 'columns',
  type: 'string',
  default: '',
  placeholder: 'e.g. company, email, name[first_name]',
  description:
    'Keys of the items to upload, separated by commas, in the order of the columns. The import template must know them as names of columns. Parts have keys such as name[first_name], lists become a,b, and Yes or No becomes 1 or 0.',
  hint: 'Leave empty to upload all keys of the items',
});

const ifRowsFail = defineParameter({
  displayName: 'If Rows Fail',
  name: 'ifRowsFail',
  type: 'options',
  default: 'error',
  description:
    'What to do when the service refuses rows. It imports the other rows of the upload in any case.',
  options: [
    {
      name: 'Return an Error',
      value: 'error',
      description:
        'For each refused row, or for the whole upload if it is not certain which items the rows are',
    },
    { name: 'Return the Counts', value: 'return', description: 'One item for each upload' },
  ],
});

const datesOption = defineParameter({
  displayName: 'Dates with a Time Zone',
  name: 'dates',
  type: 'options',
  default: 'convert',
  options: [
    {
      name: 'Convert to 2025-03-31 08:00:00',
      value: 'convert',
      description: 'In the time zone of the workflow. Midnight in UTC becomes the date alone.',
    },
    { name: 'Upload Unchanged', value: 'unchanged' },
  ],
  description: 'What to do with text such as 2025-03-31T08:00:00.000Z, and with dates of expressions',
});

const listSeparatorOption = defineParameter({
  displayName: 'List Separator',
  name: 'listSeparator',
  type: 'string',
  default: ',',
  description: 'What separates the entries of a list in one cell',
});

const rowsPerUploadOption = defineParameter({
  displayName: 'Rows per Upload',
  name: 'rowsPerUpload',
  type: 'number',
  typeOptions: { minValue: 1 },
  default: 5000,
  description:
    'Maximum number of items in one file. An upload also ends at 8 MB. The next upload starts when the import of the one before has ended.',
});

/** The parameters of Run With Items after the import template. */
export const importItemsForm = [
  columns,
  ifRowsFail,
  createOptions(
    ...csvFormOptions,
    datesOption,
    listSeparatorOption,
    { ...maximumWaitOption, displayOptions: undefined },
    rowsPerUploadOption,
  ),
];

/** How items are imported. The values apply to all items. */
export interface ImportSettings {
  /** Names of the columns in their order; empty for all keys of the items. */
  columns: string[];
  notation: CellNotation;
  rowsPerUpload: number;
  /** Seconds to wait for the end of one upload. */
  limitSeconds: number;
  /** Whether a refused row is an error. */
  failsForRows: boolean;
}

/** Reads the form, before anything is sent. @throws InputError */
export function readImportSettings(item: Item): ImportSettings {
  const converts = item.readOption(datesOption) !== 'unchanged';
  return {
    columns: parseNames(item.read(columns)),
    notation: {
      timeZone: converts ? item.timeZone : undefined,
      listSeparator: item.readOption(listSeparatorOption) || listSeparatorOption.default,
    },
    rowsPerUpload: item.readOption(rowsPerUploadOption) ?? rowsPerUploadOption.default,
    limitSeconds: item.readOption(maximumWaitOption) ?? maximumWaitOption.default,
    failsForRows: item.read(ifRowsFail) === 'error',
  };
}
