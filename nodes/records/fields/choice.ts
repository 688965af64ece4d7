/** The kinds whose values are choices. Users give a choice by its value or its label. */
import { uniq } from 'lodash';
import { formatForError, isBlank, joinFirstTexts, memory, parseList } from '../../service';
import type { Field } from './field';
import { explainUnsendableValue, isScalar } from './inputValues';
import { type FieldKind, createInvalidValueError, defineKind } from './kind';
import { findSimilarNames, NameIndex, toNameKey } from './names';
import { anyOfOperator, createTextOperators, isEmptyValue } from './operators';
import { createCheckedOperators, textKind } from './plainKinds';

/** The value may be a list of one choice. A longer list is returned unchanged. */
const unwrapSingleChoice = (value: unknown): unknown =>
  Array.isArray(value) && value.length === 1 ? (value[0] as unknown) : value;

type Choice = Field['options'][number];

/** The index is kept: a field may have 10,000 choices, and a sync looks up one for each record. */
const getChoiceIndex = memory.attach(
  'optionIndexes',
  { to: 'field', holds: 'the options of a field by value and label' },
  (options: Choice[]) => ({
    values: new Set(options.map(({ value }) => value)),
    names: new NameIndex(options, ({ label, value }) => [label, value], toNameKey),
  }),
);

/** Lists the choice with this value, or else those with this label, or else those that differ only in case. */
function findChoices(choice: unknown, { options }: Field): Choice[] {
  const wanted = String(choice);
  const { values, names } = getChoiceIndex(options);
  if (values.has(wanted)) return options.filter(({ value }) => value === wanted).slice(0, 1);
  return names.lookUp(wanted);
}

/** Returns the value of a choice. A text that belongs to no choice, or to several, is returned unchanged. */
function toChoiceValue(choice: unknown, field: Field): string {
  const [found, ...others] = findChoices(choice, field);
  return found && others.length === 0 ? found.value : String(choice);
}

const formatChoice = ({ label, value }: Choice) =>
  label === value ? formatForError(label) : `${formatForError(label)} (${value})`;

function suggestChoices(choice: unknown, { options }: Field): string {
  const labels = options.map(({ label }) => label);
  const names = findSimilarNames(String(choice), labels).map((label) => formatForError(label));
  return names.length > 0 ? `Did you mean ${names.join(' or ')}?` : '';
}

/** Accepts any text if the service lists no choices. @throws InputError that lists the choices */
function requireChoiceValue(choice: unknown, field: Field): string {
  const unsendable = explainUnsendableValue(choice);
  if (unsendable !== undefined) throw createInvalidValueError(field, choice, undefined, unsendable);
  if (field.options.length === 0) return String(choice);
  const [found, ...others] = findChoices(choice, field);
  if (found && others.length === 0) return found.value;
  const reason = found
    ? `Several choices have this name: ${joinFirstTexts([found, ...others].map(formatChoice))}.`
    : suggestChoices(choice, field);
  throw createInvalidValueError(field, choice, undefined, reason);
}

/** A text with commas may be one choice. Blank texts are removed: a service may return `['']` (evidence 11). */
function parseChoices(value: unknown, field: Field): unknown[] {
  const isOption = typeof value === 'string' && findChoices(value, field).length > 0;
  return (isOption ? [value] : parseList(value)).filter((choice) => !isBlank(choice));
}

export const choiceKind: FieldKind = defineKind({
  types: /^(select|single select|radio|dropdown)/,
  example: '"Open"',
  operators: textKind.operators,
  filterInput: 'choice',
  columnType: 'options',
  encode(value, field) {
    const choice = unwrapSingleChoice(value) ?? '';
    if (choice === '') return '';
    return isScalar(choice) ? requireChoiceValue(choice, field) : undefined;
  },
  // A record may hold a choice that was removed from the field. Its value is still returned.
  normalize(value, field) {
    const [choice, ...others] = [value].flat();
    if (isBlank(choice)) return '';
    return isScalar(choice) && others.length === 0 ? toChoiceValue(choice, field) : undefined;
  },
});

function listChosenTexts(value: unknown): string[] {
  if (isEmptyValue(value)) return [''];
  return Array.isArray(value) ? value.map(String) : [];
}

/** Number of characters of a label that n8n's form shows, approximately. */
const MAX_COLUMN_LABEL_LENGTH = 29;

/** Lists three choices for the label of a column, or fewer if n8n's form could not show them. */
function formatChoiceExamples({ name, options }: Field): string {
  const labels = options
    .slice(0, 3)
    .map(({ label }) => (label.length > 20 ? `${label.slice(0, 19)}…` : label));
  if (labels.length === 0) return 'a, b';
  const lists = labels.map((_, at) =>
    [...labels.slice(0, at + 1), ...(options.length > at + 1 ? ['…'] : [])].join(', '),
  );
  return lists.findLast((list) => `${name} (${list})`.length <= MAX_COLUMN_LABEL_LENGTH) ?? lists[0]!;
}

/**
 * Returns the value of a choice, or a text that is part of a value. The spec does not say whether the service compares
 * whole values or parts of them. See silences.md: `choiceParts`.
 * @throws InputError for a text that no choice contains
 * @throws InputError for a choice whose value is part of another value: a search for "c" may find "cpp" too
 */
function encodeChoiceSearchText(value: unknown, field: Field): string {
  const choice = unwrapSingleChoice(value);
  if (!isScalar(choice)) throw createInvalidValueError(field, value, choiceKind.example);
  const text = String(choice);
  const listContaining = (part: string) =>
    field.options.filter((option) => option.value.toLowerCase().includes(part.toLowerCase()));
  const [found, ...same] = findChoices(choice, field);
  if (!found) return listContaining(text).length > 0 ? text : requireChoiceValue(choice, field);
  const others = same.length > 0 ? same : listContaining(found.value).filter((option) => option !== found);
  if (others.length === 0) return found.value;
  const reason = `The service may take it for a part of other choices: ${joinFirstTexts(others.map(formatChoice))}. Filter by another field, or filter the records after they were read.`;
  throw createInvalidValueError(field, value, undefined, reason);
}

/** n8n's form has no input for lists, so the column takes text with commas. */
export const choicesKind: FieldKind = defineKind({
  types: /^multi/,
  example: '["Red", "Blue"], or "Red, Blue"',
  operators: [...createTextOperators(listChosenTexts), anyOfOperator],
  filterInput: 'choice',
  isMatchable: false,
  describeColumn: formatChoiceExamples,
  encode(value, field) {
    const choices = parseChoices(value, field);
    if (!choices.every(isScalar)) return undefined;
    return uniq(choices.map((choice) => requireChoiceValue(choice, field)));
  },
  normalize(value, field) {
    const choices = parseChoices(value, field);
    return choices.every(isScalar) ? uniq(choices.map((choice) => toChoiceValue(choice, field))) : undefined;
  },
  simplify: (value, field) => choicesKind.normalize(value, field) ?? value,
  encodeOperand: choiceKind.encodeOperand,
  encodeSearchText: encodeChoiceSearchText,
});

/** `is checked` and `is unchecked` say whether any of the choices is checked (spec: Filters, "Checkbox"). */
export const checkboxesKind: FieldKind = defineKind({
  ...choicesKind,
  types: /^checkbox/,
  operators: [...choicesKind.operators, ...createCheckedOperators((value) => !isEmptyValue(value))],
  filterInput: 'text',
});
