import { mapExplanation } from '../../client/errors/apiError';
import { type CellNotation, readCells } from '../../client/files/csv';
import { InputError } from '../../client/input/inputError';
import type { createLocator } from '../../n8n/lists/listPicker';
import type { Items } from '../../n8n/operation/item';
import {
  type AllItemsOperation,
  type Failure,
  type Result,
  type RunMode,
  isFailure,
} from '../../n8n/operation/operation';
import { IMPORTS, type ImportSettings, importItemsForm, readImportSettings } from './importForm';
import { type ImportRow, findColumns, runUpload, splitUploads } from './upload';

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

export const createRunItemsOperation = (template: ReturnType<typeof createLocator>): AllItemsOperation => ({
  name: 'runItems',
  displayName: 'Run With Items',
  action: 'Run import with items',
  description: 'Upload all input items as CSV files with few requests, and wait until they are imported',
  writes: true,
  makes: IMPORTS,
  parameters: [template, ...importItemsForm],
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
