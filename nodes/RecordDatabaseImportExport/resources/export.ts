import type { IDataObject, IDisplayOptions } from 'n8n-workflow';
import { downloadGeneratedFile, fileOptions } from '../../n8n/files/binaryOutput';
import { withFilterMode, filterForm, filterParametersOption } from '../../n8n/filter/filterForm';
import { hasFilter, readItemFilter } from '../../n8n/filter/readFilter';
import { createWaitOptions, startRunAndWait, waitParameter } from '../../n8n/jobs/waitForm';
import { createLocator, MADE_IN_BUILDER_HINT } from '../../n8n/lists/listPicker';
import {
  defineFieldList,
  createOptionalTable,
  hideUntilPicked,
  readTemplateTable,
} from '../../n8n/lists/tablePickers';
import type { Item } from '../../n8n/operation/item';
import {
  type ItemOperation,
  type Output,
  type Resource,
  createGetOperation,
  createListOperation,
  toOutputs,
} from '../../n8n/operation/operation';
import { addSimplifyParameter } from '../../n8n/operation/simplify';
import { createOptions, defineParameter, showWhen } from '../../n8n/parameters/parameter';
import { DATE_TIME_FORMAT, readDateText } from '../../records';
import { ApiError, asObject, type RunResult, exportEndpoints } from '../../service';

const exportTemplateLocator = createLocator(
  'ExportTemplates',
  'Export Template',
  'templateId',
  'The export template to work with',
  { hint: MADE_IN_BUILDER_HINT },
);

/** The table in an entry of the export queue is an object (spec: Export queue entry). Simplify returns its name. */
const SIMPLIFY_DESCRIPTION_END = ': the name in "dataTable" becomes "dataTable_name"';

const exportTableParameter = createOptionalTable(
  'The table that the template exports. The filter and the list of fields are checked by its fields.',
);

const columnsOption = defineFieldList(
  'columns',
  'Fields to Export Names or IDs',
  'Leave empty for the fields of the template.',
);

const downloadParameter = defineParameter({
  displayName: 'Download File',
  name: 'download',
  type: 'boolean',
  default: false,
  displayOptions: { show: { which: ['oneRun'] } },
  description: 'Whether to download the exported file',
});

const downloadAfterRunParameter = {
  ...downloadParameter,
  default: true,
  // A tool downloads no file by default: n8n passes no files to the language model of an agent.
  inTools: { default: false },
  displayOptions: { show: { wait: [true] } },
};

/** Creates `filters` and `columns` (spec: Imports and exports). */
async function buildExportBody(item: Item): Promise<IDataObject | undefined> {
  const names = item.readOptionOrDefault(columnsOption);
  if (names.length === 0 && !hasFilter(item)) return undefined;
  const templateId = item.read(exportTemplateLocator);
  const table = await readTemplateTable(item, 'templateId', templateId, exportTableParameter);
  const filters = await readItemFilter(item, table);
  const slugs = names.map((name) => table.requireField(name, 'Fields to Export').slug);
  return { ...(filters && { filters }), ...(slugs.length > 0 && { columns: slugs }) };
}

/** A failed or running export has no file, unless its entry has a `download_url`. */
const isFileExpected = ({ entry: { download_url, _completion } }: RunResult): boolean =>
  Boolean(download_url) || _completion === 'finished' || _completion === 'notShown';

/**
 * Returns the name of the template, or else of the table, and the day of the export (spec: Export queue entry):
 * "Customer list 2025-03-31". The URL of the file contains only an ID.
 */
function createExportFileName(entry: unknown): string | undefined {
  const { exportTemplate, dataTable, end_date } = asObject(entry);
  const name = asObject(exportTemplate).name ?? asObject(dataTable).name;
  const day = readDateText(end_date, DATE_TIME_FORMAT)?.slice(0, 'yyyy-MM-dd'.length) ?? '';
  return typeof name === 'string' && name !== '' ? `${name} ${day}` : undefined;
}

async function attachFile(item: Item, queueId: string, entry: Record<string, unknown>): Promise<Output[]> {
  const { download_url: address, status = 'not shown' } = entry;
  if (!address) {
    throw new ApiError({
      message: `The export has no file (status "${String(status)}")`,
      description: `If it has not ended, get its file later with the operation "Get Runs". The queue ID is ${queueId}.`,
      details: { queueId },
    });
  }
  const explanation = {
    message: 'The export has ended, but its file could not be downloaded',
    description: `The queue ID is ${queueId}. Download the file later with the operation "Get Runs": choose One Run, and turn on "Download File".`,
  };
  const binary = await downloadGeneratedFile(item, address, explanation, createExportFileName(entry));
  return [{ json: entry as IDataObject, binary }];
}

const createFileOptions = (show: IDisplayOptions['show']) =>
  fileOptions.map((option) => showWhen(option, { ...show, '/download': [true] }));

const runExport: ItemOperation = {
  name: 'run',
  displayName: 'Run',
  action: 'Run export',
  description: 'Export records to a file, and optionally wait for and download the file',
  writes: true,
  parameters: [
    exportTemplateLocator,
    exportTableParameter,
    // The filter is shown even if Table is empty: n8n removes the values of a hidden parameter, so the export would
    // contain every record.
    ...hideUntilPicked('templateId', withFilterMode(filterForm, { default: 'none' })),
    waitParameter,
    downloadAfterRunParameter,
    createOptions(
      columnsOption,
      filterParametersOption,
      ...createWaitOptions(),
      ...createFileOptions({ '/wait': [true] }),
    ),
  ],
  async run(item) {
    const id = item.read(exportTemplateLocator);
    const isDownloaded = item.read(downloadAfterRunParameter);
    const target = { kind: 'export', id, body: await buildExportBody(item) } as const;
    return startRunAndWait(item, target, async (ended) =>
      isDownloaded && isFileExpected(ended)
        ? attachFile(item, ended.id, ended.entry)
        : toOutputs(ended.entry),
    );
  },
};

const runsToGetParameter = defineParameter({
  displayName: 'Runs',
  name: 'which',
  type: 'options',
  default: 'all',
  description: 'The runs to get',
  options: [
    { name: 'All', value: 'all', description: 'The runs of all exports, with the addresses of their files' },
    { name: 'One Run', value: 'oneRun', description: 'One run, and optionally its file' },
  ],
});

const runLocator = createLocator('ExportRuns', 'Run', 'queueId', 'The run to work with, newest first', {
  displayOptions: { show: { which: ['oneRun'] } },
});

const runFileOptions = createFileOptions({ '/which': ['oneRun'] });

const getRuns: ItemOperation = {
  name: 'getRuns',
  displayName: 'Get Runs',
  action: 'Get runs of exports',
  description: 'Get the runs of all exports, or one run and its file',
  parameters: [runsToGetParameter, runLocator, downloadParameter, createOptions(...runFileOptions)],
  async run(item) {
    if (item.read(runsToGetParameter) === 'all')
      return toOutputs((await item.client.call(exportEndpoints.listQueue)).body.items);
    const queueId = item.read(runLocator);
    const { body } = await item.client.call(exportEndpoints.getQueueEntry, { path: { queueId } });
    return item.read(downloadParameter) ? attachFile(item, queueId, asObject(body)) : toOutputs(body);
  },
};

const whichListOption = defineParameter({
  displayName: 'List',
  name: 'list',
  type: 'options',
  default: 'templates',
  options: [
    { name: 'Export Templates', value: 'templates', description: 'The list that this node picks from' },
    { name: 'Exports', value: 'exports', description: 'The list that the service calls exports' },
  ],
  description:
    'The service has two lists of export templates, and its documentation does not say how they differ. Choose the other one if a template is missing.',
});

/** Spec: Imports and exports. */
export const exportResource: Resource = {
  name: 'export',
  displayName: 'Export',
  operations: [
    addSimplifyParameter(runExport, SIMPLIFY_DESCRIPTION_END),
    createListOperation({
      action: 'Get many export templates',
      description: 'Get the export templates of the application',
      endpoint: (item) =>
        item.readOption(whichListOption) === 'exports' ? exportEndpoints.list : exportEndpoints.listTemplates,
      parameters: [createOptions(whichListOption)],
    }),
    createGetOperation({
      action: 'Get export template',
      description: 'Get the details of an export template',
      endpoint: exportEndpoints.getTemplate,
      parameters: [exportTemplateLocator],
    }),
    addSimplifyParameter(getRuns, SIMPLIFY_DESCRIPTION_END),
  ],
};
