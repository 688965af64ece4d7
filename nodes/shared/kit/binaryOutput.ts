import type { IBinaryData, IBinaryKeyData, INodeProperties } from 'n8n-workflow';
import type { Explanation } from '../model/serviceError';
import { ApiFailure } from '../transport/errors';
import { DEFAULT_MAX_MEGABYTES, download, downloadFailure, MEGABYTE } from '../transport/download';
import type { Item } from './item';

/** Options of every operation that puts out a file. */
export const fileOptions: INodeProperties[] = [
  {
    displayName: 'Maximum File Size (MB)',
    name: 'maximumSize',
    type: 'number',
    typeOptions: { minValue: 1 },
    default: DEFAULT_MAX_MEGABYTES,
    description: 'Larger files are not downloaded. It is measured while the file arrives, after unpacking.',
  },
  {
    displayName: 'Put Output File in Field',
    name: 'outputField',
    type: 'string',
    default: 'data',
    description: 'The name of the output binary field to put the file in',
    hint: 'The name of the output binary field to put the file in',
  },
];

const maxBytesOf = ({ options }: Item) => {
  const given = Number(options.maximumSize);
  return (given > 0 ? given : DEFAULT_MAX_MEGABYTES) * MEGABYTE;
};

const underField = ({ options }: Item, data: IBinaryData): IBinaryKeyData => ({
  [String(options.outputField ?? 'data').trim() || 'data']: data,
});

/** A file that the answer itself carried, as binary data. @throws ApiFailure when it is too large */
export async function carriedFile(
  item: Item,
  data: Buffer,
  fileName: string,
  mimeType: string,
): Promise<IBinaryKeyData> {
  const maxBytes = maxBytesOf(item);
  if (data.length > maxBytes) throw downloadFailure(undefined, true, maxBytes);
  return underField(item, await item.context.helpers.prepareBinaryData(data, fileName, mimeType));
}

/** The file at an address that the service gave, streamed into n8n's binary data. @throws ApiFailure */
export async function downloadedFile(item: Item, address: unknown): Promise<IBinaryKeyData> {
  const maxBytes = maxBytesOf(item);
  const file = await download(item.context, address, {
    baseUrl: item.client.keys.baseUrl,
    maxBytes,
    timeout: item.client.timeout,
    signal: item.context.getExecutionCancelSignal?.(),
  });
  const stored = await item.context.helpers
    .prepareBinaryData(file.stream as never, file.fileName, file.mimeType)
    .catch((error: unknown) => {
      file.close();
      return downloadFailure(error, file.tooLarge, maxBytes);
    });
  if (file.tooLarge) throw downloadFailure(undefined, true, maxBytes);
  if (stored instanceof ApiFailure) throw stored;
  return underField(item, stored);
}

/**
 * The file that an operation had the service make. Where it cannot be fetched, `made` says that it is there all
 * the same: making it again would not help, and may count twice.
 * @throws ApiFailure
 */
export function madeFile(item: Item, address: unknown, made: Explanation): Promise<IBinaryKeyData> {
  return downloadedFile(item, address).catch((error: unknown) => {
    if (!(error instanceof ApiFailure)) throw error;
    const { message, description } = error.explanation;
    throw error.explainedAs({
      message: `${made.message}. ${message}`,
      description: `${made.description} ${description}`,
    });
  });
}
