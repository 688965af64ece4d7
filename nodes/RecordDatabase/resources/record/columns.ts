/** Which fields the operations that read records return, and which files they download. */
import { groupBy } from 'lodash';
import { listChosenConnections } from '../../../n8n/columns/connectedFields';
import { maximumSizeOption, storeDownload } from '../../../n8n/files/binaryOutput';
import { ALL_FILE_FIELDS, defineFieldList, tableLocator } from '../../../n8n/lists/tablePickers';
import type { Item } from '../../../n8n/operation/item';
import type { Output, Result, RunMode } from '../../../n8n/operation/operation';
import { defineLoadedList, createLoadOptions, showWhen } from '../../../n8n/parameters/parameter';
import { type Field, getKind, getFieldOrPartValue } from '../../../records';
import {
  ApiError,
  type Client,
  InputError,
  listFiles,
  memory,
  runSteps,
  Semaphore,
  type ServiceRecord,
} from '../../../service';

const downloadFilesOption = defineLoadedList({
  displayName: 'Download Files Names or IDs',
  name: 'downloadFiles',
  // n8n passes no files to an AI model.
  forTools: 'never',
  typeOptions: createLoadOptions('getFileFields'),
  description:
    'File fields whose files are downloaded. A file becomes a binary field with the slug of its field, further files become slug_2 and so on.',
});

/** Reads the fields of Download Files. @throws InputError for a field that is no File field */
async function readFileFields(item: Item): Promise<Field[]> {
  const names = item.readOptionOrDefault(downloadFilesOption);
  if (names.length === 0) return [];
  const table = await item.getTable(item.read(tableLocator));
  if (names.includes(ALL_FILE_FIELDS)) return table.fields.filter((field) => getKind(field).holdsFiles);
  return names.map((name) => {
    const field = table.requireField(name, 'Download Files');
    if (getKind(field).holdsFiles) return field;
    throw new InputError(
      `Download Files: "${field.name}" is not a File field`,
      `Its type is ${field.type}. Choose File fields, or "All File Fields". Nothing was sent.`,
    );
  });
}

const maximumFileSizeOption = showWhen(maximumSizeOption, { downloadFiles: [{ _cnd: { exists: true } }] });

export const columnsOption = defineFieldList(
  'columns',
  'Fields to Return Names or IDs',
  'The other fields are left out. Leave empty for all.',
);

export const returnedFieldOptions = [columnsOption, downloadFilesOption, maximumFileSizeOption];

/** @returns the slugs to request, or undefined for all fields. @throws InputError for an unknown field */
export async function readColumns(item: Item): Promise<string[] | undefined> {
  const chosen = item.readOptionOrDefault(columnsOption);
  const fileSlugs = (await readFileFields(item)).map(({ slug }) => slug);
  const getOwnTable = () => item.getTable(item.read(tableLocator));
  const connections = await listChosenConnections(item, getOwnTable);
  if (chosen.length === 0) return undefined;
  const table = await getOwnTable();
  // The download of a file needs its field, which contains the address.
  const slugs = [...new Set([...chosen, ...fileSlugs, ...connections])].map(
    (name) => table.requireField(name, 'Fields to Return').slug,
  );
  // A service may return only the named columns, and reading further pages needs the ID.
  return ['id', ...slugs];
}

interface RecordFile {
  /** Name of the binary field that contains the downloaded file. */
  name: string;
  field: Field;
  address: string;
  fileName: string;
}

/** Names the files by the slug of their field, then `slug_2` and so on, but not by the slug of another chosen field. */
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

/** Leaves out the address of the file, which may contain a signature. */
function addFileToError(error: unknown, recordId: string, { field, fileName }: RecordFile): unknown {
  if (!(error instanceof ApiError)) return error;
  return error.copyWith({
    message: `Record ${recordId}, "${field.name}", file ${fileName}: ${error.message}`,
    details: { recordId, field: field.slug },
  });
}

/** The rate limit does not limit downloads, so they have a limit of their own. */
const getDownloadSlots = memory.attach(
  'downloadSlots',
  { to: 'client', holds: 'how many downloads of an execution run at once' },
  (client: Client) => new Semaphore(client.concurrency),
);

/**
 * `outputs` has the order of `records`. If a file cannot be downloaded, its record becomes a failure, and no other
 * download starts, unless the node continues on errors.
 */
export async function attachFiles(
  item: Item,
  records: ServiceRecord[],
  outputs: Output[],
  { continuesOnFail }: RunMode,
): Promise<Result[]> {
  const fields = await readFileFields(item);
  if (fields.length === 0) return outputs;
  const { client } = item;
  const table = await item.getTable(item.read(tableLocator));
  const files = records.flatMap((record, index) =>
    listRecordFiles(fields, (field) => getFieldOrPartValue(record, { table, field })).map((file) => ({
      ...file,
      index,
    })),
  );
  const slots = getDownloadSlots(client);
  const onEnd = (count: number) => client.notices.reportProgress(() => `${count} files downloaded`);
  const downloads = await runSteps(
    files,
    { concurrency: client.concurrency, continuesOnFail, onEnd },
    ({ address }, { isStopped }) =>
      slots.runTask(async () => (isStopped() ? undefined : storeDownload(item, address))),
  );
  const byRecord = groupBy(downloads, ({ step }) => step.index);
  return outputs.map((output, index): Result => {
    const own = byRecord[index] ?? [];
    const failed = own.find(({ error }) => error !== undefined);
    if (failed) return { error: addFileToError(failed.error, String(records[index]?.id), failed.step) };
    const stored = own.flatMap(({ step, value }) => (value ? [[step.name, value] as const] : []));
    return stored.length > 0 ? { ...output, binary: Object.fromEntries(stored) } : output;
  });
}
