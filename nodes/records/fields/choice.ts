/**
 * Fields with choices: `choiceKind` for Select, Radio and Dropdown, `choicesKind` for Multi-select, `checkboxesKind` for
 * Checkbox. Users give a choice by its value or its label.
 */
import { uniq } from 'lodash';
import { formatForError, isBlank, isObject, joinFirst, memory, parseList } from '../../service';
import type { Field } from './field';
import { explainUnsendableValue, isScalar } from './inputValues';
import { type FieldKind, createInvalidValueError, defineKind } from './kind';
import { findSimilarNames, NameIndex, toNameKey } from './names';
import { anyOfOperator, createTextOperators, isEmptyValue } from './operators';
import { createCheckedOperators } from './plainKinds';

/** Reads a choice that is a plain value or an object: `{value}`, `{label}` or `{name}`. */
function unwrapOption(choice: unknown, { options }: Field): unknown {
  if (!isObject(choice)) return choice;
  if (choice.value !== undefined && choice.value !== null) return choice.value;
  const label = choice.label ?? choice.name ?? choice;
  return options.find((option) => option.label === label)?.value ?? label;
}

/** Reads a choice that may be the only entry of a list. A longer list is returned unchanged. */
const unwrapSingle = (value: unknown, field: Field): unknown =>
  unwrapOption(Array.isArray(value) && value.length === 1 ? value[0] : value, field);

type Option = Field['options'][number];

/** Indexes options. The field keeps its index: it may have 10,000 options, and a sync compares each record. */
const indexOptions = memory.attach(
  'optionIndexes',
  { to: 'field', holds: 'the options of a field by value and label' },
  (options: Option[]) => ({
    values: new Set(options.map(({ value }) => value)),
    names: new NameIndex(options, ({ label, value }) => [label, value], toNameKey),
  }),
);

/** Lists the options with this value, or else the options with this value or label in any case (see `toNameKey`). */
function findOptions(choice: unknown, { options }: Field): Option[] {
  const wanted = String(choice);
  const { values, names } = indexOptions(options);
  if (values.has(wanted)) return options.filter(({ value }) => value === wanted).slice(0, 1);
  return names.find(wanted);
}

/** Returns the value of the option that a choice names. If no option matches, or several do, returns the choice as text. */
function readOption(choice: unknown, field: Field): string {
  const [found, ...others] = findOptions(choice, field);
  return found && others.length === 0 ? found.value : String(choice);
}

const formatOption = ({ label, value }: Option) =>
  label === value ? formatForError(label) : `${formatForError(label)} (${value})`;

/** Names the choices of a field, and before them the choices that a word may be a misspelling of. */
function describeChoices(choice: unknown, { options }: Field): string {
  const labels = options.map(({ label }) => label);
  const names = findSimilarNames(String(choice), labels).map((label) => formatForError(label));
  const hint = names.length > 0 ? `Did you mean ${names.join(' or ')}? ` : '';
  return `${hint}Its choices are: ${joinFirst(labels, ', ', 12)}.`;
}

/**
 * Returns the value of a choice. Accepts any text if the options are not known. A text that is the value of one choice and
 * the label of another counts as the value. @throws InputError that lists the choices
 */
function resolveOption(choice: unknown, field: Field): string {
  const unsendable = explainUnsendableValue(choice);
  if (unsendable !== undefined) throw createInvalidValueError(field, choice, undefined, unsendable);
  if (field.options.length === 0) return String(choice);
  const [found, ...others] = findOptions(choice, field);
  if (found && others.length === 0) return found.value;
  const reason = found
    ? `Several choices have this name: ${joinFirst([found, ...others].map(formatOption))}.`
    : describeChoices(choice, field);
  throw createInvalidValueError(field, choice, found && JSON.stringify(found.label), reason);
}

/**
 * Parses a list of choices. A text with commas is one choice if it is the value or the label of an option. Blank
 * entries are left out: a service may return `['']` for no choice (evidence 11).
 */
function parseChoices(value: unknown, field: Field): unknown[] {
  const isOption = typeof value === 'string' && findOptions(value, field).length > 0;
  return (isOption ? [value] : parseList(value))
    .map((choice) => unwrapOption(choice, field))
    .filter((choice) => !isBlank(choice));
}

/** Select, Radio, Dropdown: one option value. */
export const choiceKind: FieldKind = defineKind({
  types: /^(select|single select|radio|dropdown)/,
  example: '"Open"',
  operators: [...createTextOperators((value) => (typeof value === 'string' ? [value] : [])), anyOfOperator],
  filterInput: 'choice',
  columnType: 'options',
  encode(value, field) {
    const choice = unwrapSingle(value, field) ?? '';
    if (choice === '') return '';
    return isScalar(choice) ? resolveOption(choice, field) : undefined;
  },
  // A value whose option was removed from the field can still be read.
  read(value, field) {
    const [choice, ...others] = [value].flat().map((one) => unwrapOption(one, field));
    if (isBlank(choice)) return '';
    return isScalar(choice) && others.length === 0 ? readOption(choice, field) : undefined;
  },
});

/** Lists the texts of a canonical value. An empty value is compared as an empty text. */
function listChosenTexts(value: unknown): string[] {
  if (isEmptyValue(value)) return [''];
  return Array.isArray(value) ? value.map(String) : [];
}

/** Approximate number of characters of a label that n8n's form shows completely. */
const SHOWN_LENGTH = 29;

/** Formats the first three choices for the label of a field, as far as they fit. Each is cut after 20 characters. */
function formatExamples({ name, options }: Field): string {
  const labels = options
    .slice(0, 3)
    .map(({ label }) => (label.length > 20 ? `${label.slice(0, 19)}…` : label));
  if (labels.length === 0) return 'a, b';
  const lists = labels.map((_, at) =>
    [...labels.slice(0, at + 1), ...(options.length > at + 1 ? ['…'] : [])].join(', '),
  );
  return lists.findLast((list) => `${name} (${list})`.length <= SHOWN_LENGTH) ?? lists[0]!;
}

/**
 * Finds the text to search for in the values of a multiple choice: the value of a choice, or a part of a value. The spec
 * does not say whether the service compares whole values or parts of text.
 * Open point: `choiceParts`.
 * @throws InputError for a text that no choice has, and for a choice whose value is a part of the value of another: "c"
 *   would find "cpp" too.
 */
function findChoiceText(value: unknown, field: Field): string {
  const choice = unwrapSingle(value, field);
  if (!isScalar(choice)) throw createInvalidValueError(field, value, choicesKind.example);
  const text = String(choice);
  const listContaining = (part: string) =>
    field.options.filter((option) => option.value.toLowerCase().includes(part.toLowerCase()));
  const [found, ...same] = findOptions(choice, field);
  if (!found) {
    if (field.options.length === 0 || listContaining(text).length > 0) return text;
    throw createInvalidValueError(field, value, choicesKind.example, describeChoices(text, field));
  }
  const others = same.length > 0 ? same : listContaining(found.value).filter((option) => option !== found);
  if (others.length === 0) return found.value;
  const reason = `The service may take it for a part of other choices: ${joinFirst(others.map(formatOption))}. Filter by another field, or filter the records after they were read.`;
  throw createInvalidValueError(field, value, choicesKind.example, reason);
}

/** Multi-select: array of option values. n8n's mapper has no input for arrays, so a column takes text with commas. */
export const choicesKind: FieldKind = defineKind({
  types: /^multi/,
  example: '["Red", "Blue"], or "Red, Blue"',
  operators: [...createTextOperators(listChosenTexts), anyOfOperator],
  filterInput: 'choice',
  isMatchable: false,
  describeColumn: formatExamples,
  encode(value, field) {
    const choices = parseChoices(value, field);
    if (!choices.every(isScalar)) return undefined;
    return uniq(choices.map((choice) => resolveOption(choice, field)));
  },
  read(value, field) {
    const choices = parseChoices(value, field);
    return choices.every(isScalar) ? uniq(choices.map((choice) => readOption(choice, field))) : undefined;
  },
  simplify: (value, field) => choicesKind.read(value, field) ?? value,
  encodeOperand: choiceKind.encodeOperand,
  encodeSearchText: findChoiceText,
});

/** Checkbox (multiple). Also has operators for whether any option is checked (spec: Filters, "Checkbox"). */
export const checkboxesKind: FieldKind = defineKind({
  ...choicesKind,
  types: /^checkbox/,
  operators: [...choicesKind.operators, ...createCheckedOperators((value) => !isEmptyValue(value))],
  filterInput: 'text',
});
