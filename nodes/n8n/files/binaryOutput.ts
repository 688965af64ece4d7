/**
 * The files that an operation returns as binary data, and their options. `storeDownload` downloads a file.
 * `storeResponseFile` stores one that is part of a response.
 */
import type { IBinaryData, IBinaryKeyData } from 'n8n-workflow';
import {
  ApiError,
  createEmptyFileError,
  DEFAULT_MAX_MEGABYTES,
  type Explanation,
  mapExplanation,
  MEGABYTE,
  openDownload,
  toDownloadError,
} from '../../service';
import type { Item } from '../operation/item';
import { defineParameter } from '../parameters/parameter';

/**
 * Downloads the file at an address from the service. The file is streamed into n8n's binary data.
 * @param name the name of the file without its extension; by default, the one that the service gives
 * @throws ApiError
 */
export async function storeDownload(item: Item, address: unknown, name?: string): Promise<IBinaryData> {
  const maxBytes = readMaxFileBytes(item);
  const file = await openDownload(item.client, address, maxBytes);
  const fileName = name ? renameFile(file.fileName, name) : file.fileName;
  const stored = await item.context.helpers
    .prepareBinaryData(file.stream as never, fileName, file.mimeType)
    .catch((error: unknown) => {
      file.close();
      return toDownloadError(error, file.isTooLarge, maxBytes);
    });
  if (file.isTooLarge) throw toDownloadError(undefined, true, maxBytes);
  if (stored instanceof ApiError) throw stored;
  if (file.byteCount === 0) throw createEmptyFileError();
  return stored;
}

export const maximumSizeOption = defineParameter({
  displayName: 'Maximum File Size (MB)',
  name: 'maximumSize',
  type: 'number',
  typeOptions: { minValue: 0.001, numberPrecision: 1 },
  default: DEFAULT_MAX_MEGABYTES,
  description:
    'Larger files are not downloaded. The size is measured during the download, after decompression.',
});

const outputFieldOption = defineParameter({
  displayName: 'Put Output File in Field',
  name: 'outputField',
  type: 'string',
  default: 'data',
  hint: 'The name of the output binary field to put the file in',
});

/** Options of every operation that returns a file. */
export const fileOptions = [maximumSizeOption, outputFieldOption];

export const readMaxFileBytes = (item: Item) => item.readOptionOrDefault(maximumSizeOption) * MEGABYTE;

const toBinaryOutput = (item: Item, data: IBinaryData): IBinaryKeyData => ({
  [item.readOption(outputFieldOption) || outputFieldOption.default]: data,
});

/** Stores a file that is part of a response as binary data. @throws ApiError when the file is too large */
export async function storeResponseFile(
  item: Item,
  data: Buffer,
  fileName: string,
  mimeType: string,
): Promise<IBinaryKeyData> {
  const maxBytes = readMaxFileBytes(item);
  if (data.length > maxBytes) throw toDownloadError(undefined, true, maxBytes);
  return toBinaryOutput(item, await item.context.helpers.prepareBinaryData(data, fileName, mimeType));
}

/** Replaces the name of a file and keeps its extension. Characters that no file system takes become "-". */
const renameFile = (fileName: string, name: string): string =>
  name.replace(/[/\\:*?"<>|]/g, '-') + (/\.[a-z0-9]{1,5}$/i.exec(fileName)?.[0] ?? '');

/** Downloads the file at an address into the binary field that the options name. @throws ApiError */
export const downloadToBinary = async (
  item: Item,
  address: unknown,
  name?: string,
): Promise<IBinaryKeyData> => toBinaryOutput(item, await storeDownload(item, address, name));

/**
 * Downloads a file that the service generated for this operation. When the download fails, the error begins with
 * `generated`, which states that the file exists, so that the user does not generate a second one.
 * @throws ApiError
 */
export function downloadGeneratedFile(
  item: Item,
  address: unknown,
  generated: Explanation,
  name?: string,
): Promise<IBinaryKeyData> {
  return downloadToBinary(item, address, name).catch((error: unknown) => {
    throw mapExplanation(error, ({ message, description }) => ({
      message: `${generated.message}. ${message}`,
      description: `${generated.description} ${description}`,
    }));
  });
}
