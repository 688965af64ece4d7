import { InputError } from '../model/inputError';
import type { FilePart } from '../model/fields';
import { namesIn } from '../model/list';
import type { Table } from '../model/table';
import type { Item } from './item';

/**
 * The files in the input's binary fields of these names (a list, or text with commas), read whole: a stream
 * could not be sent again after a new login.
 * @throws InputError when the input has no such binary field
 */
export async function fileParts(item: Item, value: unknown): Promise<FilePart[]> {
  const parts: FilePart[] = [];
  for (const name of namesIn(value)) {
    const binary = item.input.binary?.[name];
    if (!binary) {
      const have = Object.keys(item.input.binary ?? {});
      throw new InputError(
        `The input has no binary field "${name}"`,
        have.length > 0
          ? `It has: ${have.join(', ')}.`
          : 'It has no files at all: put a node that reads or downloads one before.',
      );
    }
    const data = await item.context.helpers.getBinaryDataBuffer(item.index, name);
    parts.push({ fileName: binary.fileName || name, mimeType: binary.mimeType, data: new Uint8Array(data) });
  }
  return parts;
}

/**
 * Values by payload key with the files read. A File column that names no field ('' or an empty list) is left
 * out, or the record's files would go; null clears it.
 */
export async function withFiles(
  item: Item,
  table: Table,
  values: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  const read = { ...values };
  for (const [key, value] of Object.entries(values)) {
    if (table.payloadSlot(key, 'Columns').field.kind !== 'file') continue;
    const parts = await fileParts(item, value);
    if (parts.length > 0 || value === null) read[key] = parts;
    else delete read[key];
  }
  return read;
}
