import { DateTime } from 'luxon';
import { encodeRecordValues, getKind, selectValuesToWrite, Table } from '../../../../nodes/records';
import { createField, listMatching } from './fieldTools';

const field = createField('Signature');
const { operators, normalize, encodeOperand } = getKind(field);
const listFound = (value: unknown, val: string) =>
  listMatching(operators, value, val).filter((name) => !/\bnot\b|before|after|higher|lower|un/.test(name));

test.each<[unknown, unknown]>([
  [5, '5'],
  ['a', 'a'],
  [null, ''],
  [undefined, ''],
  [{ stars: 5 }, { stars: 5 }],
  [
    ['a', 5],
    ['a', 5],
  ],
])('%j keeps its form and is read as %j', (value, expected) => {
  expect(normalize(value, field)).toEqual(expected);
});

test('null of an item empties it, and a list is refused by name', () => {
  const table = new Table('t1', [field]);
  const encode = (values: object) => encodeRecordValues({ ...values }, table, { timeZone: 'UTC' });
  expect(encode(selectValuesToWrite({ f: null }, table, { as: 'item', notation: 'detect' }))).toEqual([
    ['f', '', null],
  ]);
  expect(() => encode({ f: ['a', 'b'] })).toThrow('"Label" cannot take ["a","b"]');
});

const ALL = ['is', 'is exact', 'contains', 'starts with', 'ends with'];

test.each<[unknown, string, string[]]>([
  [{ a: 'Ada', b: ['x', { c: 5 }] }, '5', ALL],
  [{ a: 'Ada', b: ['x', { c: 5 }] }, 'x', ALL],
  [{ a: 'Ada' }, 'object', []],
  [{ a: null, b: 'x' }, 'e', []],
  [[], '', [...ALL, 'is blank']],
  [[], 'e', ['is blank']],
  [{ a: '' }, '', [...ALL, 'is blank']],
  ['', 'e', ['is blank']],
  ['yes', 'ye', ['contains', 'starts with', 'is checked']],
  ['no', 'n', ['contains', 'starts with']],
  ['4', '5', []],
])('%j is compared with "%s" as text and as a checkbox', (value, val, names) => {
  expect(listFound(value, val)).toEqual(names);
});

test.each<[unknown, string, string[]]>([
  ['10', '9', ['higher than', 'higher than or equal to']],
  ['10', '10', ['higher than or equal to', 'lower than or equal to']],
  ['stars', '9', []],
])('%j is compared with %s as a number', (value, val, names) => {
  expect(listMatching(operators, value, val).filter((name) => /higher|lower/.test(name))).toEqual(names);
});

const PAST = ['is before', 'is on or before', 'is before today', 'is before current time'];

test.each<[unknown, string, string[]]>([
  ['2025-06-01T10:00:00Z', '2025-06-01 10:00:01', PAST],
  [DateTime.fromISO('2025-06-01T10:00:00Z'), '2025-06-01 10:00:01', PAST],
  ['soon', '2025-06-01 10:00:01', []],
])('%j is compared with %s as a moment', (value, val, names) => {
  expect(listMatching(operators, value, val).filter((name) => /before|after/.test(name))).toEqual(names);
});

test('each operator is offered once', () => {
  const names = operators.map(({ name }) => name);
  expect(names).toEqual([...new Set(names)]);
  expect(names).toEqual(
    expect.arrayContaining([
      'is exact',
      'higher than',
      'is on or after',
      'is unchecked',
      'is logged in user',
    ]),
  );
});

test('a moment is compared as Date-Time, all else as text', () => {
  const tokyo = { timeZone: 'Asia/Tokyo' };
  expect(encodeOperand(new Date('2025-03-31T10:00:00Z'), field, tokyo)).toBe('2025-03-31 19:00:00');
  expect(encodeOperand('2025-03-31T10:00:00Z', field, tokyo)).toBe('2025-03-31T10:00:00Z');
  expect(encodeOperand(5, field, tokyo)).toBe('5');
});
