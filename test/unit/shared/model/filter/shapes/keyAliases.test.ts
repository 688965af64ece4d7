import { findKey, hasKey, renameKeys } from '../../../../../../nodes/shared/model/filter/shapes/keyAliases';

const ALIASES = { field_id: ['field', 'columnName'], val: ['value', 'values'] };

test.each<[object, string | undefined]>([
  [{ field_id: 1 }, 'field_id'],
  [{ fieldId: 1 }, 'fieldId'],
  [{ 'Field-ID': 1 }, 'Field-ID'],
  [{ field: 1 }, 'field'],
  [{ column_name: 1 }, 'column_name'],
  [{ field_id: 1, field: 2 }, 'field_id'],
  [{ field: 1, columnName: 2 }, undefined],
  [{ value: 1 }, undefined],
  [{}, undefined],
])('the field of %j is at %p', (value, key) => {
  expect(findKey(value, ALIASES, 'field_id')).toBe(key);
  expect(hasKey(value, ALIASES, 'field_id')).toBe(key !== undefined);
});

test('a key without other names is found in any spelling', () => {
  expect(findKey({ OPERATOR: 1 }, ALIASES, 'operator')).toBe('OPERATOR');
});

test('other keys and keys with two candidates keep their names', () => {
  expect(renameKeys({ Field: 'a', values: [1], op: 'is' }, ALIASES)).toEqual({
    field_id: 'a',
    val: [1],
    op: 'is',
  });
  expect(renameKeys({ field: 'a', columnName: 'b', val: 1 }, ALIASES)).toEqual({
    field: 'a',
    columnName: 'b',
    val: 1,
  });
});
