import { findBySpelling } from '../../input/findSimilarNames';
import { isBlank } from '../../input/isBlank';
import { isObject } from '../../input/isObject';
import { parseList } from '../../input/parseList';
import type { Field } from '../field';
import { createHintedColumn, createInvalidValueError, createSingleColumn, defineKind } from '../kind';
import { anyOfOperator, createTextOperators, isEmptyValue } from '../operators';
import { createCheckedOperators } from './checkbox';

const isScalar = (value: unknown) => ['string', 'number', 'boolean'].includes(typeof value);

/** Returns the value of a choice, which is a plain value or an option: `{value}`, `{label}` or `{name}`. */
function unwrapOption(choice: unknown): unknown {
  if (!isObject(choice)) return choice;
  return choice.value ?? choice.label ?? choice.name ?? choice;
}

/** Returns the only entry of a list. Any other value is returned unchanged. */
const unwrapSingle = (value: unknown): unknown =>
  unwrapOption(Array.isArray(value) && value.length === 1 ? value[0] : value);

/** Finds the value of the option that has this value or label, or that alone has it in another spelling. */
function findOption(choice: unknown, { options }: Field): string | undefined {
  const wanted = String(choice);
  const label = wanted.trim().toLowerCase();
  return (
    options.find(({ value }) => value === wanted) ??
    options.find((option) => option.label.toLowerCase() === label) ??
    findBySpelling(wanted, options, (option) => [option.value, option.label])
  )?.value;
}

/** Accepts any value if the options are not known. @throws InputError that lists the choices */
function resolveOption(choice: unknown, field: Field): string {
  const value = field.options.length === 0 ? String(choice) : findOption(choice, field);
  if (value !== undefined) return value;
  const choices = field.options.slice(0, 12).map(({ label }) => label);
  const more = field.options.length > choices.length ? ', …' : '';
  throw createInvalidValueError(
    field,
    choice,
    JSON.stringify(choices[0]),
    `Its choices are: ${choices.join(', ')}${more}.`,
  );
}

/** Parses a list of choices. A value or label that contains a comma is one choice. */
function parseChoices(value: unknown, field: Field): unknown[] {
  const isOption = field.options.some(
    ({ label, value: optionValue }) => label === value || optionValue === value,
  );
  return (isOption ? [value] : parseList(value)).map(unwrapOption);
}

/** Select, Radio, Dropdown: one option value. */
export const choiceKind = defineKind({
  types: /^(select|single select|radio|dropdown)/,
  probeRank: 2,
  example: '"Open"',
  operators: [...createTextOperators((value) => (typeof value === 'string' ? [value] : [])), anyOfOperator],
  createColumns: (field) =>
    createSingleColumn(field, 'options').map((column) => ({
      ...column,
      options: field.options.map(({ label, value }) => ({ name: label, value })),
    })),
  encode(value, field) {
    const choice = unwrapSingle(value);
    if (isBlank(choice)) return [[field.slug, '']];
    if (!isScalar(choice)) throw createInvalidValueError(field, value, choiceKind.example);
    return [[field.slug, resolveOption(choice, field)]];
  },
  // A value whose option was removed from the field can still be read.
  read(value, field) {
    const [choice, ...others] = [value].flat().map(unwrapOption);
    if (isBlank(choice)) return '';
    return isScalar(choice) && others.length === 0
      ? (findOption(choice, field) ?? String(choice))
      : undefined;
  },
  createMatch: (val) => ({ operator: 'is exact', val }),
});

/** Lists the texts of a canonical value. An empty value is compared as an empty text. */
function listChosenTexts(value: unknown): string[] {
  if (isEmptyValue(value)) return [''];
  return Array.isArray(value) ? value.map(String) : [];
}

/**
 * Multi-select: array of option values. n8n's mapper has no input for arrays, so the column takes text with
 * commas.
 */
export const choicesKind = defineKind({
  types: /^multi/,
  example: '["Red", "Blue"], or "Red, Blue"',
  operators: [...createTextOperators(listChosenTexts), anyOfOperator],
  isMatchable: false,
  createColumns: (field) => createHintedColumn(field, 'labels: a, b'),
  encode(value, field) {
    const choices = parseChoices(value, field);
    if (!choices.every(isScalar)) throw createInvalidValueError(field, value, choicesKind.example);
    return [[field.slug, choices.map((choice) => resolveOption(choice, field))]];
  },
  read(value, field) {
    const choices = parseChoices(value, field).filter((choice) => !isBlank(choice));
    return choices.every(isScalar)
      ? choices.map((choice) => findOption(choice, field) ?? String(choice))
      : undefined;
  },
  encodeOperand: choiceKind.encodeOperand,
  createMatch: choiceKind.createMatch,
});

/**
 * Checkbox (multiple). Its additional operators check whether any option is checked (spec: Filters,
 * "Checkbox").
 */
export const checkboxesKind = defineKind({
  ...choicesKind,
  types: /^checkbox/,
  operators: [...choicesKind.operators, ...createCheckedOperators((value) => !isEmptyValue(value))],
});
