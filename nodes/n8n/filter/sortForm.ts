/** The form of the sort rules: rows, or JSON for a tool. `readSort` reads the rules and checks their fields. */
import { buildSortBy, parseSortJson, type Table } from '../../records';
import { createFromModel } from '../agent/toolForm';
import type { Item } from '../operation/item';
import { defineParameter } from '../parameters/parameter';
import { loadBy } from './filterForm';

/** @throws InputError for a field that the table does not have */
export const readSort = (item: Item, table: Table) => buildSortBy(readSortRules(item), table);

/** Sort rules by fields of the picked table. */
export const sortForm = defineParameter({
  displayName: 'Sort',
  name: 'sort',
  type: 'fixedCollection',
  forTools: 'never',
  placeholder: 'Add Sort Rule',
  default: {},
  description:
    'Order of the returned records. Later rules apply to records that are equal by all earlier rules.',
  typeOptions: { multipleValues: true, sortable: true },
  options: [
    {
      displayName: 'Rule',
      name: 'rules',
      values: [
        {
          displayName: 'Field',
          name: 'field',
          type: 'options',
          default: '',
          allowArbitraryValues: true,
          typeOptions: loadBy('getFields', 'dataTableId.value'),
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
});

const TOOL_SORT =
  'Order of the records as a JSON object of fields and directions, the most important first. Example: {"Status": "asc", "Created At": "desc"}. Leave it empty for any order.';

/** The order of the records that a tool returns. Its form has one JSON input instead of rows. */
export const toolSort = defineParameter({
  displayName: 'Sort (JSON)',
  name: 'sortJson',
  type: 'json',
  default: createFromModel('sort', TOOL_SORT, ''),
  forTools: 'only',
  description: TOOL_SORT,
});

/** @throws InputError for a JSON value of a tool in another form; it shows the form with the given fields */
export const readSortRules = (item: Item): Parameters<typeof buildSortBy>[0] =>
  item.isTool ? parseSortJson(item.read(toolSort)) : item.read(sortForm);
