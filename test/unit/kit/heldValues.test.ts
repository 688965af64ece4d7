import { currentValues, holdsNothing } from '../../../nodes/shared/kit/heldValues';
import { fieldFrom } from '../../../nodes/shared/model/fields';
import { fullFieldSchema } from '../../../nodes/shared/model/responses';
import { Table } from '../../../nodes/shared/model/table';

const field = (type: string) => fieldFrom(fullFieldSchema.parse({ slug: 'f', name: 'Label', type }));
const record = (value: unknown) => ({ id: 'r1', f: value });
const context = { timeZone: 'UTC' };
const current = (type: string, value: unknown) =>
  currentValues(new Table('t1', [field(type)]), record(value), [], context);

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
  expect(holdsNothing(record(value), field(type))).toBe(isEmpty);
});

test('a composite goes back by its parts, without what only reading brings', () => {
  const named = { first_name: 'Ada', last_name: '', full_name: 'Ada', id: 7 };
  expect(current('Name', named)).toEqual([
    ['f[first_name]', 'Ada'],
    ['f[last_name]', ''],
  ]);
  expect(current('Address', { address: '', city: '', lat: '', lng: null })).toEqual([
    ['f[address]', ''],
    ['f[city]', ''],
  ]);
});

test.each([
  ['Name', 'Ada Byron'],
  ['Address', { formatted: 'Leeds' }],
  ['Address', { city: 'Leeds', lat: 53.8 }],
  ['Text', { odd: 1 }],
])('%s %p could not be put back, and is refused', (type, value) => {
  expect(() => current(type, value)).toThrow('which could not be put back');
});
