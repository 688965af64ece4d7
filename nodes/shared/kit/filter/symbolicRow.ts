import type { SymbolicCondition } from '../../model/filter';
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

/** A comparison of the symbolic form: its stored word, its symbol, and the operators of the primary form. */
interface SymbolicWord {
  /** n8n evaluates a stored "=" as an expression, so a word is stored. */
  value: string;
  condition: SymbolicCondition;
  /** Operators of the primary form that mean the same. The form shows their names. */
  operators: string[];
}

export const SYMBOLIC_WORDS: SymbolicWord[] = [
  { value: 'equals', condition: '=', operators: ['is'] },
  { value: 'notEquals', condition: '!=', operators: ['is not'] },
  { value: 'greater', condition: '>', operators: ['higher than', 'is after'] },
  { value: 'atLeast', condition: '>=', operators: ['higher than or equal to', 'is on or after'] },
  { value: 'less', condition: '<', operators: ['lower than', 'is before'] },
  { value: 'atMost', condition: '<=', operators: ['lower than or equal to', 'is on or before'] },
  { value: 'contains', condition: 'contains', operators: ['contains'] },
  { value: 'startsWith', condition: 'startswith', operators: ['starts with'] },
  { value: 'isBlank', condition: 'is_blank', operators: ['is blank'] },
  { value: 'notBlank', condition: 'not_blank', operators: ['is not blank'] },
];

const WORDS_WITHOUT_VALUE = ['isBlank', 'notBlank'];
/** Words that compare part of a choice's text, so the form shows a text input instead of a dropdown. */
const TEXT_INPUT_WORDS = ['contains', 'startsWith'];
/** Kinds whose value is picked from a list. */
const LIST_KINDS = `${CHOICE_KINDS}|checkboxes`;

/** Shows the input for a kind of field, with every operator that compares with a value. */
const showWithValue = (kinds: string) => ({
  show: { field: matchKinds(kinds) },
  hide: { condition: WORDS_WITHOUT_VALUE },
});

/**
 * Inputs of one condition in the service's symbolic filter form (spec: Filters), arranged as in `conditionRow`. All
 * value inputs store the value under the same name; the kind of the field determines which one is shown.
 */
export const symbolicRow = defineRow(
  createFieldInput('dataTableId.value'),
  createOperatorInput('condition', 'equals', 'getSymbolicOperators'),
  {
    displayName: 'Value',
    name: 'value',
    type: 'string',
    default: '',
    description: 'Value to compare with',
    displayOptions: {
      hide: {
        condition: WORDS_WITHOUT_VALUE,
        field: matchKinds(`number|checkbox|${DATE_KINDS}|${LIST_KINDS}`),
      },
    },
  },
  createNotationInput({ condition: ['equals', 'notEquals', 'contains'] }),
  createSearchTextInput('value', { show: { field: matchKinds(LIST_KINDS), condition: TEXT_INPUT_WORDS } }),
  createChoiceInput('value', {
    show: { field: matchKinds(LIST_KINDS) },
    hide: { condition: [...WORDS_WITHOUT_VALUE, ...TEXT_INPUT_WORDS] },
  }),
  createNumberInput('value', showWithValue('number')),
  createDateInput('value', showWithValue(DATE_KINDS)),
  {
    displayName: 'Value',
    name: 'value',
    type: 'options',
    default: '1',
    options: [
      { name: 'Checked', value: '1' },
      { name: 'Unchecked', value: '0' },
    ],
    displayOptions: showWithValue('checkbox'),
  },
);
