/** The files that an item sends: binary fields of the input, and files at addresses. */
import type { IBinaryData } from 'n8n-workflow';
import { type Field, getKind, type Table } from '../../records';
import {
  cutName,
  download,
  type FilePart,
  InputError,
  isBlank,
  isObject,
  listFiles,
  parseNames,
} from '../../service';
import type { Item } from '../operation/item';

/**
 * Replaces the names and addresses in File fields by the files. Removes a File field that has neither.
 * @param filesRemedy what to do instead, for an operation that takes no files
 * @throws InputError when a file cannot be read or fetched
 */
export async function readFileValues(
  item: Item,
  table: Table,
  values: Record<string, unknown>,
  filesRemedy?: string,
): Promise<Record<string, unknown>> {
  const withFiles = { ...values };
  for (const [key, value] of Object.entries(values)) {
    const { field } = table.requireWritableRef(key, 'Fields');
    if (!getKind(field).holdsFiles) continue;
    if (filesRemedy && ![value].flat().every(isBlank))
      throw new InputError(`"${field.name}" is a File field`, filesRemedy);
    const sources = listAllowedFileSources(item, field, value);
    const parts = sources.map((source) =>
      typeof source === 'string' ? downloadFilePart(item, field.name, source) : readInputFile(item, source),
    );
    if (parts.length > 0) withFiles[key] = await Promise.all(parts);
    else delete withFiles[key];
  }
  return withFiles;
}

/** Returns the size in bytes. n8n keeps a file in its storage, with an ID, or as base64 in the item. */
async function getBinarySize(item: Item, { id, data }: IBinaryData): Promise<number> {
  if (!id) return Buffer.byteLength(data, 'base64');
  return (await item.context.helpers.getBinaryMetadata(id)).fileSize;
}

/**
 * Finds the file for an object such as the result of `{{ $binary.photo }}`, among the input's files only.
 * Otherwise the sender of an item, or a model, could name a file of another execution.
 */
const findInputFile = ({ files }: Item, value: Record<string, unknown>): IBinaryData | undefined =>
  Object.values(files).find(({ id, data }) => (id ? id === value.id : data === value.data));

/** @param name may be a path in JSON: `_files.data`. @throws InputError if the input lacks the field */
function findBinary({ files }: Item, name: string): IBinaryData {
  const binary = files[name] ?? files[name.replace(/^_files\./, '')];
  if (binary) return { ...binary, fileName: binary.fileName || name };
  const available = Object.keys(files);
  // `findInputFile` does not find {{ $binary.data }} of a file in memory, because n8n leaves out its content.
  const remedy = name.startsWith('{')
    ? 'An object is no file. Give the name of the binary field in its place. '
    : '';
  throw new InputError(
    `The input has no binary field "${cutName(name)}"`,
    available.length > 0
      ? `${remedy}It has: ${available.join(', ')}.`
      : 'The item has no files. Add a node before this one that reads or downloads one.',
  );
}

/** @param value one name, or several with commas in between. @throws InputError if the input lacks a field */
function findBinaries(item: Item, value: unknown): IBinaryData[] {
  const isName = typeof value === 'string' && Object.hasOwn(item.files, value);
  return (isName ? [value] : parseNames(value)).map((name) => findBinary(item, name));
}

/** Waits while other items have large files in memory. @throws InputError for a file without content */
async function readInputFile(item: Item, binary: IBinaryData): Promise<FilePart> {
  await item.reserveMemory(await getBinarySize(item, binary));
  // A file of a Code node may have no MIME type, which n8n's helper needs.
  const file = { ...binary, mimeType: binary.mimeType || 'application/octet-stream' };
  const data = await item.context.helpers.getBinaryDataBuffer(item.index, file);
  const fileName = file.fileName || 'file';
  if (data.length > 0) return { fileName, mimeType: file.mimeType, data };
  throw new InputError(
    `The file "${cutName(fileName)}" of the input is empty`,
    'Nothing was sent: the empty file would replace the one in the service. Check the node that reads or creates it.',
  );
}

/**
 * Reads the whole file, because a stream could not be sent again after a new login.
 * @throws InputError if the input lacks the field
 */
export const readBinaryField = async (item: Item, name: string): Promise<FilePart> =>
  readInputFile(item, findBinary(item, name));

const WEB_URL = /^\s*https?:\/\//i;

/**
 * Lists the addresses and the files of the input that a value names. An address may contain commas. A file
 * of the service contains an address: `{url, key, …}` (evidence 10).
 * @throws InputError for a binary field that the input lacks
 */
function listFileSources(item: Item, value: unknown): Array<string | IBinaryData> {
  if (Array.isArray(value)) return value.flatMap((one) => listFileSources(item, one));
  const own = isObject(value) ? findInputFile(item, value) : undefined;
  if (own) return [own];
  const hasAddress = isObject(value) || (typeof value === 'string' && WEB_URL.test(value));
  if (!hasAddress) return findBinaries(item, value);
  return listFiles(value).map(({ address }) => (WEB_URL.test(address) ? address : findBinary(item, address)));
}

const MAX_INPUT_MEGABYTES = 100;

/** Downloads only from public hosts and File Hosts, without a credential. @throws InputError if that fails */
const downloadFilePart = (item: Item, label: string, address: string): Promise<FilePart> =>
  download(item.client, address, MAX_INPUT_MEGABYTES, async ({ stream, fileName, mimeType, maxBytes }) => {
    await item.reserveMemory(maxBytes);
    return { fileName, mimeType, data: await item.context.helpers.binaryToBuffer(stream as never) };
  }).catch((error: unknown) => {
    throw new InputError(
      `"${label}": ${(error as Error).message}`,
      `Nothing was sent. The address must begin with http:// or https://, and return the file itself, without a login, of at most ${MAX_INPUT_MEGABYTES} MB. For a host inside a private network, add it to File Hosts under Advanced Settings of the Record Database API credential.`,
    );
  });

/** Whether the value names a file. Reads no file. @throws InputError as `listAllowedFileSources` does */
export const hasFileSource = (item: Item, field: Field, value: unknown): boolean =>
  listAllowedFileSources(item, field, value).length > 0;

/** @throws InputError for too many files, and for null, because the spec has no way to remove a file */
function listAllowedFileSources(item: Item, field: Field, value: unknown): Array<string | IBinaryData> {
  const sources = listFileSources(item, value);
  const isCleared = sources.length === 0 && value === null;
  const takesOne = getKind(field).holdsFiles === 'one';
  if (!isCleared && (!takesOne || sources.length <= 1)) return sources;
  throw new InputError(
    isCleared
      ? `"${field.name}" is a File field and cannot be cleared`
      : `"${field.name}" cannot take ${sources.length} files`,
    isCleared
      ? 'The service defines no way to remove a file from a record. Leave the field out, or replace the file.'
      : 'A File field takes one file. Give one binary field of the input, or one address.',
  );
}
