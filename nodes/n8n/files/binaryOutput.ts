/** The files that an operation returns as binary data, and their options. */
import type { IBinaryData, IBinaryKeyData } from 'n8n-workflow';
import { download, rewordError } from '../../service';
import type { Item } from '../operation/item';
import { defineParameter } from '../parameters/parameter';

/**
 * @param name the name without its extension; by default, the name from the response
 * @throws ApiError if the download fails
 */
export async function storeDownload(item: Item, address: unknown, name?: string): Promise<IBinaryData> {
  return download(item.client, address, readMaxMegabytes(item), ({ stream, fileName, mimeType }) =>
    item.context.helpers.prepareBinaryData(
      stream as never,
      name ? buildFileName(fileName, name) : fileName,
      mimeType,
    ),
  );
}

export const maximumSizeOption = defineParameter({
  displayName: 'Maximum File Size (MB)',
  name: 'maximumSize',
  type: 'number',
  typeOptions: { minValue: 0.001, numberPrecision: 1 },
  default: 100,
  description:
    'Larger files are not downloaded. The size is measured during the download, after decompression.',
});

const outputFieldOption = defineParameter({
  displayName: 'Put Output File in Field',
  name: 'outputField',
  type: 'string',
  default: 'data',
  // n8n passes no files to a model.
  forTools: 'never',
  hint: 'The name of the output binary field to put the file in',
});

export const fileOptions = [maximumSizeOption, outputFieldOption];

export const readMaxMegabytes = (item: Item) => item.readOptionOrDefault(maximumSizeOption);

export const toBinaryOutput = (item: Item, data: IBinaryData): IBinaryKeyData => ({
  [item.readOption(outputFieldOption) || outputFieldOption.default]: data,
});

/** An extension has a letter: the end of `Invoice 31.03.2025` is none. */
const FILE_EXTENSION = /\.(?=\d*[a-z])[a-z0-9]{2,5}$/i;

/** Adds the extension of `fileName` if `name` has none. Characters that file systems refuse become "-". */
export function buildFileName(fileName: string, name: string): string {
  const plain = name.trim().replace(/[/\\:*?"<>|\p{Cc}]/gu, '-');
  return FILE_EXTENSION.test(plain) ? plain : plain + (FILE_EXTENSION.exec(fileName)?.[0] ?? '');
}

/** Adds `generated` to the error of a failed download, so that the user does not generate a second file. */
export async function downloadGeneratedFile(
  item: Item,
  address: unknown,
  generated: { message: string; description: string },
  name?: string,
): Promise<IBinaryKeyData> {
  const data = await storeDownload(item, address, name).catch((error: unknown) => {
    throw rewordError(error, ({ message, description }) => ({
      message: `${generated.message}. ${message}`,
      description: `${generated.description} ${description}`,
    }));
  });
  return toBinaryOutput(item, data);
}
