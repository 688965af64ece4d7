import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { RecordDatabaseApi } from '../../../credentials/RecordDatabaseApi.credentials';
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

// The credential's form has no operation.
const inputs: INodeProperties[] = [...allFields, ...new RecordDatabaseApi().properties];

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
    /\b(param(eter)?s? object|payload|endpoint|boolean|regex|null pointer|enum|dialect|symbolic|schema|memory|process(es)?|cached?|stateless|invalidate)\b/i;
  expect(texts.filter((text) => jargon.test(text))).toEqual([]);
});

const splitSentences = (text: string): string[] =>
  text.split(/(?<=[.?])\s+/).map((one) => one.replace(/\.$/, ''));

test('a hint says nothing that the description of the same input says', () => {
  const hinted = inputs.filter(({ hint, description }) => hint && description);
  expect(hinted.length).toBeGreaterThan(10);
  const repeated = hinted.filter(({ hint = '', description = '' }) =>
    splitSentences(hint).some((sentence) => splitSentences(description).includes(sentence)),
  );
  expect(repeated.map(({ name, hint }) => `${name}: ${hint}`)).toEqual([]);
});

test('an optional list of the form says in its hint what it means while it is empty', () => {
  const isLoaded = ({ type, typeOptions, default: preset }: INodeProperties) =>
    type === 'resourceLocator' ||
    (typeOptions?.loadOptionsMethod !== undefined &&
      ['', '[]'].includes(preset === '' ? '' : JSON.stringify(preset)));
  const isOfTools = ({ displayOptions }: INodeProperties) => displayOptions?.show?.['@tool']?.includes(true);
  const optional = forms.flatMap((form) =>
    form.fields
      .filter((field) => isLoaded(field) && !field.required && !isOfTools(field))
      .map((field) => ({ at: `${form.at} ${field.name}`, hint: field.hint ?? '' })),
  );
  expect(optional.length).toBeGreaterThan(5);
  expect(optional.filter(({ hint }) => !hint.startsWith('Empty: '))).toEqual([]);
});

test('a notice asks the user to do something: all else is a description', () => {
  const notices = [
    ...new Set(inputs.filter(({ type }) => type === 'notice').map(({ displayName }) => displayName)),
  ];
  expect(notices.length).toBeGreaterThan(1);
  const isOfCredential = (text: string) => text.includes('all records');
  expect(notices.filter((text) => !/\b(Choose|Paste)\b/.test(text) && !isOfCredential(text))).toEqual([]);
  // n8n's editor removes all other tags, also <br>: what stood on two lines would run together.
  expect(notices.flatMap((text) => text.match(/<(?!\/?(?:a|ul|li)\b)[^>]*>/g) ?? [])).toEqual([]);
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

/** A hint stands below its input and pushes the others down: n8n's rule for hints. */
const MAX_HINT = 120;

/** A description is read in a small box. n8n has no rule for it. */
const MAX_DESCRIPTION = 250;

/**
 * The list of a dropdown shows two lines of a description and cuts the rest (n8n 2.41). Of the 3,164 operations of n8n's own
 * nodes, two have a longer one.
 */
const MAX_CHOICE = 110;

/** A JSON input has its notation and an example in its description, which an agent reads too. */
const MAX_JSON_DESCRIPTION = 610;

/** The sentence that n8n demands for a list that is loaded. Its link is not read. */
const LIST_SENTENCE = / Choose from the list, or specify .+<\/a>\.$/;

const listTooLong = (max: number, list: string[]): string[] =>
  [...new Set(list)]
    .filter((text) => text.length > max)
    .sort((a, b) => b.length - a.length)
    .map((text) => `${text.length}: ${text}`);

test('no hint is longer than n8n allows', () => {
  const hints = inputs.flatMap(({ hint = [], modes = [] }) => [
    hint,
    modes.flatMap((mode) => mode.hint ?? []),
  ]);
  expect(hints.flat(2).length).toBeGreaterThan(20);
  expect(listTooLong(MAX_HINT, hints.flat(2))).toEqual([]);
});

/** The texts of an input and of its choices. The inputs of a collection are in the list themselves. */
const describeInput = ({ type, description = '', options = [] }: INodeProperties): string[] => {
  const choices = type.endsWith('ollection') ? [] : (options as INodePropertyOptions[]);
  return [description, ...choices.map((choice) => choice.description ?? '')].map((text) =>
    text.replace(LIST_SENTENCE, ''),
  );
};

/** The descriptions in the list of a dropdown. Those of other lists are inputs themselves. */
const listChoices = ({ type, options = [] }: INodeProperties): string[] =>
  type.endsWith('ollection')
    ? []
    : (options as INodePropertyOptions[]).map((choice) => choice.description ?? '');

test('the list of a dropdown cuts no description', () => {
  const operations = listOperations().map(({ description }) => description);
  const choices = inputs.flatMap(listChoices);
  expect(choices.length).toBeGreaterThan(100);
  expect(listTooLong(MAX_CHOICE, [...operations, ...choices])).toEqual([]);
});

test('no description is longer than a small box', () => {
  const isJson = ({ type, name }: INodeProperties) => type === 'json' || name.endsWith('Json');
  const operations = listOperations().map(({ description }) => description);
  const others = inputs.filter((input) => !isJson(input)).flatMap(describeInput);
  expect(listTooLong(MAX_DESCRIPTION, [...operations, ...others])).toEqual([]);
  expect(listTooLong(MAX_JSON_DESCRIPTION, inputs.filter(isJson).flatMap(describeInput))).toEqual([]);
});
