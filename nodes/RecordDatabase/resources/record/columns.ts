import type { INodeProperties } from 'n8n-workflow';
import type { Item } from '../../../shared/kit/item';
import { InputError } from '../../../shared/model/inputError';
import { namesOrAll } from '../../../shared/model/list';
import { columnList } from '../../../shared/model/record';

/** Which columns come back, and under which names: options of every operation that reads records. */
export const columnOptions: INodeProperties[] = [
  {
    displayName: 'Columns to Return Names or IDs',
    name: 'columns',
    type: 'multiOptions',
    default: [],
    typeOptions: { loadOptionsMethod: 'getFields', loadOptionsDependsOn: ['dataTableId.value'] },
    description:
      'Leave empty for all columns. Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
  },
  {
    displayName: 'Use Display Names',
    name: 'displayNames',
    type: 'boolean',
    default: false,
    description: 'Whether the keys of the output are the names of the fields instead of their slugs',
  },
];

/** With a field of the name "id", its values would stand where the IDs of the records do: pages could not be told apart. */
async function namesAreClear(item: Item): Promise<true> {
  const { fields } = await item.table(item.id('dataTableId'));
  const field = fields.find(({ name }) => name === 'id');
  if (!field) return true;
  throw new InputError(
    'Use Display Names: a field of this table is called "id", as is the ID of a record',
    `Turn the option off, or give the field ${field.slug} another name in the service.`,
  );
}

/** `columns` and `display_names` of a request. @throws InputError for a column that the table does not have */
export async function columnQuery(item: Item): Promise<{ columns?: string; display_names?: true }> {
  const names = namesOrAll('columns' in item.options ? item.options.columns : [], 'Columns to Return');
  return {
    ...(names.length > 0 && { columns: columnList(names, await item.table(item.id('dataTableId'))) }),
    ...(item.option('displayNames') && { display_names: await namesAreClear(item) }),
  };
}
