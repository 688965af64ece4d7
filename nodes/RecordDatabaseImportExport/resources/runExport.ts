import type { IDataObject } from 'n8n-workflow';
import { exportEndpoints } from '../../client/endpoints/catalogue';
import { ApiError } from '../../client/errors/apiError';
import type { Table } from '../../client/fields/table';
import { InputError } from '../../client/input/inputError';
import type { JobEntry } from '../../client/jobs/jobState';
import { createExportPlan, startRun } from '../../client/jobs/runJob';
import { downloadGeneratedFile, fileOptions } from '../../n8n/files/binaryOutput';
import { filterForm } from '../../n8n/filter/filterForm';
import { getQueriedTable, hasFilter, readFilter } from '../../n8n/filter/readFilter';
import { readWaitSettings, waitOptions, waitParameters } from '../../n8n/jobs/waitForm';
import type { createLocator } from '../../n8n/lists/listPicker';
import { createFieldList, tableLocator } from '../../n8n/lists/tablePickers';
import type { Item } from '../../n8n/operation/item';
import { type ItemOperation, toOutputs } from '../../n8n/operation/operation';
import { createOptions, defineParameter } from '../../n8n/parameters/parameter';

const exportTable = {
  ...tableLocator,
  required: false,
  description: 'The table that the template exports. Required only for a filter or a list of columns.',
} as const;

const columns = createFieldList(
  'columns',
  'Column Names or IDs',
  'Columns to export. Leave empty for the columns of the template.',
);

const download = defineParameter({
  displayName: 'Download File',
  name: 'download',
  type: 'boolean',
  default: true,
  description: 'Whether to download the exported file as binary data',
  displayOptions: { show: { wait: [true] } },
});

/** Returns the export's table, which is needed to check field names: the service ignores unknown fields silently. */
async function requireTable(item: Item): Promise<Table> {
  const id = item.read(exportTable);
  if (id) return getQueriedTable(item, id);
  throw new InputError(
    'A filter or a list of columns needs the table of the export',
    'Pick the table that the template exports under "Table", so that the fields can be checked.',
  );
}

/** Builds the body with the optional `filters` and `columns` (spec: Imports and exports). */
async function buildExportBody(item: Item): Promise<IDataObject | undefined> {
  const names = item.read(columns);
  const isFiltered = hasFilter(item);
  if (names.length === 0 && !isFiltered) return undefined;
  const table = await requireTable(item);
  const filters = await readFilter(item, table);
  const slugs = names.map((name) => table.field(name, 'Columns').slug);
  return {
    ...(filters && { filters }),
    ...(slugs.length > 0 && { columns: slugs }),
  };
}

/** Whether a file is expected. A failed or running export has no file, unless its entry has a `download_url`. */
const hasEndedWithFile = ({ download_url, _completion }: JobEntry): boolean =>
  Boolean(download_url) || _completion === 'finished' || _completion === 'notShown';

async function attachFile(item: Item, entry: JobEntry, queueId: string) {
  if (!entry.download_url) {
    throw new ApiError({
      details: { queueId },
      message: `The export ended without a file (status "${String(entry.status ?? 'not shown')}")`,
      description: `Check the export queue in the service. The queue ID is ${queueId}.`,
    });
  }
  const binary = await downloadGeneratedFile(item, entry.download_url, {
    message: 'The export has ended, but its file could not be downloaded',
    description: `The queue ID is ${queueId}. Download the file later with the operation "Get Queue Entry" and "Download File" turned on.`,
  });
  return toOutputs(entry).map((output) => ({ ...output, binary }));
}

/** Options that are shown when "Download File" is on. */
export const downloadOptions = fileOptions.map((option) => ({
  ...option,
  displayOptions: { show: { '/download': [true] } },
}));

/** Options that are shown when "Wait for Completion" and "Download File" are on. */
const runDownloadOptions = fileOptions.map((option) => ({
  ...option,
  displayOptions: { show: { '/wait': [true], '/download': [true] } },
}));

export const createRunExportOperation = (template: ReturnType<typeof createLocator>): ItemOperation => ({
  name: 'run',
  displayName: 'Run',
  action: 'Run export',
  description: 'Export records to a file, and optionally wait for and download the file',
  writes: true,
  parameters: [
    template,
    ...waitParameters,
    download,
    exportTable,
    ...filterForm,
    columns,
    createOptions(...waitOptions, ...runDownloadOptions),
  ],
  async run(item) {
    const path = { templateId: item.read(template) };
    const wait = readWaitSettings(item);
    const isDownloaded = wait && item.read(download);
    const exportBody = await buildExportBody(item);
    const start = async () =>
      (await item.client.call(exportEndpoints.trigger, { path, body: exportBody })).body;
    const plan = createExportPlan(path.templateId);
    if (!wait) return toOutputs(await startRun(plan, start));
    const job = await item.client.jobs.start(plan, start, item.noteStart);
    const entry = await item.client.jobs.wait(plan, wait, job);
    return isDownloaded && hasEndedWithFile(entry) ? attachFile(item, entry, job.id) : toOutputs(entry);
  },
});
