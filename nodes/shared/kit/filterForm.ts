import type { INodeProperties } from 'n8n-workflow';
import { ANY_OF, BETWEEN, RELATIVE } from '../model/filter';

/**
 * The filter form shared by every operation that filters. The value of a field option is
 * `field_id|kind`: the kind chooses the typed input that is shown, the run looks the real kind up again.
 */
const TYPED = '\\|(number|date|dateTime|calendar|choice|choices)$';
const NO_VALUE = [
  'is blank',
  'is not blank',
  'is checked',
  'is unchecked',
  'is before today',
  'is after today',
  'is before current time',
  'is after current time',
  'is connected with current record',
  'is logged in user',
  'is not logged in user',
  'is connected to logged in user',
  'is not connected to logged in user',
];
/** Operators that compare a choice by part of its text: typed, not picked. */
const PARTIAL = ['starts with', 'ends with'];

const ofKind = (kinds: string) => [{ _cnd: { regex: `\\|(${kinds})$` } }];
const SPECIAL = [...NO_VALUE, RELATIVE];

/** Inputs of one condition row, in the order in which they are shown. */
const conditionRow: INodeProperties[] = [
  {
    displayName: 'Field Name or ID',
    name: 'field',
    type: 'options',
    default: '',
    description:
      'Field to compare, with its type. Choose from the list, or specify an ID using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
    typeOptions: {
      loadOptionsMethod: 'getFilterFields',
      loadOptionsDependsOn: ['dataTableId.value', 'componentId.value'],
    },
  },
  {
    displayName: 'Operator Name or ID',
    name: 'operator',
    type: 'options',
    default: 'is',
    description:
      'How to compare; the list follows the type of the field. Choose from the list, or specify an ID using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
    typeOptions: { loadOptionsMethod: 'getFilterOperators', loadOptionsDependsOn: ['&field'] },
  },
  {
    displayName: 'Value',
    name: 'value',
    type: 'string',
    default: '',
    description: 'Value to compare with. For "is any of": several with commas between them, or an array.',
    displayOptions: { hide: { field: [{ _cnd: { regex: TYPED } }], operator: [...SPECIAL, BETWEEN] } },
  },
  {
    displayName: 'Value',
    name: 'textValue',
    type: 'string',
    default: '',
    description: 'Text to look for',
    displayOptions: { show: { field: ofKind('choice|choices'), operator: PARTIAL } },
  },
  {
    displayName: 'Value',
    name: 'numberValue',
    type: 'number',
    default: 0,
    displayOptions: { show: { field: ofKind('number') }, hide: { operator: [...SPECIAL, ANY_OF] } },
  },
  {
    displayName: 'To',
    name: 'numberTo',
    type: 'number',
    default: 0,
    description: 'Largest value that still matches',
    displayOptions: { show: { field: ofKind('number'), operator: [BETWEEN] } },
  },
  {
    displayName: 'Values',
    name: 'numberValues',
    type: 'string',
    default: '',
    placeholder: 'e.g. 1, 2, 3',
    displayOptions: { show: { field: ofKind('number'), operator: [ANY_OF] } },
  },
  {
    displayName: 'Value',
    name: 'dateValue',
    type: 'dateTime',
    default: '',
    description: "Date, in the workflow's time zone",
    displayOptions: { show: { field: ofKind('date|dateTime|calendar') }, hide: { operator: SPECIAL } },
  },
  {
    displayName: 'To',
    name: 'dateTo',
    type: 'dateTime',
    default: '',
    description: 'Last date that still matches',
    displayOptions: { show: { field: ofKind('date|dateTime|calendar'), operator: [BETWEEN] } },
  },
  {
    displayName: 'From',
    name: 'timeFrom',
    type: 'string',
    default: '',
    placeholder: 'e.g. 09:00:00',
    displayOptions: { show: { field: ofKind('time'), operator: [BETWEEN] } },
  },
  {
    displayName: 'To',
    name: 'timeTo',
    type: 'string',
    default: '',
    placeholder: 'e.g. 17:30:00',
    displayOptions: { show: { field: ofKind('time'), operator: [BETWEEN] } },
  },
  {
    displayName: 'Value Name or ID',
    name: 'choiceValue',
    type: 'options',
    default: '',
    description:
      'One of the choices of the field. Choose from the list, or specify an ID using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
    typeOptions: { loadOptionsMethod: 'getFilterChoices', loadOptionsDependsOn: ['&field'] },
    displayOptions: {
      show: { field: ofKind('choice|choices') },
      hide: { operator: [...SPECIAL, ...PARTIAL, ANY_OF] },
    },
  },
  {
    displayName: 'Value Names or IDs',
    name: 'choiceValues',
    type: 'multiOptions',
    default: [],
    description:
      'Choices of the field, any of which matches. Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
    typeOptions: { loadOptionsMethod: 'getFilterChoices', loadOptionsDependsOn: ['&field'] },
    displayOptions: { show: { field: ofKind('choice|choices'), operator: [ANY_OF] } },
  },
  {
    displayName: 'Period',
    name: 'period',
    type: 'options',
    default: 'last',
    options: [
      { name: 'Last …', value: 'last', description: 'Up to and including today' },
      { name: 'Next …', value: 'next', description: 'From today on' },
      { name: 'This …', value: 'this', description: 'The current day, week, month or year' },
      { name: 'Today', value: 'today' },
      { name: 'Tomorrow', value: 'tomorrow' },
      { name: 'Yesterday', value: 'yesterday' },
    ],
    displayOptions: { show: { operator: [RELATIVE] } },
  },
  {
    displayName: 'Amount',
    name: 'amount',
    type: 'number',
    default: 7,
    typeOptions: { minValue: 1 },
    displayOptions: { show: { operator: [RELATIVE], period: ['last', 'next'] } },
  },
  {
    displayName: 'Unit',
    name: 'unit',
    type: 'options',
    default: 'day',
    options: [
      { name: 'Days', value: 'day' },
      { name: 'Weeks', value: 'week' },
      { name: 'Months', value: 'month' },
      { name: 'Years', value: 'year' },
    ],
    displayOptions: { show: { operator: [RELATIVE], period: ['last', 'next', 'this'] } },
  },
];

const match = (description: string): INodeProperties => ({
  displayName: 'Must Match',
  name: 'match',
  type: 'options',
  default: 'all',
  description,
  options: [
    { name: 'All Conditions', value: 'all' },
    { name: 'Any Condition', value: 'any' },
  ],
});

const conditions: INodeProperties = {
  displayName: 'Conditions',
  name: 'conditions',
  type: 'fixedCollection',
  placeholder: 'Add Condition',
  default: {},
  typeOptions: { multipleValues: true },
  options: [{ displayName: 'Condition', name: 'items', values: conditionRow }],
};

const whenManual = { show: { filterMode: ['manual'] } };
const whenJson = { show: { filterMode: ['json'] } };

/** Properties of the form, for the parameters of an operation. */
export const filterForm: INodeProperties[] = [
  {
    displayName: 'Filter',
    name: 'filterMode',
    type: 'options',
    default: 'none',
    description: 'Which records to work with',
    options: [
      { name: 'None', value: 'none', description: 'All records' },
      { name: 'Build Manually', value: 'manual', description: 'Conditions by form' },
      { name: 'JSON', value: 'json', description: "The service's own filter form, nested to any depth" },
    ],
  },
  {
    ...match('Whether a record must meet all conditions and groups, or any one of them'),
    displayOptions: whenManual,
  },
  { ...conditions, displayOptions: whenManual },
  {
    displayName: 'Condition Groups',
    name: 'groups',
    type: 'fixedCollection',
    placeholder: 'Add Group',
    default: {},
    description: 'Conditions that count together as one: (A or B) and (C or D)',
    typeOptions: { multipleValues: true },
    displayOptions: whenManual,
    options: [
      {
        displayName: 'Group',
        name: 'items',
        values: [
          match('Whether a record must meet all conditions of this group, or any one of them'),
          conditions,
        ],
      },
    ],
  },
  {
    displayName: 'Filter (JSON)',
    name: 'filterJson',
    type: 'json',
    default:
      '{\n  "condition": "AND",\n  "items": [\n    { "field_id": "", "operator": "is", "val": "$1" }\n  ],\n  "child": []\n}',
    description:
      'A group with "condition" (AND, OR), "items" of "field_id", "operator" and "val", and nested groups in "child". "$1" as a value stands for the first of the Filter Parameters.',
    displayOptions: whenJson,
  },
  {
    displayName: 'Filter Parameters',
    name: 'filterParameters',
    type: 'json',
    default: '[]',
    description:
      'JSON array of the values that $1, $2, … in the filter stand for, so that text from other nodes stays a value',
    displayOptions: whenJson,
  },
];
