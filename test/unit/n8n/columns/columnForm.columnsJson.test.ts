import { parseColumnsJson } from '../../../../nodes/n8n/columns/columnForm';
import { Table } from '../../../../nodes/records';
import { parseField } from '../../records/fields/fieldTools';

const createTable = (slug: string) =>
  new Table('t1', [parseField({ slug, name: slug, type: 'Text', fieldId: 'f1' })]);

const table = createTable('company');
const values = { company: 'Mill', status: null };
const text = JSON.stringify(values);

test.each<[string, unknown]>([
  ['an object', values],
  ['JSON text', text],
  ['a code block', `\`\`\`json\n${text}\n\`\`\``],
  ['JSON text in JSON', JSON.stringify(text)],
  ['a list of one record', [values]],
  ['a wrapper', { fields: values }],
  ['a wrapper in capitals', { Record: values }],
  ['wrappers in a list', [{ data: { properties: values } }]],
  ['pairs of field and value', [{ field: 'company', value: 'Mill' }, { Column: 'status', value: null }]], // prettier-ignore
])('%s gives the values', (_, input) => expect(parseColumnsJson(input, table)).toEqual(values));

test('a single pair is a list of pairs, not a wrapped record', () =>
  expect(parseColumnsJson([{ name: 'company', value: 'Mill' }], table)).toEqual({ company: 'Mill' }));

test('a wrapper is a column if the table has a field of that name', () => {
  const wrapped = { data: { a: 1 } };
  expect(parseColumnsJson(wrapped, createTable('data'))).toEqual(wrapped);
  expect(parseColumnsJson(wrapped, table)).toEqual({ a: 1 });
});

test('an object that is no wrapper keeps its keys', () => {
  for (const json of [{ data: 'text' }, { data: null }, { data: {}, more: 1 }, { company: { first: 'A' } }])
    expect(parseColumnsJson(json, table)).toEqual(json);
});

test.each<[string, unknown]>([
  ['two records', [values, values]],
  ['no record', []],
  ['a field that is given twice', [{ field: 'company', value: 1 }, { field: 'company', value: 2 }]], // prettier-ignore
  ['a pair without a name', [{ value: 1 }, { field: 'company', value: 2 }]],
  [
    'a pair with more keys',
    [
      { field: 'a', value: 1, op: 'is' },
      { field: 'b', value: 2 },
    ],
  ],
  ['text that is not JSON', 'company: Mill'],
  ['a number', 5],
  ['null', null],
])('%s is refused with an example', (_, input) => {
  expect(() => parseColumnsJson(input, table)).toThrow(/^Fields \(JSON\) cannot be /);
  expect(() => parseColumnsJson(input, table)).toThrow(
    expect.objectContaining({ description: expect.stringMatching(/^Nothing was sent\..*"Mill Works"/) }),
  );
});
