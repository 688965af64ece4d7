import { getKind } from '../../../../nodes/records';
import { createInvalidValueError } from '../../../../nodes/records/fields/kind';
import { KIND_NAMES } from '../../../../nodes/records/fields/kinds';
import { createShowcase } from '../../service/showcase';
import { catchTexts, createField } from './fieldTools';

const UTC = { timeZone: 'utc' };

test('an invalid value is explained with the field, its type and a valid value', () => {
  const field = createField('Number');
  expect(createInvalidValueError(field, 'a', '12.5')).toMatchObject({
    message: '"Label" cannot take "a"',
    description: 'Label (f) is of the type Number. A valid value: 12.5.',
  });
  expect(createInvalidValueError(field, ['a'], '12.5', 'It is a list.')).toMatchObject({
    message: '"Label" cannot take ["a"]',
    description: 'Label (f) is of the type Number. It is a list. A valid value: 12.5.',
  });
});

test.each<[type: string, value: unknown, sent: string]>([
  ['Text', 'Re', 'Re'],
  ['Number', 5, '5'],
  ['Select', 'Re', 'Re'],
  ['Select', 'Red', 'r'],
  ['Connection', { id: 'a', val: 'A' }, 'a'],
])('%s: the text %j to search for is sent as %j', (type, value, sent) => {
  const field = createField(type, { options: [{ label: 'Red', value: 'r' }] });
  expect(getKind(field).encodeSearchText(value, field, UTC)).toBe(sent);
});

test.each([[['a']], [{ a: 1 }]])('%j is no text to search for', (value) => {
  const field = createField('Text');
  expect(catchTexts(() => getKind(field).encodeSearchText(value, field, UTC))).toEqual([
    `"Label" cannot take ${JSON.stringify(value)}`,
    'Label (f) is of the type Text. Give text to search for. A valid value: "Blue".',
  ]);
});

test('a Decision Box is found by the operators of its states', () => {
  const { findOperatorForState } = getKind({ kind: 'checkbox' });
  expect([1, 0].map((value) => findOperatorForState?.(value))).toEqual(['is checked', 'is unchecked']);
});

test('lists of choices, ranges, users and files find no record by their exact value', () => {
  expect(KIND_NAMES.filter((kind) => !getKind({ kind }).isMatchable)).toEqual([
    'password',
    'choices',
    'checkboxes',
    'calendar',
    'dateRange',
    'user',
    'image',
    'files',
    'file',
  ]);
});

test.each([
  ['number', ['higher than or equal to', 'lower than or equal to']],
  ['date', ['is on or after', 'is on or before']],
  ['time', ['is on or after', 'is on or before']],
  ['dateTime', ['is on or after', 'is on or before']],
  ['calendar', ['is on or after', 'is on or before']],
  ['text', undefined],
] as const)('%s: a range uses the operators %j', (kind, operators) => {
  const { rangeOperators, operators: all } = getKind({ kind });
  expect(rangeOperators).toEqual(operators);
  expect(all.map(({ name }) => name)).toEqual(expect.arrayContaining([...(operators ?? [])]));
});

test('each kind is that of a field of the sample table, whose values the tests over HTTP send (test/service/sample/showcase.ts)', () => {
  const shown = createShowcase().table.fields.map(({ kind }) => kind);
  expect(KIND_NAMES.filter((name) => !shown.includes(name))).toEqual(['rangeEnd', 'allDay', 'unnamed']);
});

test('a text to search for that is the value of one choice and the label of another is the value', () => {
  const options = [
    { label: '2', value: '1' },
    { label: '1', value: '2' },
  ];
  const field = createField('Select', { options });
  expect(getKind(field).encodeSearchText('2', field, UTC)).toBe('2');
});
