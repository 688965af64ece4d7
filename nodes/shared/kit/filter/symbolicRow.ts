import type { SymbolicCondition } from '../../model/filter';
import { defineRow } from '../operation/parameter';
import { matchKinds } from './conditionRow';

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
const DATE_KINDS = 'date|dateTime|calendar';
const CHOICE_KINDS = 'choice|choices|checkboxes';

/**
 * Inputs of one condition in the service's symbolic filter form (spec: Filters), arranged as in `conditionRow`. All
 * value inputs store the value under the same name; the kind of the field determines which one is shown.
 */
export const symbolicRow = defineRow(
  {
    displayName: 'Field Name or ID',
    name: 'field',
    type: 'options',
    default: '',
    description:
      'Field to compare, with its type. Choose from the list, or specify an ID using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
    typeOptions: { loadOptionsMethod: 'getFilterFields', loadOptionsDependsOn: ['dataTableId.value'] },
  },
  {
    displayName: 'Operator Name or ID',
    name: 'condition',
    type: 'options',
    default: 'equals',
    description:
      'How to compare. The list depends on the type of the field. Choose from the list, or specify an ID using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
    typeOptions: { loadOptionsMethod: 'getSymbolicOperators', loadOptionsDependsOn: ['&field'] },
  },
  {
    displayName: 'Value',
    name: 'value',
    type: 'string',
    default: '',
    description: 'Value to compare with',
    displayOptions: {
      hide: {
        condition: WORDS_WITHOUT_VALUE,
        field: matchKinds(`number|checkbox|${DATE_KINDS}|${CHOICE_KINDS}`),
      },
    },
  },
  {
    displayName: 'Value',
    name: 'value',
    type: 'string',
    default: '',
    description: 'Text to look for',
    displayOptions: { show: { field: matchKinds(CHOICE_KINDS), condition: TEXT_INPUT_WORDS } },
  },
  {
    displayName: 'Value Name or ID',
    name: 'value',
    type: 'options',
    default: '',
    description:
      'One of the choices of the field. Choose from the list, or specify an ID using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
    typeOptions: { loadOptionsMethod: 'getFilterChoices', loadOptionsDependsOn: ['&field'] },
    displayOptions: {
      show: { field: matchKinds(CHOICE_KINDS) },
      hide: { condition: [...WORDS_WITHOUT_VALUE, ...TEXT_INPUT_WORDS] },
    },
  },
  {
    displayName: 'Value',
    name: 'value',
    type: 'number',
    default: '',
    description: 'Number to compare with',
    displayOptions: { show: { field: matchKinds('number') }, hide: { condition: WORDS_WITHOUT_VALUE } },
  },
  {
    displayName: 'Value',
    name: 'value',
    type: 'dateTime',
    default: '',
    description: "Date, in the workflow's time zone",
    displayOptions: { show: { field: matchKinds(DATE_KINDS) }, hide: { condition: WORDS_WITHOUT_VALUE } },
  },
  {
    displayName: 'Value',
    name: 'value',
    type: 'options',
    default: '1',
    options: [
      { name: 'Checked', value: '1' },
      { name: 'Unchecked', value: '0' },
    ],
    displayOptions: { show: { field: matchKinds('checkbox') }, hide: { condition: WORDS_WITHOUT_VALUE } },
  },
);
