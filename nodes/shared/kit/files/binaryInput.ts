import { type FilePart, getKind } from '../../model/fields';
import { InputError } from '../../model/input/inputError';
import { parseNames } from '../../model/input/parseList';
import type { Table } from '../../model/records/table';
import type { Item } from '../operation/item';

/**
 * Reads the files in the named binary fields of the input. `value` is a list of names, or text with commas. Each
 * file is read into memory as a whole, because a stream cannot be sent again after a new login.
 * @throws InputError when the input has no binary field with one of the names
 */
export async function readFileParts(item: Item, value: unknown): Promise<FilePart[]> {
  const parts: FilePart[] = [];
  for (const name of parseNames(value)) {
    const binary = item.input.binary?.[name];
    if (!binary) {
      const available = Object.keys(item.input.binary ?? {});
      throw new InputError(
        `The input has no binary field "${name}"`,
        available.length > 0
          ? `It has: ${available.join(', ')}.`
          : 'The item has no files. Add a node before this one that reads or downloads one.',
      );
    }
    const data = await item.context.helpers.getBinaryDataBuffer(item.index, name);
    parts.push({ fileName: binary.fileName || name, mimeType: binary.mimeType, data: new Uint8Array(data) });
  }
  return parts;
}

/**
 * A File column takes exactly one file: the spec defines one part for it, and no way to remove the file.
 * @throws InputError unless `count` is 1
 */
function ensureOneFile(label: string, count: number): void {
  if (count === 1) return;
  throw new InputError(
    count === 0
      ? `"${label}" is a File column and cannot be cleared`
      : `"${label}" cannot take ${count} files`,
    count === 0
      ? 'The service defines no way to remove a file from a record. Leave the column out, or replace the file.'
      : 'A File column takes one file. Name one binary field of the input.',
  );
}

/**
 * Replaces the names of binary fields by their files, in values by payload key. A File column that names no
 * binary field ('' or an empty list) is left out.
 */
export async function readFileValues(
  item: Item,
  table: Table,
  values: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  const withFiles = { ...values };
  for (const [key, value] of Object.entries(values)) {
    const { field } = table.resolvePayloadField(key, 'Columns');
    if (!getKind(field).holdsFiles) continue;
    const parts = await readFileParts(item, value);
    if (parts.length > 0 || value === null) {
      ensureOneFile(field.name, parts.length);
      withFiles[key] = parts;
    } else delete withFiles[key];
  }
  return withFiles;
}
