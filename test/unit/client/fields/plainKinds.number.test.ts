import { getKind } from '../../../../nodes/client/fields/kinds';
import { encodeValue } from '../../../../nodes/client/fields/recordValues';
import { catchTexts, createField } from './fieldTools';

const field = createField('Number');
const UTC = { timeZone: 'utc' };
const INVALID = 'A valid value: 12.5.';
const TOO_LONG = 'It has more digits than a number can hold. A valid value: 9007199254740991.';

test.each<[unknown, number]>([
  ['5.', 5],
  ['-12.25', -12.25],
  ['1e21', 1e21],
  ['2E-3', 0.002],
  ['1.5e+10', 1.5e10],
  ['-.25', -0.25],
  ['000', 0],
  ['-007', -7],
  [' 9007199254740991 ', 9007199254740991],
  ['100000000000000000000', 1e20],
])('%j is sent and read as the number %d', (value, number) => {
  expect(encodeValue(value, field, UTC)).toEqual([['f', number]]);
  expect(getKind(field).read(value, field)).toBe(number);
});

test.each<[unknown, string]>([
  ['12a', INVALID],
  ['a12', INVALID],
  ['1.2.3', INVALID],
  ['1e', INVALID],
  ['--1', INVALID],
  ['.', INVALID],
  ['1 000', INVALID],
  [false, INVALID],
  [[5], INVALID],
  [' 12345678901234567801 ', TOO_LONG],
  ['-9007199254740993', TOO_LONG],
])('%j is neither sent nor read', (value, remedy) => {
  expect(catchTexts(() => encodeValue(value, field, UTC))).toEqual([
    `"Label" cannot take ${JSON.stringify(value)}`,
    `Label (f) is of the type Number. ${remedy}`,
  ]);
  expect(getKind(field).read(value, field)).toBeUndefined();
});

test.each([null, undefined, ''])('%p is read as null', (value) => {
  expect(getKind(field).read(value, field)).toBeNull();
});
