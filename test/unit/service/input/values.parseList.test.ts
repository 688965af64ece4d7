import { parseList, parseNames } from '../../../../nodes/service';

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
  [{ 0: 'a', 1: 'b' }, ['a', 'b']],
  [{ 1: 'a' }, [{ 1: 'a' }]],
  [{}, [{}]],
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
  [[[' a ', ' ']], ['a']],
])('the names in %j', (value, names) => expect(parseNames(value)).toEqual(names));
