import { parseList, parseNames, parseNamesOrAll } from '../../../../../nodes/shared/model/input/parseList';

test.each<[unknown, unknown[]]>([
  [undefined, []],
  [null, []],
  ['', []],
  [' a , b,, ', ['a', 'b']],
  [
    ['a, b', 5],
    ['a, b', 5],
  ],
  ['["a, b", 5]', ['a, b', 5]],
  [' [] ', []],
  ['[\n"a"\n]', ['a']],
  ['[a, b]', ['[a', 'b]']],
  ['{"a": 1}', ['{"a": 1}']],
  [5, [5]],
  [0, [0]],
])('the list in %j', (value, list) => expect(parseList(value)).toEqual(list));

test.each<[unknown, string[]]>([
  ['a, b,a', ['a', 'b']],
  [
    [' a ', 'b'],
    ['a', 'b'],
  ],
  [
    ['a, b', 'c'],
    ['a', 'b', 'c'],
  ],
  ['["a", "b"]', ['a', 'b']],
  [undefined, []],
  ['', []],
  [[null, ''], []],
  [5, ['5']],
])('the names in %j', (value, names) => expect(parseNames(value)).toEqual(names));

test.each([[[]], [''], ['[]']])('%j means all', (value) =>
  expect(parseNamesOrAll(value, 'Roles')).toEqual([]),
);

test.each([[undefined], [null], [[undefined]], [[null, '']]])('%j does not mean all', (value) =>
  expect(() => parseNamesOrAll(value, 'Roles')).toThrow('Roles cannot be'),
);
