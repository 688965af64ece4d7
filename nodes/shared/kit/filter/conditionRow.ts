import { ANY_OF, BETWEEN, OPERATORS_WITHOUT_VALUE, RELATIVE } from '../../model/filter';
import { defineRow } from '../operation/parameter';
import {
  CHOICE_KINDS,
  createChoiceInput,
  createDateInput,
  createFieldInput,
  createNotationInput,
  createNumberInput,
  createOperatorInput,
  createSearchTextInput,
  DATE_KINDS,
  matchKinds,
} from './conditionInputs';
import { periodInputs } from './periodInputs';
import { dateRange, numberRange, timeRange } from './rangeInputs';

/** The kinds that have an input of their own. */
const TYPED_INPUT_KINDS = `number|${DATE_KINDS}|${CHOICE_KINDS}|user`;
/** Operators that compare part of a choice's text, so the form shows a text input instead of a dropdown. */
const TEXT_INPUT_OPERATORS = ['starts with', 'ends with'];
const NO_VALUE_INPUT_OPERATORS = [...OPERATORS_WITHOUT_VALUE, RELATIVE];

/** Inputs of one condition row, in the order in which they are shown. */
export const conditionRow = defineRow(
  createFieldInput('dataTableId.value', 'componentId.value'),
  createOperatorInput('operator', 'is', 'getFilterOperators'),
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
  createNotationInput({ operator: ['is', 'is not', 'contains', ANY_OF] }),
  createSearchTextInput('textValue', {
    show: { field: matchKinds(CHOICE_KINDS), operator: TEXT_INPUT_OPERATORS },
  }),
  createNumberInput('numberValue', {
    show: { field: matchKinds('number') },
    hide: { operator: [...NO_VALUE_INPUT_OPERATORS, ANY_OF, BETWEEN] },
  }),
  ...numberRange,
  {
    displayName: 'Values',
    name: 'numberValues',
    type: 'string',
    default: '',
    placeholder: 'e.g. 1, 2, 3',
    displayOptions: { show: { field: matchKinds('number'), operator: [ANY_OF] } },
  },
  createDateInput('dateValue', {
    show: { field: matchKinds(DATE_KINDS) },
    hide: { operator: [...NO_VALUE_INPUT_OPERATORS, BETWEEN] },
  }),
  ...dateRange,
  ...timeRange,
  createChoiceInput('choiceValue', {
    show: { field: matchKinds(CHOICE_KINDS) },
    hide: { operator: [...NO_VALUE_INPUT_OPERATORS, ...TEXT_INPUT_OPERATORS, ANY_OF] },
  }),
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
