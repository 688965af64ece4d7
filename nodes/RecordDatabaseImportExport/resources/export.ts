import type { IDataObject } from 'n8n-workflow';
import { exportEndpoints } from '../../client/endpoints/catalogue';
import { ApiError } from '../../client/errors/apiError';
import type { Table } from '../../client/fields/table';
import { DATE_FORMAT, readFormatText, toFormatText } from '../../client/input/dateTimeText';
import { InputError } from '../../client/input/inputError';
import { asObject } from '../../client/input/values';
import type { JobEntry } from '../../client/jobs/jobState';
import { createExportPlan, startRun } from '../../client/jobs/runJob';
import { downloadGeneratedFile, downloadToBinary, fileOptions } from '../../n8n/files/binaryOutput';
import { filterForm } from '../../n8n/filter/filterForm';
import { buildItemFilter, getTableForQuery, hasFilter } from '../../n8n/filter/readFilter';
import { readWaitSettings, waitOptions, waitParameter } from '../../n8n/jobs/waitForm';
import { createLocator } from '../../n8n/lists/listPicker';
import { createFieldList, tableLocator } from '../../n8n/lists/tablePickers';
import type { Item } from '../../n8n/operation/item';
import {
  type ItemOperation,
  type Resource,
  createCallOperation,
  createListOperation,
  toOutputs,
} from '../../n8n/operation/operation';
import { withSimplifiedRuns } from '../../n8n/operation/returnAll';
import { createOptions, defineParameter } from '../../n8n/parameters/parameter';

const template = createLocator(
  'ExportTemplates',
  'Export Template',
  'templateId',
  'The export template to work with',
);

const exportTable = {
  ...tableLocator,
  required: false,
  description:
    'The table that the template exports. Pick it only to filter the records or to choose columns.',
} as const;

const columnsOption = createFieldList(
  'columns',
  'Column Names or IDs',
  'Columns to export. Leave empty for the columns of the template.',
);

const runDownload = defineParameter({
  displayName: 'Download File',
  name: 'download',
  type: 'boolean',
  default: true,
  description: 'Whether to download the exported file as binary data',
  displayOptions: { show: { wait: [true] } },
});

/** The service ignores unknown fields silently, so the table is needed to check their names. @throws InputError */
async function requireTable(item: Item): Promise<Table> {
  const id = item.read(exportTable);
  if (id) return getTableForQuery(item, id);
  throw new InputError(
    'A filter or a list of columns needs the table of the export',
    'Pick the table that the template exports under "Table", so that the fields can be checked.',
  );
}

/** Builds the body with the optional `filters` and `columns` (spec: Imports and exports). */
async function buildExportBody(item: Item): Promise<IDataObject | undefined> {
  const names = item.readOptionOrDefault(columnsOption);
  const isFiltered = hasFilter(item);
  if (names.length === 0 && !isFiltered) return undefined;
  const table = await requireTable(item);
  const filters = await buildItemFilter(item, table);
  const slugs = names.map((name) => table.field(name, 'Columns').slug);
  return {
    ...(filters && { filters }),
    ...(slugs.length > 0 && { columns: slugs }),
  };
}

/** Whether a file is expected. A failed or running export has no file, unless its entry has a `download_url`. */
const hasEndedWithFile = ({ download_url, _completion }: JobEntry): boolean =>
  Boolean(download_url) || _completion === 'finished' || _completion === 'notShown';

/**
 * Names the file of an export: "Customer list 2025-03-31", after its template, or else its table, and the day. The address
 * of the file has an ID only. Undefined if the entry has neither name (spec: Export queue entry).
 */
function createFileName(item: Item, entry: unknown): string | undefined {
  const { exportTemplate, dataTable, end_date } = asObject(entry);
  const name = asObject(exportTemplate).name ?? asObject(dataTable).name;
  const ended = readFormatText(end_date, DATE_FORMAT);
  const day = ended ?? toFormatText(new Date(item.client.clock.now()), DATE_FORMAT, item.timeZone);
  return typeof name === 'string' && name !== '' ? `${name} ${day}` : undefined;
}

async function attachFile(item: Item, entry: JobEntry, queueId: string) {
  if (!entry.download_url) {
    throw new ApiError({
      details: { queueId },
      message: `The export ended without a file (status "${String(entry.status ?? 'not shown')}")`,
      description: `Check the export queue in the service. The queue ID is ${queueId}.`,
    });
  }
  const explanation = {
    message: 'The export has ended, but its file could not be downloaded',
    description: `The queue ID is ${queueId}. Download the file later with the operation "Get Queue Entry" and "Download File" turned on.`,
  };
  const name = createFileName(item, entry);
  const binary = await downloadGeneratedFile(item, entry.download_url, explanation, name);
  return toOutputs(entry).map((output) => ({ ...output, binary }));
}

/** Options that are shown when "Wait for Completion" and "Download File" are on. */
const runDownloadOptions = fileOptions.map((option) => ({
  ...option,
  displayOptions: { show: { '/wait': [true], '/download': [true] } },
}));

const run: ItemOperation = {
  name: 'run',
  displayName: 'Run',
  action: 'Run export',
  description: 'Export records to a file, and optionally wait for and download the file',
  writes: true,
  parameters: [
    template,
    waitParameter,
    runDownload,
    exportTable,
    // Not hidden until a table is picked: n8n drops what it hides, and the export would hold every record.
    ...filterForm,
    createOptions(columnsOption, ...waitOptions, ...runDownloadOptions),
  ],
  async run(item) {
    const path = { templateId: item.read(template) };
    const wait = readWaitSettings(item);
    const isDownloaded = wait && item.read(runDownload);
    const exportBody = await buildExportBody(item);
    const start = async () =>
      (await item.client.call(exportEndpoints.trigger, { path, body: exportBody })).body;
    const plan = createExportPlan(path.templateId);
    if (!wait) return toOutputs(await startRun(plan, start));
    const job = await item.client.jobs.start(plan, start, item.noteStart);
    const entry = await item.client.jobs.wait(plan, wait, job);
    return isDownloaded && hasEndedWithFile(entry) ? attachFile(item, entry, job.id) : toOutputs(entry);
  },
};

const queueId = createLocator('ExportQueue', 'Queue Entry', 'queueId', 'The run of an export');

const download = defineParameter({
  displayName: 'Download File',
  name: 'download',
  type: 'boolean',
  default: false,
  description: 'Whether to download the exported file as binary data',
});

/** Options that are shown when "Download File" is on. */
const downloadOptions = fileOptions.map((option) => ({
  ...option,
  displayOptions: { show: { '/download': [true] } },
}));

const getQueue = createListOperation({
  name: 'getQueue',
  displayName: 'Get Queue',
  action: 'Get export queue',
  description: 'Get the runs of all exports, with the URLs of their files',
  endpoint: exportEndpoints.listQueue,
});

const getQueueEntry: ItemOperation = {
  name: 'getQueueEntry',
  displayName: 'Get Queue Entry',
  action: 'Get export queue entry',
  description: 'Get one run of an export, and optionally its file',
  parameters: [queueId, download, createOptions(...downloadOptions)],
  async run(item) {
    const { body } = await item.client.call(exportEndpoints.getQueueEntry, {
      path: { queueId: item.read(queueId) },
    });
    const [output] = toOutputs(body);
    if (!output || !item.read(download)) return toOutputs(body);
    const entry = asObject(body);
    if (!entry.download_url) {
      throw new ApiError({
        message: 'The export has no file yet',
        description: `Its status is "${String(entry.status ?? 'not shown')}". Try again later, or use the operation "Run" with "Wait for Completion".`,
      });
    }
    return [
      { ...output, binary: await downloadToBinary(item, entry.download_url, createFileName(item, entry)) },
    ];
  },
};

/** Spec: Imports and exports. Two endpoints list the templates, and each has an operation. */
export const exportResource: Resource = {
  name: 'export',
  displayName: 'Export',
  operations: [
    withSimplifiedRuns(run),
    createListOperation({
      name: 'getAll',
      displayName: 'Get Many',
      action: 'Get many exports',
      description: 'Get the export templates of the application from /exports',
      endpoint: exportEndpoints.list,
    }),
    createListOperation({
      name: 'getAllTemplates',
      displayName: 'Get Many Templates',
      action: 'Get many export templates',
      description: 'Get the export templates of the application from /exports/templates',
      endpoint: exportEndpoints.listTemplates,
    }),
    withSimplifiedRuns(getQueue),
    withSimplifiedRuns(getQueueEntry),
    createCallOperation({
      name: 'getTemplate',
      displayName: 'Get Template',
      action: 'Get export template',
      description: 'Get the details of an export template',
      endpoint: exportEndpoints.getTemplate,
      parameters: [template],
    }),
  ],
};
