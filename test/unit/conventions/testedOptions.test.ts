/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals -- not shipped: runs on Node */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { INodeProperties, INodePropertyCollection, INodePropertyOptions } from 'n8n-workflow';
import { RecordDatabaseApi } from '../../../credentials/RecordDatabaseApi.credentials';
import { forms } from './forms';

/** What no test names cannot be noticed when it breaks: the fields and choices of all forms. */

const folder = join(__dirname, '..', '..');

/** The tests of behavior. Those of conventions read the forms themselves, and stored workflows hold all fields. */
const tests = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.ts$/.test(file) && !/node_modules|conventions|^workflows|^mutation/.test(file))
  .map((file) => readFileSync(join(folder, file), 'utf8'))
  .join('\n');

const words = new Set(tests.match(/\w+/g));
const isQuoted = (value: string) => [`'${value}'`, `"${value}"`].some((text) => tests.includes(text));

/** The fields of a form with those of its collections. */
function listFields(fields: INodeProperties[]): INodeProperties[] {
  return fields.flatMap((field) => {
    const { type, options = [] } = field;
    if (type === 'collection') return [field, ...listFields(options as INodeProperties[])];
    if (type !== 'fixedCollection') return [field];
    return [field, ...listFields((options as INodePropertyCollection[]).flatMap(({ values }) => values))];
  });
}

const listChoices = ({ type, options = [] }: INodeProperties): string[] =>
  type === 'options' || type === 'multiOptions'
    ? (options as INodePropertyOptions[])
        .map(({ value }) => value)
        .filter((value) => typeof value === 'string')
    : [];

const fields = listFields([...forms.flatMap((form) => form.fields), ...new RecordDatabaseApi().properties]);
const inputs = fields.filter(({ type }) => type !== 'notice');

test('a test names each field of the forms and of the credential', () => {
  const names = new Set(inputs.map(({ name }) => name));
  expect(names.size).toBeGreaterThan(100);
  expect([...names].filter((name) => !words.has(name)).sort()).toEqual([]);
});

/** Choices that no test names. Write a test for a new one instead of adding it. */
const UNTESTED: string[] = [];

test('a test names each choice of the forms and of the credential', () => {
  const choices = new Set(
    inputs.flatMap((field) => listChoices(field).map((value) => `${field.name}: ${value}`)),
  );
  expect(choices.size).toBeGreaterThan(80);
  const unnamed = [...choices].filter((choice) => !isQuoted(choice.replace(/^\w+: /, '')));
  expect(unnamed.sort()).toEqual(UNTESTED);
});
