import type { Field } from '../../../client/fields/field';
import { getKind } from '../../../client/fields/kinds';
import { InputError } from '../../../client/input/inputError';
import { ALL_FILE_FIELDS, tableLocator } from '../../../n8n/lists/tablePickers';
import type { Item } from '../../../n8n/operation/item';
import { defineParameter } from '../../../n8n/parameters/parameter';

export const downloadFilesOption = defineParameter({
  displayName: 'Download Files Names or IDs',
  name: 'downloadFiles',
  type: 'multiOptions',
  default: [],
  typeOptions: { loadOptionsMethod: 'getFileFields', loadOptionsDependsOn: ['dataTableId.value'] },
  description:
    'File columns whose files are downloaded. Each file becomes a binary field with the slug of its column, further files of the column with slug_2 and so on. Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
});

/** The chosen File fields; none without the option. @throws InputError for a field of another kind */
export async function readFileFields(item: Item): Promise<Field[]> {
  const names = item.readOption(downloadFilesOption) ?? [];
  if (names.length === 0) return [];
  const table = await item.getTable(item.read(tableLocator));
  if (names.includes(ALL_FILE_FIELDS)) return table.fields.filter((field) => getKind(field).holdsFiles);
  return names.map((name) => {
    const field = table.field(name, 'Download Files');
    if (getKind(field).holdsFiles) return field;
    throw new InputError(
      `Download Files: "${field.name}" is not a File column`,
      `Its type is ${field.type}. Choose File columns, or "All File Columns". Nothing was sent.`,
    );
  });
}
