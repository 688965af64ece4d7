import { parseJson } from '../../../../nodes/service';

test.each([
  [' [1, "a"] ', [1, 'a']],
  ['null', null],
  ['{a: 1}', undefined],
  ['', undefined],
])('the JSON text %j is %j', (text, expected) => expect(parseJson(text)).toEqual(expected));
