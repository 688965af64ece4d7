import { DateTime } from 'luxon';
import { readCells } from '../../../../nodes/RecordDatabaseImportExport/resources/csv';

const BERLIN = { timeZone: 'Europe/Berlin', listSeparator: ',' };
const read = (json: Record<string, unknown>, notation = {}) =>
  Object.fromEntries(readCells(json, { ...BERLIN, ...notation }));

test('scalars', () => {
  expect(read({ a: 'text', b: 1.5, c: 0, d: true, e: false, f: null, g: undefined, h: '' })).toEqual({
    ...{ a: 'text', b: '1.5', c: '0', d: '1', e: '0', f: '', g: '', h: '' },
  });
});

test.each([
  // Text is nobody's date here: without a table, nothing says what its column holds.
  ['2025-03-31T08:00:00.000Z', '2025-03-31T08:00:00.000Z'],
  ['2025-03-31T00:00:00+02:00', '2025-03-31T00:00:00+02:00'],
  [new Date('2025-03-31T00:00:00Z'), '2025-03-31'],
  [new Date('2025-03-31T08:00:00Z'), '2025-03-31 10:00:00'],
  [DateTime.fromISO('2025-03-31T08:00:00', { zone: 'Asia/Tokyo' }), '2025-03-31 01:00:00'],
])('the date %p becomes %p', (value, expected) => {
  expect(read({ at: value })).toEqual({ at: expected });
});

test('lists are one cell, and an entry with the separator is an error', () => {
  const tags = ['a', 2, true, new Date('2025-03-31T08:00:00.000Z')];
  expect(read({ tags, none: [] })).toEqual({ tags: 'a,2,1,2025-03-31 10:00:00', none: '' });
  expect(read({ tags: ['a, b', 'c'] }, { listSeparator: '|' })).toEqual({ tags: 'a, b|c' });
  expect(() => read({ tags: ['a, b', 'c'] })).toThrow(
    expect.objectContaining({
      message: '"tags": the entry "a, b" contains the list separator ","',
      description: 'The item was not uploaded. Choose another "List Separator" in the options.',
    }),
  );
});

test('an object is one column for each part', () => {
  expect(
    read({ name: { first_name: 'Ada', last_name: null }, term: { start: '2025-01-01', end: '2025-01-02' } }),
  ).toEqual({
    'name[first_name]': 'Ada',
    'name[last_name]': '',
    term__start: '2025-01-01',
    term__end: '2025-01-02',
  });
});

test('the two parts of a Calendar have columns of their own form', () => {
  expect(read({ a: { start: 1 }, b: { end: 2 }, c: { start: 3, room: 4 }, d: {} })).toEqual({
    a__start: '1',
    b__end: '2',
    'c[start]': '3',
    'c[room]': '4',
  });
});

const KINDS =
  'The item was not uploaded. Give text, a number of at most 15 digits, a date, true or false, or a list of these. Give a longer number as text.';
test.each([
  ['a list of objects', { lines: [{ a: 1 }] }, '"lines": a CSV cell cannot hold {"a":1}', KINDS],
  ['nested objects', { a: { b: { c: 1 } } }, '"a[b]": a CSV cell cannot hold {"c":1}', KINDS],
  ['NaN', { a: NaN }, '"a": a CSV cell cannot hold NaN', KINDS],
  [
    'a number whose digits are lost',
    { a: JSON.parse('12345678901234567891') as number },
    '"a": a CSV cell cannot hold 12345678901234567000',
    KINDS,
  ],
  ['infinity', { a: [-Infinity] }, '"a": a CSV cell cannot hold -Infinity', KINDS],
  ['an invalid date', { a: new Date('x') }, '"a": a CSV cell cannot hold null', KINDS],
  [
    'two values for a column',
    { 'a[b]': 1, a: { b: 2 } },
    'Two values of the item belong to the column "a[b]"',
    'The item was not uploaded. Remove one of them.',
  ],
])('%s: an error', (_, json, message, description) => {
  expect(() => read(json)).toThrow(expect.objectContaining({ message, description }));
});

test('keys of the prototype are columns like any other', () => {
  const json = JSON.parse('{ "__proto__": "a", "constructor": "b" }') as Record<string, unknown>;
  expect([...readCells(json, BERLIN)]).toEqual([
    ['__proto__', 'a'],
    ['constructor', 'b'],
  ]);
});
