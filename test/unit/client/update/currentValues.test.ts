import { toField } from '../../../../nodes/client/fields/kinds';
import { Table } from '../../../../nodes/client/fields/table';
import { fullFieldSchema } from '../../../../nodes/client/responses/schemas';
import { encodeUnsentValues, isFieldEmpty } from '../../../../nodes/client/update/currentValues';

const createField = (type: string) => toField(fullFieldSchema.parse({ slug: 'f', name: 'Label', type }));
const createRecord = (value: unknown) => ({ id: 'r1', f: value });
const context = { timeZone: 'UTC' };
const readCurrent = (type: string, value: unknown) =>
  encodeUnsentValues(new Table('t1', [createField(type)]), createRecord(value), [], context);
/** A field whose only choice is A. */
const createChoice = (type: string) =>
  toField(fullFieldSchema.parse({ slug: 'f', name: 'Label', type, options: [{ label: 'A', value: 'A' }] }));

test.each<[string, unknown, boolean]>([
  ['Number', 0, true],
  ['Number', '0', true],
  ['Currency', '0.00', true],
  ['Number', '', true],
  ['Number', '7', false],
  ['Number', '$7', false],
  ['Decision Box', 0, true],
  ['Decision Box', 'No', true],
  ['Decision Box', false, true],
  ['Decision Box', 'Yes', false],
  ['Decision Box', '1', false],
  ['Text', '0', false],
  ['Text', 0, false],
  ['Text', null, true],
  ['Connection', [], true],
  ['Connection', ['a'], false],
  ['Name', { first_name: '', last_name: null }, true],
  ['Name', { first_name: 'Ada' }, false],
])('%s %p holds nothing: %p', (type, value, isEmpty) => {
  const field = createField(type);
  expect(isFieldEmpty(createRecord(value), { table: new Table('t1', [field]), field })).toBe(isEmpty);
});

test('sends a composite back by its parts, without read-only parts', () => {
  const named = { first_name: 'Ada', last_name: '', full_name: 'Ada', id: 7 };
  expect(readCurrent('Name', named)).toEqual([
    ['f[first_name]', 'Ada'],
    ['f[last_name]', ''],
  ]);
});

test('sends back only the documented parts of a composite with a derived part', () => {
  expect(readCurrent('Address', { city: 'Leeds', lat: 53.8 })).toEqual([['f[city]', 'Leeds']]);
});

test('sends back the parts that an update does not contain', () => {
  const table = new Table('t1', [createField('Name')]);
  const record = createRecord({ first_name: 'Ada', last_name: 'Byron' });
  expect(encodeUnsentValues(table, record, [['f[first_name]', 'Eve']], context)).toEqual([
    ['f[last_name]', 'Byron'],
  ]);
});

/** Spec: Record, "Value when a field is omitted from a create or update payload". */
test.each<[string, unknown, unknown[]]>([
  ['Connection', [], []],
  ['Connection', ['a'], [['f', ['a']]]],
  ['Text', '', []],
  ['Text', null, []],
  ['Date', null, []],
  ['Multi-select', [], []],
  ['Address', { address: '', city: '', lat: '', lng: null }, []],
  // Left out, a number is "0 or null", and the spec names nothing for other types.
  ['Number', null, [['f', null]]],
  ['Number', 0, [['f', 0]]],
  ['Signature', '', [['f', '']]],
  ['Decision Box', 0, [['f', 0]]],
])('an empty value is left out if emptying does not change it: %s %j', (type, value, entries) => {
  expect(readCurrent(type, value)).toEqual(entries);
});

test.each([
  ['Name', 'Ada Byron'],
  ['Address', { formatted: 'Leeds' }],
  ['Text', { odd: 1 }],
  ['Signature', { odd: 1 }],
  ['Signature', [1, { odd: 1 }]],
])('%s %p cannot be sent back, and is refused', (type, value) => {
  expect(() => readCurrent(type, value)).toThrow('which cannot be sent back');
});

test('sends back a list of a type that the spec does not name', () => {
  expect(readCurrent('Signature', [1, 'two'])).toEqual([['f', [1, 'two']]]);
});

test.each([
  ['Dropdown', 'Gone', 'Gone'],
  ['Multi-select', ['A', 'Gone'], ['A', 'Gone']],
])('sends back a choice of a %s that was removed', (type, value, sent) => {
  const table = new Table('t1', [createChoice(type)]);
  expect(encodeUnsentValues(table, createRecord(value), [], context)).toEqual([['f', sent]]);
});

test('sends nothing for a field that the record does not show', () => {
  const fields = ['Number', 'Signature', 'Text'].map((type, n) => ({ ...createField(type), slug: `f${n}` }));
  expect(encodeUnsentValues(new Table('t1', fields), { id: 'r1' }, [], context)).toEqual([]);
});
