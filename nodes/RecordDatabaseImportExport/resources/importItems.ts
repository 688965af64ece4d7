import { mapExplanation } from '../../client/errors/apiError';
import { type CellNotation, readCells } from '../../client/files/csv';
import { InputError } from '../../client/input/inputError';
import { parseNames } from '../../client/input/values';
import { maximumWaitOption } from '../../n8n/jobs/waitForm';
import type { createLocator } from '../../n8n/lists/listPicker';
import type { Item, Items } from '../../n8n/operation/item';
import {
  type AllItemsOperation,
  type Failure,
  type Result,
  type RunMode,
  isFailure,
} from '../../n8n/operation/operation';
import { createOptions, defineParameter } from '../../n8n/parameters/parameter';
import { IMPORTS, fileFieldOption, formFieldsOption } from './importFile';
import { type ImportRow, type ImportSettings, findColumns, runUpload, splitUploads } from './upload';

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

/** Reads the form, before anything is sent. @throws InputError */
function readImportSettings(item: Item): ImportSettings {
  const converts = item.readOption(datesOption) !== 'unchanged';
  return {
    columns: parseNames(item.read(columns)),
    notation: {
      timeZone: converts ? item.timeZone : undefined,
      listSeparator: item.readOption(listSeparatorOption) || listSeparatorOption.default,
    },
    rowsPerUpload: item.readOptionOrDefault(rowsPerUploadOption),
    limitSeconds: item.readOptionOrDefault(maximumWaitOption),
    failsForRows: item.read(ifRowsFail) === 'error',
  };
}

/** Converts items to rows. An item with a value that a cell cannot hold becomes a failure. */
function readImportRows(items: Items, notation: CellNotation): { rows: ImportRow[]; failures: Failure[] } {
  const rows: ImportRow[] = [];
  const failures: Failure[] = [];
  for (const { index, input } of items) {
    try {
      rows.push({ index, cells: readCells(input.json, notation) });
    } catch (error) {
      failures.push({ error, itemIndexes: [index] });
    }
  }
  return { rows, failures };
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
  for (const upload of splitUploads(findColumns(rows, settings.columns), left, settings.rowsPerUpload)) {
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
  description: 'Upload all input items as CSV files with few requests, and wait until they are imported',
  writes: true,
  makes: IMPORTS,
  parameters: [
    template,
    columns,
    ifRowsFail,
    createOptions(
      formFieldsOption,
      { ...fileFieldOption, displayOptions: undefined },
      datesOption,
      listSeparatorOption,
      { ...maximumWaitOption, displayOptions: undefined },
      rowsPerUploadOption,
    ),
  ],
  async runAll(items, mode) {
    if (items.isExecuteOnce) throw createExecuteOnceError();
    const item = items.get(0);
    const importId = item.read(template);
    const settings = readImportSettings(item);
    const { rows, failures } = readImportRows(items, settings.notation);
    if (rows.length === 0 || (failures.length > 0 && !mode.continuesOnFail)) return failures;
    const earlier = mode.tries?.settled ?? [];
    if (!mode.continuesOnFail && earlier.some(isFailure)) return earlier;
    const results = await importRows(items, importId, rows, settings, mode, earlier);
    return [...failures, ...results].sort((a, b) => getFirstIndex(a) - getFirstIndex(b));
  },
});
