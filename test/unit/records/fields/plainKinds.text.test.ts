import { DateTime } from 'luxon';
import { getKind } from '../../../../nodes/records';
import { encodeValue } from '../../../../nodes/records/fields/recordValues';
import { catchTexts, createField, listMatching } from './fieldTools';

const UTC = { timeZone: 'utc' };
const [text, email] = [createField('Text'), createField('Email')];

test.each<[unknown, unknown]>([
  ['Ada', 'Ada'],
  [5, '5'],
  [false, 'false'],
  [null, ''],
  [undefined, ''],
  [{}, undefined],
  [['Ada'], undefined],
  [NaN, undefined],
  [() => 'Ada', undefined],
])('%p is read as %p', (value, read) => {
  for (const field of [text, email]) expect(getKind(field).normalize(value, field)).toBe(read);
});

/** An expression returns `$now` as a Luxon date, and a database node returns JS dates. */
test.each([
  [new Date('2025-03-31T08:00:00Z'), '2025-03-31T08:00:00.000Z'],
  [DateTime.fromISO('2025-03-31T08:00', { zone: 'UTC+2' }), '2025-03-31T08:00:00.000+02:00'],
])('the date %p is written as its ISO text', (date, written) => {
  expect(encodeValue(date, text, UTC)).toEqual([['f', written]]);
  expect(getKind(text).encodeOperand(date, text, UTC)).toBe(written);
  expect(() => encodeValue(new Date(NaN), text, UTC)).toThrow('"Label" cannot take');
});

test.each([NaN, Infinity])('the error for %p names its cause', (value) => {
  expect(catchTexts(() => encodeValue(value, text, UTC)).join()).toContain(
    'the result of a failed calculation',
  );
});

test('an unreadable value contains no text', () => {
  expect(listMatching(getKind(text).operators, undefined, 'e')).toEqual([
    'is not',
    'is not exact',
    'does not contain',
    'is not blank',
  ]);
});

test.each([
  ['text', 'ada'],
  ['a list', ['ada@example.com']],
  ['two addresses', 'ada@example.com, eve@example.com'],
  ['an address with a name', 'Ada <ada@example.com>'],
])('an email refuses %s', (_, value) => {
  expect(catchTexts(() => encodeValue(value, email, UTC))).toEqual([
    `"Label" cannot take ${JSON.stringify(value)}`,
    'Label (f) is of the type Email. A valid value: "ada@example.com".',
  ]);
});

test.each(['a@b', 'ada.byron+tag@mail.example.com', 'ädä@exämple.de'])('%s is an email', (address) => {
  expect(encodeValue(` ${address}\n`, email, UTC)).toEqual([['f', address]]);
});

test('a filter compares an email with a part of an address', () => {
  expect(getKind(email).encodeOperand('example', email, UTC)).toBe('example');
});
