import { getKind } from '../../../../nodes/records';
import { toPartField } from '../../../../nodes/records/fields/composite';
import type { EncodeContext } from '../../../../nodes/records/fields/field';
import { encodeValue, areEqual } from '../../../../nodes/records/fields/recordValues';
import { catchTexts, createField, listColumns, listMatching } from './fieldTools';

const field = createField('Calendar');
const { normalize, operators, encodeOperand } = getKind(field);
const UTC = { timeZone: 'utc' };

test.each<[unknown, unknown]>([
  [
    { start: '2025-03-01', end: '2025-03-31T10:00:00Z' },
    { start: '2025-03-01', end: '2025-03-31 10:00:00' },
  ],
  [{ f__start: '2025-03-01' }, { start: '2025-03-01' }],
  ['{"end": ""}', {}],
  // A service may show an empty range like this (evidence 11).
  [{ start: '', end: '', all_day: 'No' }, {}],
  [
    { start: '2031-03-02 09:00:00', end: '', all_day: 'No' },
    { start: '2031-03-02 09:00:00', end: null, all_day: 'No' },
  ],
  ['2025-03-01T00:00:00Z', '2025-03-01 00:00:00'],
  ['', null],
  [null, null],
  ['soon', undefined],
  [{ start: 'soon' }, undefined],
])('%j is read as %j', (value, expected) => {
  expect(normalize(value, field)).toEqual(expected);
});

const EQUAL = ['is', 'is on or before', 'is on or after', 'is before today', 'is before current time'];

test.each<[unknown, string[]]>([
  [{ start: '2025-03-01', end: '2025-03-31' }, [...EQUAL, 'is not blank']],
  ['2025-03-01', [...EQUAL, 'is not blank']],
  [{ start: null, end: '2025-03-01' }, ['is not', 'is blank']],
  [{ end: '2025-03-01' }, ['is not', 'is blank']],
  [null, ['is not', 'is blank']],
])('%j is compared by its start', (value, names) => {
  expect(listMatching(operators, value, '2025-03-01')).toEqual(names);
});

/** The keys and the values that are sent. */
const encode = (value: unknown, context: EncodeContext) =>
  encodeValue(value, field, context).map(([key, sent]) => [key, sent]);

test('a range is sent in its parts, and a Calendar is compared with a day', () => {
  const tokyo = { timeZone: 'Asia/Tokyo' };
  expect(encode({ start: '2025-03-01T20:00:00Z', End: '' }, tokyo)).toEqual([
    ['f__start', '2025-03-02 05:00:00'],
    ['f__end', null],
  ]);
  const midnight = { start: '2025-03-31T00:00:00+02:00', end: '31 Mar 2025' };
  expect(encode(midnight, tokyo)).toEqual([
    ['f__start', '2025-03-31'],
    ['f__end', '2025-03-31'],
  ]);
  expect(encode({ start: '2025-03-01', all_day: 'yes' }, tokyo)).toEqual([
    ['f__start', '2025-03-01'],
    ['f__all_day', 'Yes'],
  ]);
  expect(encodeOperand('2025-03-01T20:00:00Z', field, tokyo)).toBe('2025-03-02');
});

const VALID = 'A valid value: {"start": "2025-03-01", "end": "2025-03-31"}.';

test.each<[unknown, string]>([
  ['2025-03-01', `Label (f) is of the type Calendar. ${VALID}`],
  [
    { from: 1 },
    `Label (f) is of the type Calendar. It has no part "from", only start, end, all_day. ${VALID}`,
  ],
])('%j is no range', (value, remedy) => {
  expect(catchTexts(() => encodeValue(value, field, UTC))).toEqual([
    `"Label" cannot take ${JSON.stringify(value)}`,
    remedy,
  ]);
});

test('the ends can be filtered', () => {
  const ids = getKind(field).parts!.map(({ formatFilterKey }) => formatFilterKey('f'));
  expect(ids).toEqual(['f-start', 'f-end', undefined]);
});

test.each(['', null, { start: '', end: '', all_day: 'No' }])('%j empties both ends', (value) => {
  expect(encode(value, UTC)).toEqual([
    ['f__start', null],
    ['f__end', null],
  ]);
});

/** What the service stores, and what an item gives. */
test.each<[unknown, unknown, boolean]>([
  [{ start: '2025-03-01' }, { start: '2025-03-01 00:00:00' }, true],
  // The service stores days: a time that is given has no meaning.
  [{ start: '2025-03-01' }, { start: '2025-03-01 09:30:00' }, true],
  [{ start: '2025-03-01 09:30:00' }, { start: '2025-03-01' }, false],
  [{ start: '2025-03-01 00:00:00', end: '' }, { start: '2025-03-01' }, true],
  [{ start: '2025-03-01', all_day: 'No' }, { start: '2025-03-01' }, true],
  [{ start: '2025-03-01', all_day: 'Yes' }, { start: '2025-03-01' }, false],
  [{ start: '', end: '', all_day: 'No' }, null, true],
  [{ start: '2025-03-01' }, null, false],
])('%j equals %j: %p', (stored, given, expected) => {
  for (const type of ['Calendar', 'Date Range'])
    expect(areEqual(stored, given, createField(type))).toBe(expected);
});

test('an end is a field of its own', () => {
  const { parts } = getKind(field);
  const start = toPartField(field, parts![0]!);
  expect(areEqual('2025-03-01', '2025-03-01 09:30:00', start)).toBe(true);
  expect(areEqual('2025-03-01 09:00:00', '2025-03-01 09:30:00', start)).toBe(false);
  expect([areEqual('', null, start), areEqual('2025-03-01', '', start)]).toEqual([true, false]);
  const allDay = toPartField(field, parts![2]!);
  expect(encodeValue('no', allDay, UTC)).toEqual([['f__all_day', 'No']]);
  expect(catchTexts(() => encodeValue('maybe', allDay, UTC))[1]).toContain('Its choices are: Yes, No.');
});

const range = createField('Date Range');

test('a Date Range is compared with moments', () => {
  const { operators: all, encodeOperand: encode, findDay } = getKind(range);
  expect(encode('2025-03-01 09:30', range, UTC)).toBe('2025-03-01 09:30:00');
  expect(findDay!('2025-03-01', 'utc')).toBe('2025-03-01');
  const names = listMatching(all, { start: '2025-03-01' }, '2025-03-01 00:00:00');
  expect(names).toEqual([...EQUAL, 'is not blank']);
});

test('a Date Range has an input for each part', () => {
  expect(listColumns(range)).toMatchObject([
    { key: 'f__start', type: 'dateTime' },
    { key: 'f__end', type: 'dateTime' },
    { key: 'f__all_day', type: 'options', options: [{ value: 'Yes' }, { value: 'No' }] },
  ]);
  expect(listColumns(field)).toHaveLength(2);
});
