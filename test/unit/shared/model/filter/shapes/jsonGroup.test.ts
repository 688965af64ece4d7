import {
  createGroup,
  findMatch,
  isLogicWord,
} from '../../../../../../nodes/shared/model/filter/shapes/jsonGroup';

test.each(['and', '$and', '_and', '&&', '&', 'all', 'every', 'AND', ' And '])('%j is AND', (word) =>
  expect(findMatch(word)).toBe('AND'),
);

test.each(['or', '$or', '_or', '||', '|', 'any', 'some', 'OR', ' Or '])('%j is OR', (word) =>
  expect(findMatch(word)).toBe('OR'),
);

test.each(['', 'xor', 'not', 'android', '&&&', 5, null, undefined, ['and']])(
  '%j is neither AND nor OR',
  (word) => expect(findMatch(word)).toBeUndefined(),
);

test.each(['and', 'or', '$and', '$or', '_and', '_or', '&', '&&', '|', '||', 'AND', ' or '])(
  '%j joins conditions',
  (word) => expect(isLogicWord(word)).toBe(true),
);

// A field may be called "order", "brand" or "any".
test.each(['order', 'brand', 'all', 'any', 'every', 'some', '&x', 'x|', '$$or', '', 5, null])(
  '%j does not join conditions',
  (word) => expect(isLogicWord(word)).toBe(false),
);

test('members with items or groups of their own are groups, all others are items', () => {
  const item = { field_id: 'a', operator: 'is', val: 1 };
  const groups = [{ items: [item] }, { child: [] }, { condition: 'OR', items: [], child: [] }];
  expect(createGroup('OR', [groups[0], item, groups[1], 'text', null, ['items'], groups[2]])).toEqual({
    condition: 'OR',
    items: [item, 'text', null, ['items']],
    child: groups,
  });
});
