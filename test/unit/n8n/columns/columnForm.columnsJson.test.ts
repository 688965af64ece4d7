import { parseColumnsJson } from '../../../../nodes/n8n/columns/columnForm';

const values = { company: 'Mill', status: null };

test.each<[string, unknown]>([
  ['an object', values],
  ['JSON text', JSON.stringify(values)],
])('%s gives the values', (_, input) => expect(parseColumnsJson(input)).toEqual(values));

test.each<[string, unknown]>([
  ['a list of one record', [values]],
  ['two records', [values, values]],
  ['no record', []],
  ['pairs of field and value', [{ field: 'company', value: 'Mill' }]],
  ['a code block', `\`\`\`json\n${JSON.stringify(values)}\n\`\`\``],
  ['JSON text in JSON', JSON.stringify(JSON.stringify(values))],
  ['text that is not JSON', 'company: Mill'],
  ['a number', 5],
  ['null', null],
])('%s is refused with an example', (_, input) => {
  expect(() => parseColumnsJson(input)).toThrow(/^Fields \(JSON\) cannot be /);
  expect(() => parseColumnsJson(input)).toThrow(
    expect.objectContaining({ description: expect.stringMatching(/^Nothing was sent\..*"Mill Works"/) }),
  );
});
