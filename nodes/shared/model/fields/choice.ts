import { listOf } from '../list';
import { isBlank, misfit, oneColumn, type Codec, type Column } from './codec';
import type { Field } from './field';

const optionsOf = (field: Field): Column['options'] =>
  field.options.map(({ label, value }) => ({ name: label, value }));

/** Takes an option's value or, as people type it, its label; any value where the options are not known. */
function pick(choice: unknown, field: Field): string {
  const wanted = String(choice);
  if (field.options.length === 0) return wanted;
  const same = (text: string) => text.toLowerCase() === wanted.trim().toLowerCase();
  const option =
    field.options.find(({ value }) => value === wanted) ?? field.options.find(({ label }) => same(label));
  if (!option) {
    const choices = field.options.slice(0, 12).map(({ label }) => label);
    const more = field.options.length > choices.length ? ', …' : '';
    throw misfit(field, choice, JSON.stringify(choices[0]), `Its choices are: ${choices.join(', ')}${more}.`);
  }
  return option.value;
}

const isScalar = (value: unknown) => ['string', 'number', 'boolean'].includes(typeof value);

/** Select, Radio, Dropdown: one option value. */
export const choice: Codec = {
  example: '"Open"',
  columns: (field) => [{ key: field.slug, label: field.name, type: 'options', options: optionsOf(field) }],
  encode(value, field) {
    if (isBlank(value)) return [[field.slug, '']];
    if (!isScalar(value)) throw misfit(field, value, choice.example);
    return [[field.slug, pick(value, field)]];
  },
};

/** Multi-select, Checkbox (multiple): array of option values. n8n's mapper lets nobody type an array: text. */
export const choices: Codec = {
  example: '["Red", "Blue"], or "Red, Blue"',
  columns: (field) => oneColumn(field, 'string'),
  encode(value, field) {
    // A single option whose label holds a comma is that option, not a list.
    const whole = field.options.find(({ label, value: own }) => label === value || own === value);
    const list = whole ? [whole.value] : listOf(value);
    if (!list.every(isScalar)) throw misfit(field, value, choices.example);
    return [[field.slug, list.map((one) => pick(one, field))]];
  },
};
