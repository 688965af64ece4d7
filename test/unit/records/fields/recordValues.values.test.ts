import { Settings } from 'luxon';
import { Table } from '../../../../nodes/records';
import { encodeDefaultValue, areEqual } from '../../../../nodes/records/fields/recordValues';
import { isEmptyFor, isFieldFilled } from '../../../../nodes/records/fields/recordValues';
import { createField } from './fieldTools';

afterEach(() => {
  Settings.defaultZone = 'system';
});

const options = [
  { label: 'Red', value: 'r' },
  { label: 'Blue', value: 'b' },
];

test.each<[type: string, text: string, sent: unknown]>([
  ['Text', 'new', 'new'],
  ['Number', '5', 5],
  ['Decision Box', 'true', 1],
  ['Select', 'Red', 'r'],
  ['Multi-select', 'Red, Blue', ['r', 'b']],
  ['Date', '31 Mar 2025', '2025-03-31'],
  ['Date-Time', '2025-03-31T10:00:00+02:00', '2025-03-31 08:00:00'],
])('%s: the default "%s" is sent as %j', (type, default_value, sent) => {
  // The time zone of the machine does not matter.
  Settings.defaultZone = 'Asia/Tokyo';
  expect(encodeDefaultValue(createField(type, { default_value, options }))).toEqual([['f', sent]]);
});

test.each(['Text', 'Number', 'Decision Box', 'Date', 'Multi-select', 'Name'])(
  '%s without a default: nothing is sent',
  (type) => {
    expect(encodeDefaultValue(createField(type))).toEqual([]);
  },
);

test.each([
  ['Date', 'today'],
  ['Number', 'none'],
  ['Select', 'Green'],
  ['Name', 'Ada'],
])('%s: the default "%s" is invalid, so nothing is sent', (type, default_value) => {
  expect(encodeDefaultValue(createField(type, { default_value, options }))).toEqual([]);
});

/** Spec: "Value when a field is omitted". Only a number and a Decision Box have 0 there. */
test.each<[type: string, value: unknown, empty: boolean, omitted: boolean]>([
  ['Number', '', true, true],
  ['Number', null, true, true],
  ['Number', 0, false, true],
  ['Number', '0', false, true],
  ['Number', 5, false, false],
  ['Decision Box', 0, false, true],
  ['Decision Box', null, false, true],
  ['Decision Box', 1, false, false],
  ['Text', '', true, true],
  ['Text', 0, false, false],
  ['Select', '', true, true],
  ['Select', 'r', false, false],
  ['Multi-select', [], true, true],
  ['Multi-select', [''], true, true],
  ['Multi-select', ['r'], false, false],
  ['Date', null, true, true],
  ['Date', '2025-03-31', false, false],
  ['Connection', [], true, true],
  ['Connection', ['a'], false, false],
  ['Name', { first_name: '' }, true, true],
  ['Name', { first_name: 'Ada' }, false, false],
])('%s %j: empty %p, as if omitted %p', (type, value, empty, omitted) => {
  const field = createField(type, { options });
  const ref = { table: new Table('t1', [field]), field };
  expect([isEmptyFor(value, field), isFieldFilled({ [field.slug]: value }, ref)]).toEqual([empty, !omitted]);
});

test.each<[type: string, first: unknown, second: unknown, equal: boolean]>([
  ['Text', 'a', 'a', true],
  ['Text', 'a', 'A', false],
  ['Text', null, '', true],
  ['Number', 0, null, false],
  ['Number', '7', 7, true],
  ['Number', 'seven', 'seven', true],
  ['Number', 'seven', 'eight', false],
  ['Number', 'seven', null, false],
  ['Date', '0000-00-00', '0000-00-00', true],
  ['Date', '0000-00-00', null, false],
  ['Calendar', { start: null, end: null }, { start: null, end: '2025-03-01' }, false],
  ['Number', 'seven', 7, false],
  ['Number', 7, 'seven', false],
  ['Decision Box', null, 'no', true],
  ['Multi-select', ['r', 'b'], 'Blue, Red', true],
  ['Multi-select', ['r', 'b'], ['r'], false],
  ['Multi-select', ['r'], [], false],
  ['Connection', ['a', 'b'], [{ id: 'b' }, { id: 'a' }], true],
  ['Connection', ['a', 'b'], ['a', 'c'], false],
  ['Name', { first_name: 'Ada', title: '' }, { first: 'Ada' }, true],
  ['Name', { first_name: 'Ada', title: '' }, { first: 'Ada', title: 'Dr' }, false],
  ['Name', { first_name: 'Ada' }, { last_name: 'Ada' }, false],
  ['Name', { first_name: '', last_name: '' }, null, true],
  ['Calendar', { start: '2025-03-01', end: null }, { start: '2025-03-01' }, true],
  ['Signature', { stars: 5, note: '' }, { stars: 5 }, true],
  ['Signature', [], '', true],
])('%s: %j equals %j: %p', (type, first, second, equal) => {
  const field = createField(type, { options });
  expect([areEqual(first, second, field), areEqual(second, first, field)]).toEqual([equal, equal]);
});

test('a comparison leaves the lists in their order', () => {
  const list = ['b', 'r'];
  areEqual(list, ['r', 'b'], createField('Multi-select', { options }));
  expect(list).toEqual(['b', 'r']);
});
