import type { INodeProperties } from 'n8n-workflow';
import type { Item } from './item';
import { sortBy, type SortRule } from '../model/record';
import type { Table } from '../model/table';

/** Sort rules over the fields of the picked table, or of the one behind the picked component. */
export const sortForm: INodeProperties = {
  displayName: 'Sort',
  name: 'sort',
  type: 'fixedCollection',
  placeholder: 'Add Sort Rule',
  default: {},
  description: 'In which order the records come, by the first rule first',
  typeOptions: { multipleValues: true, sortable: true },
  options: [
    {
      displayName: 'Rule',
      name: 'rules',
      values: [
        {
          displayName: 'Field Name or ID',
          name: 'field',
          type: 'options',
          default: '',
          typeOptions: {
            loadOptionsMethod: 'getFields',
            loadOptionsDependsOn: ['dataTableId.value', 'componentId.value'],
          },
          description:
            'Choose from the list, or specify an ID using an <a href="https://docs.n8n.io/code/expressions/">expression</a>',
        },
        {
          displayName: 'Direction',
          name: 'direction',
          type: 'options',
          default: 'asc',
          options: [
            { name: 'Ascending', value: 'asc' },
            { name: 'Descending', value: 'desc' },
          ],
        },
      ],
    },
  ],
};

export const sortRules = (item: Item): SortRule[] =>
  item.value<{ rules?: SortRule[] }>('sort', {}).rules ?? [];

/** @throws InputError for a field that the table does not have */
export const sortOf = (item: Item, table: Table) => sortBy(sortRules(item), table);
