import { findRepeatedKey } from '../../../../nodes/service';

test.each<[string, string | undefined]>([
  ['{"a": 1, "a": 2}', 'a'],
  ['{"price": {">": 5}, "or": [{"b": 1}, {"b": 2}], "price": {"<": 9}}', 'price'],
  ['[{"a": {"b": 1, "\\u0062": 2}}]', 'b'],
  ['{"a": "\\"a\\": 1, {", "b": ["a", "a"]}', undefined],
  ['{"a": {"a": {"a": [{"a": 1}, {"a": 1}]}}}', undefined],
  ['5', undefined],
  ['}]{"a":', undefined],
])('%s: %p', (text, key) => {
  expect(findRepeatedKey(text)).toBe(key);
});
