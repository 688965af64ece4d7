import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { listOperations } from '../../operations';
import { forms, getRows } from './forms';

/** Rules for the texts of the forms, as n8n's guidelines for node interfaces state them. */

interface Described {
  description?: string;
}

function listDescribed(field: INodeProperties): Described[] {
  const options = ['collection', 'fixedCollection'].includes(field.type) ? [] : (field.options ?? []);
  const rows = getRows(field).flat().flatMap(listDescribed);
  return [field, { description: field.hint }, ...(options as INodePropertyOptions[]), ...rows];
}

const fields = forms.flatMap((form) => form.fields).flatMap(listDescribed);
const texts = [
  ...new Set([...fields, ...listOperations()].flatMap(({ description = '' }) => description)),
].filter((text) => text !== '');

const listFields = (field: INodeProperties): INodeProperties[] => [
  field,
  ...getRows(field).flat().flatMap(listFields),
];
const allFields = forms.flatMap((form) => form.fields).flatMap(listFields);

const isSentences = (text: string) => /[a-z0-9)"]\. ["A-Z]/.test(text);

test('the forms have texts to check', () => expect(texts.length).toBeGreaterThan(200));

test('a text begins with a capital', () => {
  expect(texts.filter((text) => !/^["A-Z0-9]/.test(text))).toEqual([]);
});

test('a single sentence has no period at its end, and several sentences have one', () => {
  expect(texts.filter((text) => text.endsWith('.') !== isSentences(text))).toEqual([]);
});

test('the text of a switch begins with "Whether"', () => {
  const switches = allFields.filter(({ type }) => type === 'boolean');
  expect(
    switches.filter(({ description = '' }) => !description.startsWith('Whether ')).map(({ name }) => name),
  ).toEqual([]);
});

test('a text has no words of the code', () => {
  const jargon =
    /\b(param(eter)?s? object|payload|endpoint|boolean|regex|null pointer|enum|dialect|symbolic)\b/i;
  expect(texts.filter((text) => jargon.test(text))).toEqual([]);
});

test('the text of a JSON input has an example', () => {
  const inputs = allFields.filter(({ type }) => type === 'json');
  expect(inputs.length).toBeGreaterThan(5);
  expect(
    inputs
      .filter(({ description = '' }) => !/ Example: [[{].+[\]}]\./.test(description))
      .map(({ name }) => name),
  ).toEqual([]);
});

test('no number is shown with three decimals: 10.000 reads as ten thousand', () => {
  const precise = allFields.filter(({ typeOptions }) => (typeOptions?.numberPrecision ?? 0) > 2);
  expect(precise.map(({ name }) => name)).toEqual([]);
});
