import type { INodeProperties } from 'n8n-workflow';
import { fieldIdOf, filterParameters } from '../../../shared/kit/filterInput';
import type { Item } from '../../../shared/kit/item';
import {
  buildSymbolic,
  SYMBOLIC_CONDITIONS,
  symbolicFromJson,
  type SymbolicInput,
  type SymbolicItem,
} from '../../../shared/model/filter';
import type { Table } from '../../../shared/model/table';

const NAMES: Record<(typeof SYMBOLIC_CONDITIONS)[number], string> = {
  '=': 'Equals',
  '!=': 'Does Not Equal',
  '>': 'Is Greater or Later Than',
  '<': 'Is Less or Earlier Than',
  '>=': 'Is at Least',
  '<=': 'Is at Most',
  contains: 'Contains',
  startswith: 'Starts With',
  is_blank: 'Is Blank',
  not_blank: 'Is Not Blank',
};

/** Conditions in the symbolic form (spec: Filters), by form or as JSON; all of them must hold. */
export const symbolicForm: INodeProperties[] = [
  {
    displayName: 'Conditions As',
    name: 'conditionMode',
    type: 'options',
    default: 'manual',
    options: [
      { name: 'Form', value: 'manual' },
      { name: 'JSON', value: 'json' },
    ],
  },
  {
    displayName: 'Conditions',
    name: 'symbolicConditions',
    type: 'fixedCollection',
    placeholder: 'Add Condition',
    default: {},
    description: 'A record must meet all of them',
    typeOptions: { multipleValues: true },
    displayOptions: { show: { conditionMode: ['manual'] } },
    options: [
      {
        displayName: 'Condition',
        name: 'items',
        values: [
          {
            displayName: 'Field Name or ID',
            name: 'field',
            type: 'options',
            default: '',
            typeOptions: {
              loadOptionsMethod: 'getFilterFields',
              loadOptionsDependsOn: ['dataTableId.value'],
            },
            description:
              'Choose from the list, or specify an ID using an <a href="https://docs.n8n.io/code/expressions/">expression</a>',
          },
          {
            displayName: 'Condition',
            name: 'condition',
            type: 'options',
            default: '=',
            options: SYMBOLIC_CONDITIONS.map((value) => ({ name: NAMES[value], value })),
          },
          {
            displayName: 'Value',
            name: 'value',
            type: 'string',
            default: '',
            description: 'Value to compare with; dates as 2025-03-31, choices by label or value',
            displayOptions: { hide: { condition: ['is_blank', 'not_blank'] } },
          },
        ],
      },
    ],
  },
  {
    displayName: 'Conditions (JSON)',
    name: 'conditionJson',
    type: 'json',
    default: '[\n  { "field_id": "", "condition": "=", "value": "$1" }\n]',
    description:
      'JSON array of conditions with "field_id", "condition" and "value". "$1" as a value stands for the first of the Filter Parameters.',
    displayOptions: { show: { conditionMode: ['json'] } },
  },
  {
    displayName: 'Filter Parameters',
    name: 'filterParameters',
    type: 'json',
    default: '[]',
    description:
      'JSON array of the values that $1, $2, … stand for, so that text from other nodes stays a value',
    displayOptions: { show: { conditionMode: ['json'] } },
  },
];

function inputsOf(item: Item): SymbolicInput[] {
  if (item.value<string>('conditionMode', 'manual') === 'json') {
    return symbolicFromJson(item.value('conditionJson'), filterParameters(item));
  }
  const { items = [] } = item.value<{ items?: SymbolicInput[] }>('symbolicConditions', {});
  return items.map((row) => ({ ...row, field: fieldIdOf(row.field) }));
}

/** The item's conditions, checked against the table. @throws InputError */
export const symbolicOf = (item: Item, table: Table): SymbolicItem[] =>
  buildSymbolic(inputsOf(item), table, { timeZone: item.timeZone, now: new Date() });
