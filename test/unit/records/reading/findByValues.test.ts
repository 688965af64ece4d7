import { createMatchKey, Table } from '../../../../nodes/records';
import { type PayloadValue } from '../../../../nodes/records/fields/field';
import { isSameValue, isStray, matchesKey } from '../../../../nodes/records/reading/findByValues';
import { parseField } from '../fields/fieldTools';

const createField = (type: string, more: object = {}) =>
  parseField({ slug: 'f', name: 'Label', type, ...more });

const options = { options: [{ label: 'Red', value: 'r' }] };

test.each<[string, unknown, string | number, boolean, object?]>([
  ['Text', 'a', 'a', true],
  ['Text', 'A', 'a', false],
  ['Text', null, 'null', false],
  ['Number', 5, 5, true],
  ['Number', '5.0', 5, true],
  ['Number', null, 0, false],
  ['Number', '', 0, false],
  ['Number', '$5', 5, false],
  ['Decision Box', 'Yes', 1, true],
  ['Decision Box', null, 0, true],
  ['Decision Box', 'No', 1, false],
  ['Select', 'r', 'r', true, options],
  ['Select', { label: 'Red', value: 'r' }, 'r', true, options],
  ['Select', 'Red', 'r', true, options],
  ['Connection', [{ id: 'a', val: 'A' }], 'a', true],
  ['Connection', ['b', 'a'], 'a', true],
  ['Connection', ['b'], 'a', false],
  ['Date-Time', '2025-03-31T10:00:00', '2025-03-31 10:00:00', true],
  ['Date-Time', '2025-03-31T10:00:00.000Z', '2025-03-31 10:00:00', true],
  ['Date', '2025-03-30', '2025-03-31', false],
])('%s: %p is %p: %p', (type, found, wanted, same, more = {}) => {
  expect(isSameValue(found, wanted, createField(type, more))).toBe(same);
});

describe('what a look-up brought', () => {
  const table = new Table('t1', [createField('Text'), { ...createField('Number'), slug: 'n' }]);
  const createKey = (f: string, n: number) => createMatchKey(['f', 'n'], Object.entries({ f, n }), table);
  const keys = [createKey('Ada', 1), createKey('Bob', 2)];

  test.each<[object, boolean, boolean]>([
    [{ f: 'Ada', n: 1 }, true, false],
    [{ f: ' ada', n: '1' }, false, false],
    [{ f: 'Ádà', n: 1 }, false, false],
    [{ f: 'Ada', n: 2 }, false, true],
    [{ f: 'Bob', n: 2 }, false, false],
    [{ f: 'Carl', n: 1 }, false, true],
    [{ n: 1 }, false, true],
  ])('%p is of the first key: %p, of none: %p', (record, isFirst, stray) => {
    const found = { id: 'r1', ...record };
    expect(matchesKey(found, keys[0]!)).toBe(isFirst);
    expect(isStray(found, keys)).toBe(stray);
  });
});

describe('the key of an item', () => {
  const table = new Table('t1', [createField('Text')]);
  const FILE = [{ fileName: 'a.txt', mimeType: 'text/plain', data: new Uint8Array() }];

  test.each<[PayloadValue, string | number]>([
    ['a', 'a'],
    [0, 0],
    [['a'], 'a'],
    [' a ', ' a '],
  ])('%j is %j', (value, expected) => {
    expect(createMatchKey(['f'], [['f', value]], table).matches).toMatchObject([{ value: expected }]);
  });

  test.each<[PayloadValue]>([[''], ['  '], [null], [[]], [['a', 'b']], [FILE]])('%j is none', (value) => {
    expect(() => createMatchKey(['f'], [['f', value]], table)).toThrow(
      'The match field "Label" has no value',
    );
  });

  test('needs a column, and its value', () => {
    expect(() => createMatchKey([], [['f', 'a']], table)).toThrow('There is no field to match on');
    expect(() => createMatchKey(['f'], [], table)).toThrow('The match field "Label" has no value');
  });
});
