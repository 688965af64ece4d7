/** Run With Items: imports the input items as a CSV file. */
import type { IDataObject } from 'n8n-workflow';
import { createColumnForm, valueOptions } from '../../n8n/columns/columnForm';
import { maximumWaitOption } from '../../n8n/jobs/waitForm';
import { createOptionalTable, hideUntilPicked, readTemplateTable } from '../../n8n/lists/tablePickers';
import { type Item, type Items, isRerunUnsafe } from '../../n8n/operation/item';
import {
  type AllItemsOperation,
  type Failure,
  isFailure,
  type Result,
  type RunMode,
} from '../../n8n/operation/operation';
import { runNextTry } from '../../n8n/operation/retryOnFail';
import { createOptions, defineParameter } from '../../n8n/parameters/parameter';
import {
  ApiError,
  type RunResult,
  FormBody,
  InputError,
  joinFirstTexts,
  rewordError,
  runToEnd,
} from '../../service';
import { REPEATED_IMPORT_REMEDY, importTemplateLocator } from './importFile';
import { type ImportRow, type RowNotation, readImportRows } from './importRows';

const importTableParameter = createOptionalTable(
  'The table that the template imports into. The keys and values of the items are checked by its fields.',
);

const headingsParameter = defineParameter({
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

const choicesParameter = defineParameter({
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

/** By default, the keys of the items are mapped automatically. */
const mappingForm = createColumnForm('create', 'importId').map((parameter) =>
  parameter.type === 'resourceMapper'
    ? { ...parameter, default: { mappingMode: 'autoMapInputData', value: null } }
    : parameter,
);

const listSeparatorOption = defineParameter({
  displayName: 'List Separator',
  name: 'listSeparator',
  type: 'string',
  default: ',',
  description: 'What separates the entries of a list in one cell',
});

const readRowNotation = (item: Item): RowNotation => ({
  headings: item.read(headingsParameter),
  choices: item.read(choicesParameter),
  listSeparator: item.readOption(listSeparatorOption) || listSeparatorOption.default,
});

/** A cell that matches needs quotes (RFC 4180). With quotes, a CSV parser does not trim the spaces at its ends. */
const NEEDS_QUOTES_PATTERN = /[",\r\n]|^\s|\s$/;

const formatCsvCell = (text: string): string =>
  NEEDS_QUOTES_PATTERN.test(text) ? `"${text.replaceAll('"', '""')}"` : text;

/** Returns `a,"b, c"\r\n` (RFC 4180). A single empty cell is `""`, because a CSV parser skips an empty line. */
export function formatCsvLine(cells: string[]): string {
  const line = cells.map(formatCsvCell).join(',');
  return `${line === '' ? '""' : line}\r\n`;
}

/** If one item is refused, the other items are not imported either. */
function sayNothingUploaded(failures: Failure[], count: number): Failure[] {
  const numbers = failures.flatMap(({ itemIndexes = [] }) => itemIndexes.map((index) => String(index + 1)));
  const others = `${numbers.length} of ${count} items cannot be imported: ${joinFirstTexts(numbers)}. To import the others without them, set On Error to Continue in the settings of the node.`;
  return failures.map((failure) => {
    const error = rewordError(failure.error, ({ description }) => ({
      description: `Nothing was uploaded. ${description} ${count > 1 ? others : ''}`.trim(),
    }));
    return { ...failure, error };
  });
}

async function createConnectedRecords(rows: ImportRow[], failures: Failure[]): Promise<ImportRow[]> {
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

/** Creates the error if the counts in `entry` do not show that the service imported all rows. */
function createRowCountError({ id: queueId, entry }: RunResult, count: number, columns: string[]): ApiError {
  const { status, total_rows, processed_rows, error_rows } = entry;
  return new ApiError({
    message: `The service does not show that it imported all ${count} rows: ${JSON.stringify({ status, total_rows, processed_rows, error_rows })}`,
    description: `Rows may have been imported: look at the table before you import these items again. If none was, compare the headings of the file (${joinFirstTexts(columns, ', ', 20)}) with those that the import template expects, and the choices and dates with a file that it accepts. "Headings" and "Choices" change how the file is written. The queue ID is ${queueId}.`,
    details: { queueId },
  });
}

const explainLargeUpload = (error: unknown): unknown =>
  error instanceof ApiError && error.status === 413
    ? error.copyWith({
        description: `Nothing was imported. Give the node fewer items, for example in a loop. ${error.description}`,
      })
    : error;

/**
 * Fails unless the service counts all rows as imported (spec: Import queue entry). The service may also count the line
 * with the headings. See silences.md: `importRows`.
 */
async function importRows(
  item: Item,
  importId: string,
  rows: ImportRow[],
  limitSeconds: number,
): Promise<Result> {
  const itemIndexes = rows.map(({ index }) => index);
  const columns = [...new Set(rows.flatMap(({ cells }) => [...cells.keys()]))];
  const lines = rows.map(({ cells }) => columns.map((column) => cells.get(column) ?? ''));
  const data = Buffer.from([columns, ...lines].map(formatCsvLine).join(''));
  // The counts decide whether the import failed, not the status.
  const wait = { limitSeconds, throwsOnFailure: false, throwsOnTimeout: true };
  const upload = { fileName: 'items.csv', mimeType: 'text/csv', data };
  const target = { kind: 'import', id: importId, body: new FormBody([['file', upload]]) } as const;
  try {
    const run = await runToEnd(item.client, target, wait, item.markAsStarted);
    const { processed_rows, error_rows, _completion } = run.entry;
    const isWhole = Number(processed_rows) >= rows.length && Number(error_rows) === 0;
    if (!isWhole || _completion !== 'finished') throw createRowCountError(run, rows.length, columns);
    return { json: { _imported: rows.length, ...(run.entry as IDataObject) }, itemIndexes };
  } catch (error) {
    return { error: explainLargeUpload(error), itemIndexes, isFinal: isRerunUnsafe(error, item) };
  }
}

/** If an earlier try imported rows, no row is sent again. */
async function importItems(items: Items, { continuesOnFail }: RunMode, earlier: Result[]): Promise<Result[]> {
  if (items.node.executeOnce) {
    // An import may replace all records, and so delete those of the other items. See silences.md: `importEffect`.
    throw new InputError(
      'The node has the setting "Execute Once", so it receives only the first item',
      'Nothing was uploaded. Turn off "Execute Once" in the settings of the node: Run With Items uploads all items in one run. To import one item, put a Limit node before this one.',
    );
  }
  if (!earlier.every(isFailure)) return earlier.filter(isFailure);
  const item = items.get(0);
  const importId = item.read(importTemplateLocator);
  const limitSeconds = item.readOptionOrDefault(maximumWaitOption);
  const table = await readTemplateTable(item, 'importId', importId, importTableParameter);
  const { rows, failures } = await readImportRows(items, table, readRowNotation(item));
  if (failures.length > 0 && !continuesOnFail) return sayNothingUploaded(failures, items.length);
  const completed = await createConnectedRecords(rows, failures);
  if (completed.length === 0 || (failures.length > 0 && !continuesOnFail)) return failures;
  return [await importRows(item, importId, completed, limitSeconds), ...failures];
}

export const runWithItems: AllItemsOperation = {
  name: 'runItems',
  displayName: 'Run With Items',
  action: 'Run import with items',
  description:
    'Upload all input items as a CSV file, checked as Create checks them, and wait until they are imported',
  writes: true,
  makes: REPEATED_IMPORT_REMEDY,
  parameters: [
    importTemplateLocator,
    importTableParameter,
    ...mappingForm,
    ...hideUntilPicked('importId', [headingsParameter, choicesParameter]),
    createOptions(...valueOptions, listSeparatorOption, { ...maximumWaitOption, displayOptions: undefined }),
  ],
  runAll: (items, mode) => runNextTry(mode, (earlier) => importItems(items, mode, earlier)),
};
