import type { INodeProperties } from 'n8n-workflow';
import { conditionRow } from './conditionRow';

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
  description: 'What to compare with what',
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
