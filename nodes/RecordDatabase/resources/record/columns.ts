import type { Field } from '../../../client/fields/field';
import { getKind } from '../../../client/fields/kinds';
import type { Table } from '../../../client/fields/table';
import { InputError } from '../../../client/input/inputError';
import { hasEqualNames } from '../../../client/records/displayNames';
import { formatColumnList } from '../../../client/records/payload';
import { maximumSizeOption } from '../../../n8n/files/binaryOutput';
import { ALL_FILE_FIELDS, createFieldList, tableLocator } from '../../../n8n/lists/tablePickers';
import type { Item } from '../../../n8n/operation/item';
import { defineParameter } from '../../../n8n/parameters/parameter';

const downloadFilesOption = defineParameter({
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

export const columnsOption = createFieldList(
  'columns',
  'Column Names or IDs',
  'Columns to return. Leave empty for all.',
);

export const displayNamesOption = defineParameter({
  displayName: 'Use Display Names',
  name: 'displayNames',
  type: 'boolean',
  default: false,
  forTools: 'never',
  description: 'Whether the keys of the output are the names of the fields instead of their slugs',
});

/** Options that choose the returned columns and their names. Every operation that reads records has them. */
export const columnOptions = [columnsOption, displayNamesOption, downloadFilesOption, maximumSizeOption];

/** Returns a function for the key of a field in the records of the service: its slug, or its name. */
export function createKeyReader(item: Item, table: Table): (field: Field) => string {
  const isNamed = item.readOption(displayNamesOption) === true && !hasEqualNames(table);
  return ({ name, slug }) => (isNamed ? name : slug);
}

/**
 * Returns `display_names` for a request. Paging identifies records by the key `id`, which the values of a field
 * named "id" would replace.
 * @throws InputError when the table has a field named "id"
 */
async function readDisplayNames(item: Item): Promise<{ display_names?: true }> {
  const table = await item.getTable(item.read(tableLocator));
  const field = table.fields.find(({ name }) => name === 'id');
  // When two fields have the same name, the service returns only one of them. Such a table is read by slug, and
  // the keys are renamed afterwards.
  if (!field) return hasEqualNames(table) ? {} : { display_names: true };
  throw new InputError(
    'Use Display Names: a field of this table is called "id", as is the ID of a record',
    `Turn the option off, or give the field ${field.slug} another name in the service.`,
  );
}

/** Returns `columns` and `display_names` of a request. @throws InputError for a column that the table does not have */
export async function readColumnQuery(item: Item): Promise<{ columns?: string; display_names?: true }> {
  const chosen = item.readOption(columnsOption) ?? [];
  const fileSlugs = (await readFileFields(item)).map(({ slug }) => slug);
  // A file is downloaded from the address in its column, so that column is returned too.
  const names = chosen.length > 0 ? [...new Set([...chosen, ...fileSlugs])] : [];
  return {
    ...(names.length > 0 && {
      // A service may return only the named columns. Paging identifies records by ID, so `id` is always named.
      columns: `id,${formatColumnList(names, await item.getTable(item.read(tableLocator)))}`,
    }),
    ...(item.readOption(displayNamesOption) && (await readDisplayNames(item))),
  };
}
