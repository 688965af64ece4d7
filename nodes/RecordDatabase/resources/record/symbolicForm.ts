import type { INodeProperties } from 'n8n-workflow';
import { fieldIdOf, filterParameters } from '../../../shared/kit/filterInput';
import type { Item } from '../../../shared/kit/item';
import {
  buildSymbolic,
  symbolicFromJson,
  type SymbolicCondition,
  type SymbolicInput,
  type SymbolicItem,
} from '../../../shared/model/filter';
import { oneOf } from '../../../shared/model/oneOf';
import type { Table } from '../../../shared/model/table';

/** The form has words for the symbols: n8n would take a stored "=" for an expression. */
const WORDS: Array<{ value: string; name: string; condition: SymbolicCondition }> = [
  { value: 'contains', name: 'Contains', condition: 'contains' },
  { value: 'notEquals', name: 'Does Not Equal', condition: '!=' },
  { value: 'equals', name: 'Equals', condition: '=' },
  { value: 'atLeast', name: 'Is at Least', condition: '>=' },
  { value: 'atMost', name: 'Is at Most', condition: '<=' },
  { value: 'isBlank', name: 'Is Blank', condition: 'is_blank' },
  { value: 'greater', name: 'Is Greater or Later Than', condition: '>' },
  { value: 'less', name: 'Is Less or Earlier Than', condition: '<' },
  { value: 'notBlank', name: 'Is Not Blank', condition: 'not_blank' },
  { value: 'startsWith', name: 'Starts With', condition: 'startswith' },
];

/** Conditions in the symbolic form (spec: Filters), by form or as JSON; all of them must hold. */
export const symbolicForm: INodeProperties[] = [
  {
    displayName: 'Conditions As',
    name: 'conditionMode',
    type: 'options',
    default: 'manual',
    options: [
      { name: 'Build Manually', value: 'manual' },
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
            default: 'equals',
            options: WORDS.map((word) => ({ name: word.name, value: word.value })),
          },
          {
            displayName: 'Value',
            name: 'value',
            type: 'string',
            default: '',
            description: 'Value to compare with; dates as 2025-03-31, choices by label or value',
            displayOptions: { hide: { condition: ['isBlank', 'notBlank'] } },
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
  const mode = oneOf(['manual', 'json'] as const, item.value('conditionMode', 'manual'), 'Conditions As');
  if (mode === 'json') {
    return symbolicFromJson(item.value('conditionJson'), filterParameters(item));
  }
  const { items = [] } = item.value<{ items?: SymbolicInput[] }>('symbolicConditions', {});
  return items.map(({ field, condition, value }) => ({
    field: fieldIdOf(field),
    condition: WORDS.find((word) => word.value === condition)?.condition ?? condition,
    value,
  }));
}

/** The item's conditions, checked against the table. @throws InputError */
export const symbolicOf = (item: Item, table: Table): SymbolicItem[] =>
  buildSymbolic(inputsOf(item), table, { timeZone: item.timeZone, now: new Date() });
