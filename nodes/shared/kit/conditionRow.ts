import type { INodeProperties } from 'n8n-workflow';
import { ANY_OF, BETWEEN, OPERATORS_WITHOUT_VALUE, RELATIVE } from '../model/filter';

/**
 * The value of a field option is `field_id|kind`: the kind chooses the typed input that is shown, the run
 * looks the real kind up again.
 */
const TYPED = 'number|date|dateTime|calendar|choice|choices';
/** Operators that compare a choice by part of its text: typed, not picked. */
const PARTIAL = ['starts with', 'ends with'];

const ofKind = (kinds: string) => [{ _cnd: { regex: `\\|(${kinds})$` } }];
const SPECIAL = [...OPERATORS_WITHOUT_VALUE, RELATIVE];

/** Inputs of one condition row, in the order in which they are shown. */
export const conditionRow: INodeProperties[] = [
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
    displayOptions: { hide: { field: ofKind(TYPED), operator: [...SPECIAL, BETWEEN] } },
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
    description: 'Number to compare with. Where the field is an expression, a 0 goes into the other Value.',
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
