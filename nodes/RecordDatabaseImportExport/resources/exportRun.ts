import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { fileOptions, madeFile } from '../../shared/kit/binaryOutput';
import { filterForm } from '../../shared/kit/filterForm';
import { filterOf } from '../../shared/kit/filterInput';
import type { Item } from '../../shared/kit/item';
import { outputs, type Operation } from '../../shared/kit/operation';
import { tableLocator } from '../../shared/kit/pickers';
import { finalEntry } from '../../shared/kit/waitForCompletion';
import { waitOf, waitOptions, waitParameter } from '../../shared/kit/waitForm';
import { queueIdIn } from '../../shared/model/completion';
import { unanswered, v11 } from '../../shared/model/endpoint';
import { InputError } from '../../shared/model/inputError';
import type { Table } from '../../shared/model/table';
import { ApiFailure } from '../../shared/transport/errors';

const trigger = unanswered(v11('POST /exports/templates/{templateId}/trigger', 'once'));
export const exportEntry = v11('GET /exports/queues/{queueId}');

/** Fields can only be checked against the table; an unknown one would be dropped in silence. */
async function tableOf(item: Item): Promise<Table> {
  const id = item.id('dataTableId');
  if (id) return item.table(id);
  throw new InputError(
    'A filter or a list of columns needs the table of the export',
    'Pick the table that the template exports under "Table", so that the fields can be checked.',
  );
}

/** `filters` and `columns`, both optional (spec: Imports and exports). */
async function bodyFor(item: Item): Promise<IDataObject | undefined> {
  const names = item.names('columns');
  const isFiltered = item.value<string>('filterMode', 'none') !== 'none';
  if (names.length === 0 && !isFiltered) return undefined;
  const table = await tableOf(item);
  const filters = filterOf(item, table);
  const columns = names.map((name) => table.field(name, 'Columns').slug);
  return { ...(filters && { filters }), ...(columns.length > 0 && { columns }) } as unknown as IDataObject;
}

async function withFile(item: Item, entry: IDataObject, queueId: string) {
  const [output] = outputs(entry);
  if (!entry.download_url) {
    throw new ApiFailure({
      message: `The export ended without a file (status "${String(entry.status ?? 'not shown')}")`,
      description: `Look at the export queue in the service. Its queue ID is ${queueId}.`,
    });
  }
  const binary = await madeFile(item, entry.download_url, {
    message: 'The export has ended, but its file could not be fetched',
    description: `Its queue ID is ${queueId}: fetch the file later with "Get Queue Entry" and "Download File".`,
  });
  return [{ ...output!, binary }];
}

const downloadOptions = fileOptions.map((option) => ({
  ...option,
  displayOptions: { show: { '/download': [true] } },
}));

export const runExport = (template: INodeProperties): Operation => ({
  name: 'run',
  displayName: 'Run',
  action: 'Run an export',
  description: 'Export records to a file; wait for it and download it if wanted',
  endpoints: [trigger, exportEntry],
  parameters: [
    template,
    {
      ...tableLocator,
      required: false,
      description: 'The table that the template exports. Needed only to filter or to choose columns.',
    },
    ...filterForm,
    {
      displayName: 'Column Names or IDs',
      name: 'columns',
      type: 'multiOptions',
      default: [],
      typeOptions: { loadOptionsMethod: 'getFields', loadOptionsDependsOn: ['dataTableId.value'] },
      description:
        'Columns to export; leave empty for those of the template. Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
    },
    waitParameter,
    {
      displayName: 'Download File',
      name: 'download',
      type: 'boolean',
      default: false,
      description: 'Whether to download the exported file as binary data',
      displayOptions: { show: { wait: [true] } },
    },
    {
      displayName: 'Options',
      name: 'options',
      type: 'collection',
      placeholder: 'Add Option',
      default: {},
      displayOptions: { show: { wait: [true] } },
      options: [...waitOptions, ...downloadOptions].sort((a, b) =>
        a.displayName.localeCompare(b.displayName),
      ),
    },
  ],
  async run(item) {
    const path = { templateId: item.id('templateId') };
    const wait = waitOf(item);
    const isDownloaded = item.flag('download');
    const { body } = await item.client.call(trigger, { path, body: await bodyFor(item) });
    if (!wait) return outputs(body);
    const plan = { noun: 'export', one: exportEntry, idName: 'queueId', lookAgain: 'Get Queue Entry' };
    const entry = await finalEntry(item, plan, wait, body);
    return isDownloaded ? withFile(item, entry, String(queueIdIn(body))) : outputs(entry);
  },
});
