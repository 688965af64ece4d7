/** The options of the operations that read records: which fields are returned, and which files are downloaded. */
import type { IBinaryData, IDataObject } from 'n8n-workflow';
import { listChosenConnections } from '../../../n8n/columns/connectedFields';
import { maximumSizeOption, storeDownload } from '../../../n8n/files/binaryOutput';
import { ALL_FILE_FIELDS, createFieldList, tableLocator } from '../../../n8n/lists/tablePickers';
import type { Item } from '../../../n8n/operation/item';
import type { Output, Result, RunMode } from '../../../n8n/operation/operation';
import { type ParameterDefinition, defineLoadedList, loadBy } from '../../../n8n/parameters/parameter';
import { type Field, getKind, getRawValue, type Table } from '../../../records';
import { ApiError, asThrown, type Client, InputError, listFiles, memory, Semaphore } from '../../../service';

const downloadFilesOption = defineLoadedList({
  displayName: 'Download Files Names or IDs',
  name: 'downloadFiles',
  // n8n passes no files to a model.
  forTools: 'never',
  typeOptions: loadBy('getFileFields', 'dataTableId.value'),
  description:
    'File fields whose files are downloaded. A file becomes a binary field with the slug of its field, further files become slug_2 and so on.',
});

/** The chosen File fields; none without the option. @throws InputError for a field of another kind */
async function readFileFields(item: Item): Promise<Field[]> {
  const names = item.readOptionOrDefault(downloadFilesOption);
  if (names.length === 0) return [];
  const table = await item.getTable(item.read(tableLocator));
  if (names.includes(ALL_FILE_FIELDS)) return table.fields.filter((field) => getKind(field).holdsFiles);
  return names.map((name) => {
    const field = table.field(name, 'Download Files');
    if (getKind(field).holdsFiles) return field;
    throw new InputError(
      `Download Files: "${field.name}" is not a File field`,
      `Its type is ${field.type}. Choose File fields, or "All File Fields". Nothing was sent.`,
    );
  });
}

/** Shows an option only when files are downloaded. */
const maximumSize = {
  ...maximumSizeOption,
  displayOptions: { show: { downloadFiles: [{ _cnd: { exists: true } }] } },
} satisfies ParameterDefinition;

export const columnsOption = createFieldList(
  'columns',
  'Fields to Return Names or IDs',
  'The other fields are left out. Leave empty for all.',
);

/** Options that choose the returned columns. Every operation that reads records has them. */
export const columnOptions = [columnsOption, downloadFilesOption, maximumSize];

/** Returns `columns` of a request. @throws InputError for a column that the table does not have */
export async function readColumnQuery(item: Item): Promise<{ columns?: string }> {
  const chosen = item.readOptionOrDefault(columnsOption);
  const fileSlugs = (await readFileFields(item)).map(({ slug }) => slug);
  // A file is downloaded from the address in its column, so that column is returned too.
  const getOwnTable = () => item.getTable(item.read(tableLocator));
  const connections = await listChosenConnections(item, getOwnTable);
  if (chosen.length === 0) return {};
  const table = await getOwnTable();
  const slugs = [...new Set([...chosen, ...fileSlugs, ...connections])].map(
    (name) => table.field(name, 'Fields to Return').slug,
  );
  // A service may return only the named columns. Paging identifies records by ID, so `id` is always named.
  return { columns: ['id', ...slugs].join(',') };
}

interface RecordFile {
  /** Name of the binary field. */
  name: string;
  field: Field;
  address: string;
  fileName: string;
}

/**
 * Lists the files of a record with the names of their binary fields: the slug of the column, then `slug_2` and so on.
 * Numbered names that equal the slug of another chosen column are skipped.
 */
export function listRecordFiles(fields: Field[], readField: (field: Field) => unknown): RecordFile[] {
  const taken = new Set(fields.map(({ slug }) => slug));
  const createNumberedName = (slug: string): string => {
    let number = 2;
    while (taken.has(`${slug}_${number}`)) number++;
    taken.add(`${slug}_${number}`);
    return `${slug}_${number}`;
  };
  return fields.flatMap((field) =>
    listFiles(readField(field)).map((file, index) => ({
      ...file,
      name: index === 0 ? field.slug : createNumberedName(field.slug),
      field,
    })),
  );
}

/** Adds the record, the column and the file to an error. The query of the address may hold a signature and is left out. */
function addFileToError(error: unknown, recordId: string, { field, fileName }: RecordFile): unknown {
  if (!(error instanceof ApiError)) return error;
  return error.explain({
    message: `Record ${recordId}, "${field.name}", file ${fileName}: ${error.message}`,
    details: { recordId, field: field.slug },
  });
}

/** Limits how many files an execution downloads at once. Downloads do not count towards the rate limit. */
const getDownloadSlots = memory.attached(
  'downloadSlots',
  { to: 'client', holds: 'how many downloads of an execution run at once' },
  (client: Client) => new Semaphore(client.concurrency),
);

/** Downloads the files of the records of one item. After a failure it starts nothing more, unless On Error continues. */
class FileDownload {
  private isStopped = false;
  private doneCount = 0;

  constructor(
    private readonly item: Item,
    private readonly table: Table,
    private readonly fields: Field[],
    private readonly mode: RunMode,
  ) {}

  async attachTo(output: Output, record: IDataObject): Promise<Result> {
    const files = listRecordFiles(this.fields, (field) => getRawValue(record, { table: this.table, field }));
    const stored: Array<[name: string, data: IBinaryData]> = [];
    for (const file of files) {
      try {
        const data = await this.download(file);
        if (data) stored.push([file.name, data]);
      } catch (error) {
        return { error: addFileToError(error, String(record.id), file) };
      }
    }
    return stored.length > 0 ? { ...output, binary: Object.fromEntries(stored) } : output;
  }

  /** Returns the file, or undefined if an earlier failure ends the run. */
  private async download({ address }: RecordFile): Promise<IBinaryData | undefined> {
    const slots = getDownloadSlots(this.item.client);
    return slots.run(async () => {
      if (this.isStopped) return undefined;
      try {
        const data = await storeDownload(this.item, address);
        this.doneCount++;
        this.item.client.notices.reportProgress(() => `${this.doneCount} files downloaded`);
        return data;
      } catch (error) {
        this.isStopped = !this.mode.continuesOnFail;
        throw asThrown(error);
      }
    });
  }
}

/**
 * Adds the files of the chosen columns to the outputs, as binary fields. `records` are the records as the service
 * returned them, in the same order. A record with a file that cannot be downloaded becomes a failure.
 */
export async function attachFiles(
  item: Item,
  records: unknown[],
  outputs: Output[],
  mode: RunMode,
): Promise<Result[]> {
  const fields = await readFileFields(item);
  if (fields.length === 0) return outputs;
  const table = await item.getTable(item.read(tableLocator));
  const download = new FileDownload(item, table, fields, mode);
  return Promise.all(
    outputs.map((output, index) => download.attachTo(output, records[index] as IDataObject)),
  );
}
