import { parseNamesOrAll } from '../../../../nodes/n8n/parameters/parameter';

test.each([[[]], [''], ['[]']])('%j means all', (value) =>
  expect(parseNamesOrAll(value, 'Roles')).toEqual([]),
);

test('names that are given are not all', () => {
  expect(parseNamesOrAll('a, b', 'Roles')).toEqual(['a', 'b']);
  expect(parseNamesOrAll(['a'], 'Roles')).toEqual(['a']);
});

test.each([
  [undefined, 'undefined'],
  [null, 'null'],
  [[undefined], '[null]'],
  [[null, ''], '[null,""]'],
])('%j does not mean all', (value, shown) =>
  expect(() => parseNamesOrAll(value, 'Roles')).toThrow(
    expect.objectContaining({
      message: `Roles cannot be ${shown}`,
      description: 'Choose from the list, or leave it empty. An expression may have returned nothing.',
    }),
  ),
);
