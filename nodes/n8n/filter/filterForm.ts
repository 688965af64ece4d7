/** The form of a filter: rows of conditions, groups, or JSON. */
import { merge } from 'lodash';
import type { INodeProperties } from 'n8n-workflow';
import { getKind, KIND_NAMES, listOperatorNames } from '../../records';
import { createFromAiDefault } from '../agent/toolForm';
import {
  type ParameterDefinition,
  defineLoadedChoice,
  defineLoadedList,
  defineParameter,
  defineRow,
  createLoadOptions,
} from '../parameters/parameter';

type FilterInput = ReturnType<typeof getKind>['filterInput'];

export const LIST_OPERATORS = listOperatorNames({ operand: 'list' });
export const RANGE_OPERATORS = listOperatorNames({ operand: 'two' });
export const PERIOD_OPERATORS = listOperatorNames({ operand: 'relative' });

/** Operators without an input for one value. Any other operator, also one from an expression, takes one value. */
const OPERATORS_WITHOUT_ONE_VALUE = [
  ...listOperatorNames({ operand: 'none' }),
  ...PERIOD_OPERATORS,
  ...LIST_OPERATORS,
  ...RANGE_OPERATORS,
];

const DISPLAY_OPTIONS_BY_OPERAND = {
  one: { hide: { operator: OPERATORS_WITHOUT_ONE_VALUE } },
  two: { show: { operator: RANGE_OPERATORS } },
  list: { show: { operator: LIST_OPERATORS } },
};

/**
 * Returns when an input is shown. The value of Field contains the kind: `field_id|kind`. The text input is
 * shown for texts and times, and if the value of Field contains no kind.
 */
function createDisplayOptions(input: FilterInput, operand: keyof typeof DISPLAY_OPTIONS_BY_OPERAND) {
  const isText = input === 'text';
  const kinds = KIND_NAMES.filter((kind) => {
    const { filterInput } = getKind({ kind });
    return isText ? !['text', 'time'].includes(filterInput) : filterInput === input;
  });
  const field = [{ _cnd: { regex: `\\|(${kinds.join('|')})$` } }];
  return merge({ [isText ? 'hide' : 'show']: { field } }, DISPLAY_OPTIONS_BY_OPERAND[operand]);
}

const PROPERTIES_BY_INPUT: Partial<Record<FilterInput, Partial<INodeProperties>>> = {
  number: { type: 'number' },
  // Without a placeholder, n8n shows "Select date and time", even for a field that holds only a date.
  date: { type: 'dateTime', placeholder: 'e.g. 2025-03-31' },
};

const createInput = <const N extends string>(
  input: FilterInput,
  operand: keyof typeof DISPLAY_OPTIONS_BY_OPERAND,
  name: N,
  displayName: string,
  more: Partial<INodeProperties> = {},
) => ({
  displayName,
  name,
  type: 'string' as const,
  default: '',
  ...(operand === 'list' ? { description: 'Separated by commas, or an array' } : PROPERTIES_BY_INPUT[input]),
  ...more,
  displayOptions: createDisplayOptions(input, operand),
});

const createUnitParameter = (period: string[], ending: string) =>
  defineParameter({
    displayName: 'Unit',
    name: 'unit',
    type: 'options',
    default: 'day',
    options: ['Day', 'Week', 'Month', 'Year'].map((unit) => ({
      name: `${unit}${ending}`,
      value: unit.toLowerCase(),
    })),
    displayOptions: { show: { operator: PERIOD_OPERATORS, period } },
  });

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
    displayOptions: { show: { operator: PERIOD_OPERATORS } },
  },
  {
    displayName: 'Amount',
    name: 'amount',
    type: 'number',
    default: 7,
    typeOptions: { minValue: 1 },
    displayOptions: { show: { operator: PERIOD_OPERATORS, period: ['last', 'next'] } },
  },
  createUnitParameter(['last', 'next'], 's'),
  createUnitParameter(['this'], ''),
);

/** Every field has this operator. */
const DEFAULT_OPERATOR = 'is';

/** The inputs of a condition, in the order in which they are shown. */
const conditionInputs = defineRow(
  defineLoadedChoice({
    displayName: 'Field',
    name: 'field',
    description: 'Field to compare, with its type.',
    typeOptions: createLoadOptions('getFilterFields'),
  }),
  {
    displayName: 'Operator',
    name: 'operator',
    type: 'options',
    default: DEFAULT_OPERATOR,
    description:
      'How to compare. The list depends on the type of the field. Choose from the list, or specify an ID using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
    typeOptions: createLoadOptions('getFilterOperators', ['&field']),
  },
  createInput('text', 'one', 'value', 'Value'),
  createInput('text', 'list', 'value', 'Values', { placeholder: 'e.g. Leeds, York' }),
  createInput('user', 'one', 'value', 'Value (User ID)', { placeholder: 'e.g. K7pQ2xW9Lm' }),
  createInput('user', 'list', 'value', 'Values (User IDs)', { placeholder: 'e.g. K7pQ2xW9Lm, B3sD8vT1Qa' }),
  createInput('connection', 'one', 'value', 'Value (Name or ID)', { placeholder: 'e.g. Mill Works' }),
  createInput('connection', 'list', 'value', 'Values (Names or IDs)', {
    placeholder: 'e.g. Mill Works, Best Tools',
  }),
  createInput('checked', 'one', 'checkedValue', 'Value', {
    type: 'options',
    default: 'yes',
    options: [
      { name: 'Yes', value: 'yes' },
      { name: 'No', value: 'no' },
    ],
  }),
  createInput('filled', 'one', 'filledValue', 'Value', {
    type: 'options',
    default: 'filled',
    options: [
      { name: 'Blank', value: 'blank' },
      { name: 'Filled', value: 'filled' },
    ],
  }),
  createInput('number', 'one', 'numberValue', 'Value'),
  createInput('number', 'two', 'numberValue', 'From', { description: 'Smallest value that still matches' }),
  createInput('number', 'two', 'numberTo', 'To', { description: 'Largest value that still matches' }),
  createInput('number', 'list', 'numberValues', 'Values', { placeholder: 'e.g. 1, 2, 3' }),
  createInput('date', 'one', 'dateValue', 'Value', { description: "Date, in the workflow's time zone" }),
  createInput('date', 'two', 'dateValue', 'From', {
    description: "First date that still matches, in the workflow's time zone",
  }),
  createInput('date', 'two', 'dateTo', 'To', { description: 'Last date that still matches' }),
  createInput('time', 'two', 'timeFrom', 'From', { placeholder: 'e.g. 09:00:00' }),
  createInput('time', 'two', 'timeTo', 'To', { placeholder: 'e.g. 17:30:00' }),
  defineLoadedChoice({
    displayName: 'Value',
    name: 'choiceValue',
    description: 'One of the choices of the field.',
    typeOptions: createLoadOptions('getFilterChoices', ['&field']),
    displayOptions: createDisplayOptions('choice', 'one'),
  }),
  defineLoadedList({
    displayName: 'Values',
    name: 'choiceValues',
    description: 'Choices of the field, any of which matches.',
    typeOptions: createLoadOptions('getFilterChoices', ['&field']),
    displayOptions: createDisplayOptions('choice', 'list'),
  }),
  ...periodInputs,
);

const shownWithoutGroups = { show: { filterMode: ['manual', 'any'] } };
const shownWithGroups = { show: { filterMode: ['groups'] } };

export const filterModeParameter = defineParameter({
  displayName: 'Filter',
  name: 'filterMode',
  type: 'options',
  default: 'none',
  description: 'Which records to work with',
  options: [
    { name: 'All Conditions Must Match', value: 'manual', description: 'A and B and C' },
    { name: 'Any Condition Must Match', value: 'any', description: 'A or B or C' },
    { name: 'Groups of Conditions', value: 'groups', description: 'Such as (A or B) and (C or D)' },
    {
      name: 'JSON',
      value: 'json',
      description: 'Such as {"Status": "Active"}, with groups in groups',
    },
    { name: 'None', value: 'none', description: 'All records' },
  ],
});

const createMustMatchParameter = (preset: 'all' | 'any', description: string) =>
  defineParameter({
    displayName: 'Must Match',
    name: 'match',
    type: 'options',
    default: preset,
    description,
    options: [
      { name: 'All Conditions', value: 'all' },
      { name: 'Any Condition', value: 'any' },
    ],
  });

export const mustMatchParameter = createMustMatchParameter(
  'all',
  'Whether a record must meet all conditions and groups, or any one of them',
);

export const conditionsParameter = defineParameter({
  displayName: 'Conditions',
  name: 'conditions',
  type: 'fixedCollection',
  placeholder: 'Add Condition',
  default: {},
  description: 'Fields, operators and values to compare',
  typeOptions: { multipleValues: true },
  options: [{ displayName: 'Condition', name: 'items', values: conditionInputs }],
});

export const conditionGroupsParameter = defineParameter({
  displayName: 'Condition Groups',
  name: 'groups',
  type: 'fixedCollection',
  placeholder: 'Add Group',
  default: {},
  description: 'Conditions that are evaluated together, for example (A or B) and (C or D)',
  typeOptions: { multipleValues: true },
  displayOptions: shownWithGroups,
  options: [
    {
      displayName: 'Group',
      name: 'items',
      values: [
        // The default is "any", because conditions that must all be met need no group.
        createMustMatchParameter(
          'any',
          'Whether a record must meet all conditions of this group, or any one of them',
        ),
        conditionsParameter,
      ],
    },
  ],
});

export const filterJsonParameter = defineParameter({
  displayName: 'Filter (JSON)',
  name: 'filterJson',
  type: 'json',
  default: '{\n  "Status": "Active"\n}',
  description:
    'JSON object of fields and values, all of which must match. A field is given by its name or slug. Common operators are "is", "is not", "contains", "starts with", "is any of", "between" and "is blank"; symbols and $eq, $ne, $gt, $gte, $lt, $lte and $in are valid too. Example: {"status": "active", "price": {"$gte": 50, "$lt": 100}, "or": [{"city": "Leeds"}, {"city": "York"}]}. The form of the service is valid too: {"condition": "AND", "items": [{"field_id": "status", "operator": "is", "val": "active"}]}. The value "$1" is replaced by the first of the Filter Parameters. The word "all" means all records.',
  displayOptions: { show: { filterMode: ['json'] } },
});

const TOOL_FILTER_DESCRIPTION =
  'Which records, as a JSON object of fields and values that must all match. A field is given by its name or slug, a choice by its label. Example: {"Status": "Active", "City": ["Leeds", "York"], "Price": {">=": 50, "<": 100}, "Name": {"contains": "Mill"}, "Due": {"is before": "2025-03-31"}, "Notes": {"is blank": true}}. For either of several: {"or": [{"City": "Leeds"}, {"Price": {">": 50}}]}. A field of connected records: {"Customer → City": "Leeds"}. The word all means all records.';

/** The only filter input of a tool, whose form has no choice between filter modes. */
export const toolFilterParameter = defineParameter({
  displayName: 'Filter (JSON)',
  name: 'filterJson',
  type: 'json',
  default: createFromAiDefault('filter', TOOL_FILTER_DESCRIPTION),
  forTools: 'only',
  description: TOOL_FILTER_DESCRIPTION,
});

export const baseFilterParametersOption = defineParameter({
  displayName: 'Filter Parameters',
  name: 'filterParameters',
  type: 'json',
  default: '[]',
  description:
    'JSON array of the values that replace $1, $2 and so on in the filter. Use it for text from other nodes, which could otherwise break the JSON. Example: ["Mill Works", 5].',
  displayOptions: { show: { '/filterMode': ['json'] } },
});

export const filterParametersOption = defineParameter({ ...baseFilterParametersOption, forTools: 'never' });

export const triggerFilterForm: ParameterDefinition[] = [
  filterModeParameter,
  // The form starts with one condition that lacks only the field and the value.
  { ...conditionsParameter, default: { items: [{}] }, displayOptions: shownWithoutGroups },
  { ...mustMatchParameter, displayOptions: shownWithGroups },
  { ...conditionsParameter, displayOptions: shownWithGroups },
  conditionGroupsParameter,
  filterJsonParameter,
];

export const withFilterMode = (
  form: ParameterDefinition[],
  change: Partial<ParameterDefinition>,
): ParameterDefinition[] =>
  form.map((one) => (one.name === filterModeParameter.name ? { ...one, ...change } : one));

/** The form starts with an empty condition, which means all records and saves two clicks. A tool has JSON. */
export const filterForm: ParameterDefinition[] = [
  ...withFilterMode(triggerFilterForm, { default: 'manual' }).map((parameter): ParameterDefinition => ({
    ...parameter,
    forTools: 'never',
  })),
  toolFilterParameter,
];

export const requiredFilterForm = withFilterMode(filterForm, {
  options: filterModeParameter.options.filter(({ value }) => value !== 'none'),
});
