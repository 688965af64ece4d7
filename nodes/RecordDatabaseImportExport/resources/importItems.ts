/**
 * The operation Run With Items: it checks all input items, and uploads them as CSV files one after the other.
 * `createImportItemsOperation` creates it. `importRows` uploads the files.
 */
import { createColumnForm, writeOptions } from '../../n8n/columns/columnForm';
import { maximumWaitOption } from '../../n8n/jobs/waitForm';
import type { createLocator } from '../../n8n/lists/listPicker';
import { findTemplateTable, hideUntilPicked, tableLocator } from '../../n8n/lists/tablePickers';
import type { Item, Items } from '../../n8n/operation/item';
import {
  type AllItemsOperation,
  type Failure,
  type Result,
  type RunMode,
  isFailure,
} from '../../n8n/operation/operation';
import { createOptions, defineParameter } from '../../n8n/parameters/parameter';
import type { Table } from '../../records';
import { InputError, joinFirst, mapExplanation } from '../../service';
import { IMPORTS, fileFieldOption, formFieldsOption } from './importFile';
import { type RowNotation, readImportRows } from './importRows';
import { type ImportRow, type ImportSettings, listColumns, runUpload, splitUploads } from './upload';

const importTable = {
  ...tableLocator,
  required: false,
  description:
    'The table that the template imports into. The keys and values of the items are checked by its fields.',
  hint: 'Empty: the table that the template names',
} as const;

const headings = defineParameter({
  displayName: 'Headings',
  name: 'headings',
  type: 'options',
  default: 'slugs',
  description: 'How the import template knows the columns of the file',
  options: [
    {
      name: 'Names',
      value: 'names',
      description: 'Such as Company. Parts have their slugs: name[first_name].',
    },
    { name: 'Slugs', value: 'slugs', description: 'Such as company' },
  ],
});

const choices = defineParameter({
  displayName: 'Choices',
  name: 'choices',
  type: 'options',
  default: 'values',
  description: 'How the import template knows the choices of a field. The items may have either.',
  options: [
    { name: 'Labels', value: 'labels' },
    { name: 'Values', value: 'values' },
  ],
});

/** The items are a list already, so their keys are mapped by themselves unless somebody maps each field. */
const mappingForm = createColumnForm('create', 'importId').map((parameter) =>
  parameter.type === 'resourceMapper'
    ? { ...parameter, default: { mappingMode: 'autoMapInputData', value: null } }
    : parameter,
);

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
      description: 'For all items of the upload: the service shows how many rows it refused, not which',
    },
    { name: 'Return the Counts', value: 'return', description: 'One item for each upload' },
  ],
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

/** Reads the form, before anything is sent. @throws InputError */
const readImportSettings = (item: Item): ImportSettings => ({
  rowsPerUpload: item.readOptionOrDefault(rowsPerUploadOption),
  limitSeconds: item.readOptionOrDefault(maximumWaitOption),
  failsForRows: item.read(ifRowsFail) === 'error',
});

const readRowNotation = (item: Item): RowNotation => ({
  headings: item.read(headings),
  choices: item.read(choices),
  listSeparator: item.readOption(listSeparatorOption) || listSeparatorOption.default,
});

/** Reads the table of the import. Undefined if neither the form nor the template names it. */
async function readImportTable(item: Item, importId: string): Promise<Table | undefined> {
  const id = item.read(importTable) || (await findTemplateTable(item.client, 'importId', importId));
  return id ? item.getFreshTable(id) : undefined;
}

/** Creates the error for items that cannot be imported, where the other items are not imported either. */
function createCheckError(failures: Failure[], count: number): InputError {
  const errors = failures.flatMap(({ error, itemIndexes = [] }) =>
    error instanceof InputError ? [{ error, index: itemIndexes[0] }] : [],
  );
  const texts = errors.map(({ error, index }) => `item ${index}: ${error.message}`);
  const [first] = errors;
  return new InputError(
    `${failures.length} of ${count} items cannot be imported: ${joinFirst(texts, '; ')}`,
    `All items are checked before the upload, and nothing was uploaded. Correct these items. To import the others without them, set On Error to Continue in the settings of the node. For item ${first?.index}: ${first?.error.description}`,
  );
}

/** Creates the missing connected records of the rows. A row for which this fails is left out. */
async function completeRows(rows: ImportRow[], failures: Failure[]): Promise<ImportRow[]> {
  const completed: ImportRow[] = [];
  for (const row of rows) {
    try {
      completed.push(row.complete ? { index: row.index, cells: await row.complete() } : row);
    } catch (error) {
      failures.push({ error, itemIndexes: [row.index] });
    }
  }
  return completed;
}

/** Adds to the failure of an upload what happened to the items of the other uploads. */
function withProgress(failure: Failure, uploaded: number, left: number): Failure {
  const progress = `${uploaded} items were uploaded before these, and ${left} after them were not uploaded.`;
  const error = mapExplanation(failure.error, ({ description }) => ({
    description: `${description} ${progress}`,
  }));
  return { ...failure, error };
}

/**
 * Imports the rows file after file. Without Continue On Fail, it stops after a file with a failure. Rows that an earlier
 * try uploaded, or may have uploaded, are not uploaded again.
 */
async function importRows(
  items: Items,
  importId: string,
  rows: ImportRow[],
  settings: ImportSettings,
  { continuesOnFail, tries }: RunMode,
  earlier: Result[],
): Promise<Result[]> {
  const done = new Set(earlier.flatMap(({ itemIndexes = [] }) => itemIndexes));
  const left = rows.filter(({ index }) => !done.has(index));
  const results: Result[] = [...earlier];
  let uploaded = rows.length - left.length;
  for (const upload of splitUploads(listColumns(rows), left, settings.rowsPerUpload)) {
    const item = items.get(0);
    const found = await runUpload(item, importId, settings, upload);
    const failure = continuesOnFail ? undefined : found.find(isFailure);
    const after = rows.length - uploaded - upload.rows.length;
    results.push(...found.map((one) => (one === failure ? withProgress(failure, uploaded, after) : one)));
    if (tries) tries.earlier = results;
    if (failure) return results;
    uploaded += upload.rows.length;
    item.client.notices.reportProgress(() => `${uploaded} of ${rows.length} items imported`);
  }
  return results;
}

/**
 * An import template may replace all records of its table (the spec does not show what it does), so an upload of the
 * first item alone could delete the records of all others.
 * Open point: `importEffect`.
 */
const createExecuteOnceError = () =>
  new InputError(
    'The node has the setting "Execute Once", so it receives only the first item',
    'Nothing was uploaded. Turn off "Execute Once" in the settings of the node: Run With Items uploads all items in one run. To import one item, put a Limit node before this one.',
  );

const getFirstIndex = ({ itemIndexes = [] }: Result): number => itemIndexes[0] ?? 0;

export const createImportItemsOperation = (
  template: ReturnType<typeof createLocator>,
): AllItemsOperation => ({
  name: 'runItems',
  displayName: 'Run With Items',
  action: 'Run import with items',
  description:
    'Upload all input items as CSV files, checked as Create checks them, and wait until they are imported',
  writes: true,
  makes: IMPORTS,
  parameters: [
    template,
    importTable,
    ...mappingForm,
    ...hideUntilPicked('importId', [headings, choices]),
    ifRowsFail,
    createOptions(
      ...writeOptions,
      listSeparatorOption,
      rowsPerUploadOption,
      { ...maximumWaitOption, displayOptions: undefined },
      { ...fileFieldOption, displayOptions: undefined },
      formFieldsOption,
    ),
  ],
  async runAll(items, mode) {
    if (items.isExecuteOnce) throw createExecuteOnceError();
    const item = items.get(0);
    const importId = item.read(template);
    const settings = readImportSettings(item);
    const earlier = mode.tries?.settled ?? [];
    if (!mode.continuesOnFail && earlier.some(isFailure)) return earlier;
    const table = await readImportTable(item, importId);
    const { rows, failures } = await readImportRows(items, table, readRowNotation(item));
    if (failures.length > 0 && !mode.continuesOnFail) throw createCheckError(failures, items.length);
    const completed = await completeRows(rows, failures);
    if (completed.length === 0 || (failures.length > 0 && !mode.continuesOnFail)) return failures;
    const results = await importRows(items, importId, completed, settings, mode, earlier);
    return [...failures, ...results].sort((a, b) => getFirstIndex(a) - getFirstIndex(b));
  },
});
