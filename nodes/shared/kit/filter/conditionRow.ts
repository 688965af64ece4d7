import { ANY_OF, BETWEEN, OPERATORS_WITHOUT_VALUE, RELATIVE } from '../../model/filter';
import { defineRow } from '../operation/parameter';

const DATE_KINDS = 'date|dateTime|calendar';
const CHOICE_KINDS = 'choice|choices';
/** The kinds that have an input of their own. */
const TYPED_INPUT_KINDS = `number|${DATE_KINDS}|${CHOICE_KINDS}|user`;
/** Operators that compare part of a choice's text, so the form shows a text input instead of a dropdown. */
const TEXT_INPUT_OPERATORS = ['starts with', 'ends with'];
const NO_VALUE_INPUT_OPERATORS = [...OPERATORS_WITHOUT_VALUE, RELATIVE];

/**
 * Condition of n8n's forms: the field option is of one of the kinds, such as `number|date`. The value of a field
 * option is `field_id|kind`. The execution reads the kind from the table instead.
 */
const matchKinds = (kinds: string) => [{ _cnd: { regex: `\\|(${kinds})$` } }];

const showBetween = (kinds: string) => ({ show: { field: matchKinds(kinds), operator: [BETWEEN] } });

/** The two inputs of "between" for numbers. */
const numberRange = defineRow(
  {
    displayName: 'From',
    name: 'numberValue',
    type: 'number',
    default: '',
    description: 'Smallest value that still matches',
    displayOptions: showBetween('number'),
  },
  {
    displayName: 'To',
    name: 'numberTo',
    type: 'number',
    default: '',
    description: 'Largest value that still matches',
    displayOptions: showBetween('number'),
  },
);

/** The two inputs of "between" for dates. */
const dateRange = defineRow(
  {
    displayName: 'From',
    name: 'dateValue',
    type: 'dateTime',
    default: '',
    description: "First date that still matches, in the workflow's time zone",
    displayOptions: showBetween(DATE_KINDS),
  },
  {
    displayName: 'To',
    name: 'dateTo',
    type: 'dateTime',
    default: '',
    description: 'Last date that still matches',
    displayOptions: showBetween(DATE_KINDS),
  },
);

/** The two inputs of "between" for times. */
const timeRange = defineRow(
  {
    displayName: 'From',
    name: 'timeFrom',
    type: 'string',
    default: '',
    placeholder: 'e.g. 09:00:00',
    displayOptions: showBetween('time'),
  },
  {
    displayName: 'To',
    name: 'timeTo',
    type: 'string',
    default: '',
    placeholder: 'e.g. 17:30:00',
    displayOptions: showBetween('time'),
  },
);

/** The inputs for a period relative to today, such as the last 7 days. */
const periodInputs = defineRow(
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
);

/** Inputs of one condition row, in the order in which they are shown. */
export const conditionRow = defineRow(
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
      'How to compare. The list depends on the type of the field. Choose from the list, or specify an ID using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
    typeOptions: { loadOptionsMethod: 'getFilterOperators', loadOptionsDependsOn: ['&field'] },
  },
  {
    displayName: 'Value',
    name: 'value',
    type: 'string',
    default: '',
    description:
      'Value to compare with. For "is any of", give several values separated by commas, or an array.',
    displayOptions: {
      hide: { field: matchKinds(TYPED_INPUT_KINDS), operator: [...NO_VALUE_INPUT_OPERATORS, BETWEEN] },
    },
  },
  {
    displayName: 'Value',
    name: 'value',
    type: 'string',
    default: '',
    placeholder: 'e.g. K7pQ2xW9Lm',
    description:
      'ID of the user to compare with. For "is any of", give several IDs separated by commas, or an array.',
    hint: 'The ID of a user. The operators for the logged-in user need no ID.',
    displayOptions: { show: { field: matchKinds('user') }, hide: { operator: NO_VALUE_INPUT_OPERATORS } },
  },
  {
    displayName: 'Value As',
    name: 'valueAs',
    type: 'options',
    default: 'detect',
    description: 'How the value names the connected record',
    options: [
      { name: 'Detect', value: 'detect', description: 'Look it up as a name first, then as an ID' },
      { name: 'ID', value: 'ids' },
      { name: 'Name', value: 'names' },
    ],
    displayOptions: {
      show: { field: matchKinds('connection'), operator: ['is', 'is not', 'contains', ANY_OF] },
    },
  },
  {
    displayName: 'Value',
    name: 'textValue',
    type: 'string',
    default: '',
    description: 'Text to look for',
    displayOptions: { show: { field: matchKinds(CHOICE_KINDS), operator: TEXT_INPUT_OPERATORS } },
  },
  {
    displayName: 'Value',
    name: 'numberValue',
    type: 'number',
    default: '',
    description: 'Number to compare with',
    displayOptions: {
      show: { field: matchKinds('number') },
      hide: { operator: [...NO_VALUE_INPUT_OPERATORS, ANY_OF, BETWEEN] },
    },
  },
  ...numberRange,
  {
    displayName: 'Values',
    name: 'numberValues',
    type: 'string',
    default: '',
    placeholder: 'e.g. 1, 2, 3',
    displayOptions: { show: { field: matchKinds('number'), operator: [ANY_OF] } },
  },
  {
    displayName: 'Value',
    name: 'dateValue',
    type: 'dateTime',
    default: '',
    description: "Date, in the workflow's time zone",
    displayOptions: {
      show: { field: matchKinds(DATE_KINDS) },
      hide: { operator: [...NO_VALUE_INPUT_OPERATORS, BETWEEN] },
    },
  },
  ...dateRange,
  ...timeRange,
  {
    displayName: 'Value Name or ID',
    name: 'choiceValue',
    type: 'options',
    default: '',
    description:
      'One of the choices of the field. Choose from the list, or specify an ID using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
    typeOptions: { loadOptionsMethod: 'getFilterChoices', loadOptionsDependsOn: ['&field'] },
    displayOptions: {
      show: { field: matchKinds(CHOICE_KINDS) },
      hide: { operator: [...NO_VALUE_INPUT_OPERATORS, ...TEXT_INPUT_OPERATORS, ANY_OF] },
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
    displayOptions: { show: { field: matchKinds(CHOICE_KINDS), operator: [ANY_OF] } },
  },
  ...periodInputs,
);
