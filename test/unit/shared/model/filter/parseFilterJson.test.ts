/* eslint-disable @n8n/community-nodes/require-node-api-error -- not shipped: runs on Node */
import { parseFilterJson } from '../../../../../nodes/shared/model/filter';
import { InputError } from '../../../../../nodes/shared/model/input/inputError';

/** Both forms in the notations that users write (spec: Filters), and the errors for filters that the service would ignore. */

const catchError = (read: () => unknown): InputError => {
  try {
    read();
  } catch (error) {
    if (error instanceof InputError) return error;
    throw error;
  }
  throw new Error('it was read');
};

/** Parses items of the symbolic form, which Search and Batch Update send. */
const parseSymbolicJson = (input: unknown, parameters?: unknown[]) => {
  const { conditions, groups } = parseFilterJson(input, parameters);
  return [...conditions, ...groups.flatMap((group) => group.conditions)];
};

const open = { field_id: 'status', operator: 'is', val: 'Open' };
const asked = { field: 'status', operator: 'is', value: 'Open' };

test.each<[string, unknown, string, number, number]>([
  ['one group', { condition: 'AND', items: [open] }, 'all', 1, 0],
  ['its JSON text', JSON.stringify({ condition: 'OR', items: [open] }), 'any', 1, 0],
  ['a bare list of items', [open, open], 'all', 2, 0],
  ['the form\'s own word "any"', { condition: 'any', items: [open] }, 'any', 1, 0],
  ['the form\'s own word "all"', { condition: 'all', items: [open] }, 'all', 1, 0],
  ['a group without a word', { items: [open] }, 'all', 1, 0],
  ['nothing', {}, 'all', 0, 0],
  ['an empty list', [], 'all', 0, 0],
  ['groups alone', { condition: 'OR', child: [{ items: [open] }, {}] }, 'any', 0, 2],
])('%s is read', (_what, input, match, conditions, groups) => {
  const tree = parseFilterJson(input);
  expect(tree).toEqual({
    match,
    conditions: Array.from({ length: conditions }, () => asked),
    groups: expect.any(Array) as unknown[],
  });
  expect(tree.groups).toHaveLength(groups);
});

test('groups nest to any depth, each with its own AND or OR', () => {
  const deep = {
    condition: 'OR',
    child: [{ condition: 'AND', child: [{ condition: 'OR', items: [open] }] }],
  };
  expect(parseFilterJson(deep)).toEqual({
    match: 'any',
    conditions: [],
    groups: [{ match: 'all', conditions: [], groups: [{ match: 'any', conditions: [asked], groups: [] }] }],
  });
});

test('an item without a value stays without one, and its value may be of any kind', () => {
  const values = parseFilterJson([
    { field_id: 'a', operator: 'is blank' },
    { field_id: 'a', operator: 'is', val: 0 },
    { field_id: 'a', operator: 'between', val: { from: 1, to: 2 } },
  ]).conditions.map(({ value }) => value);
  expect(values).toEqual([undefined, 0, { from: 1, to: 2 }]);
});

test('the symbolic form is a list of items, or an object with them', () => {
  const item = { field_id: 'status', condition: '=', value: 'Open' };
  const read = [{ field: 'status', operator: '=', value: 'Open' }];
  expect(parseSymbolicJson([item])).toEqual(read);
  expect(parseSymbolicJson({ items: [item] })).toEqual(read);
  expect(parseSymbolicJson(JSON.stringify([item]))).toEqual(read);
  expect(parseSymbolicJson([{ items: [item] }])).toEqual(read);
  expect(parseSymbolicJson([{ field_id: 'status', condition: 'is_blank' }])).toEqual([
    { field: 'status', operator: 'is_blank', value: undefined },
  ]);
});

/** Wrong keys beside the right ones: the place, the key and the correct key. `undefined` if none can be derived. */
const PRIMARY: Array<[object, string, string, string | undefined]> = Object.entries({
  value: 'val',
  op: 'operator',
  condition: 'operator',
  field: 'field_id',
  fieldId: 'field_id',
  slug: 'field_id',
  colour: undefined,
}).map(([key, right]) => [{ items: [{ ...open, [key]: 'x' }] }, ': items[0]', key, right]);

test.each(PRIMARY)('%j%s has the wrong key "%s" for %p', (input, at, key, right) => {
  const { message, remedy } = catchError(() => parseFilterJson(input));
  const correction = right ? `: use "${right}"` : '';
  expect(message).toBe(`Filter (JSON)${at} has no key "${key}"${correction}`);
  expect(remedy).toMatch(/^Nothing was sent: the service ignores an invalid filter silently\./);
  expect(remedy).toMatch(/A valid value: \{"condition": "AND", "items": \[\{"field_id"/);
  expect(remedy).toContain('"operator": "is", "val": "Open"');
});

test('a key is not replaced by another name of it that stands beside it', () => {
  const { message, remedy } = catchError(() =>
    parseSymbolicJson([{ field_id: 'a', condition: '=', value: 1, val: 2 }]),
  );
  expect(message).toBe('Filter (JSON): items[0] has no key "value": use "val"');
  expect(remedy).toContain('A valid value: {"condition": "AND", "items": [{"field_id": "status", ');
});

test.each([
  [{ field: 'status', op: 'is', value: 'Open' }],
  [[{ Column: 'status', value: 'Open' }]],
  [{ rules: [{ fieldName: 'status', comparison: 'is', val: 'Open' }] }],
  [{ status: 'Open' }],
  [{ status: { is: 'Open' } }],
  [['status', 'is', 'Open']],
  [{ where: { status: 'Open' } }],
  ['```json\n{"status": "Open"}\n```'],
  ["status is 'Open'"],
])('%j is read as a condition', (input) => {
  expect(parseFilterJson(input)).toEqual({ match: 'all', conditions: [asked], groups: [] });
});

test.each<[unknown, string, number, number]>([
  [{ $or: [{ a: 1 }, { b: 2 }] }, 'any', 2, 0],
  [{ a: 1, or: [{ b: 2 }, { c: 3 }] }, 'all', 1, 1],
  [[['a', '=', 1], 'or', ['b', '=', 2]], 'any', 2, 0],
  [{ a: { $gt: 1, $lt: 5 }, b: 2 }, 'all', 1, 1],
  ['a > 1 or b < 2', 'any', 2, 0],
  [{ logic: 'or', filters: [{ a: 1 }, { b: 2 }] }, 'any', 2, 0],
])('%j is read as a group', (input, match, conditions, groups) => {
  const tree = parseFilterJson(input);
  expect([tree.match, tree.conditions.length, tree.groups.length]).toEqual([match, conditions, groups]);
});

test.each([
  ['a = 1 and b = 2 or c = 3'],
  ['everything that was opened'],
  [[['a', '=', 1], 'or', ['b', '=', 2], 'and', ['c', '=', 3]]],
])('%j is not guessed', (input) => {
  expect(() => parseFilterJson(input)).toThrow(/^Filter \(JSON\)/);
});

test.each<[string, () => unknown, RegExp]>([
  ['a text', () => parseFilterJson('"x"'), /^Filter \(JSON\) must be an object, not /],
  ['a number', () => parseFilterJson(5), /^Filter \(JSON\) must be an object, not /],
  ['null', () => parseFilterJson(null), /^Filter \(JSON\) must be an object, not null/],
  [
    'another word',
    () => parseFilterJson({ condition: 'XOR' }),
    /^Filter \(JSON\): condition cannot be "XOR"$/,
  ],
  [
    'no field',
    () => parseFilterJson([{ operator: 'is' }]),
    /^Filter \(JSON\): items\[0\]\.field_id is missing$/,
  ],
  ['an empty field', () => parseFilterJson([{ ...open, field_id: '' }]), /^Filter \(JSON\): items\[0\]\.field_id is empty$/], // prettier-ignore
  ['an empty operator', () => parseFilterJson([{ ...open, operator: '' }]), /items\[0\]\.operator is empty$/],
  [
    'items that are none',
    () => parseFilterJson({ items: {} }),
    /^Filter \(JSON\): items must be a list, not \{\}$/,
  ],
  ['symbolic: an empty field', () => parseSymbolicJson([{ field_id: '', condition: '=' }]), /items\[0\]\.field_id is empty$/], // prettier-ignore
  ['symbolic: an empty condition', () => parseSymbolicJson([{ field_id: 'a', condition: '' }]), /items\[0\]\.operator is empty$/], // prettier-ignore
])('%s is refused with its place', (_what, read, message) => {
  expect(catchError(read).message).toMatch(message);
});

test.each<[string, (text: string) => unknown]>([
  ['Filter', (text) => parseFilterJson(text)],
  ['Filter', (text) => parseSymbolicJson(text)],
])('%s: text that is no JSON is shown, with what is wrong and an example', (form, read) => {
  const { message, remedy } = catchError(() => read('{"items": '));
  expect(message).toBe(`${form} (JSON) is not valid JSON: "{\\"items\\": "`);
  expect(remedy).toMatch(/JSON.*\. A valid value: [{[]/);
});

describe('parameters', () => {
  const read = (val: unknown, ...parameters: unknown[]) =>
    parseFilterJson([{ ...open, val }], parameters).conditions[0]!.value;

  test.each<[unknown, unknown[], unknown]>([
    ['$1', ['a'], 'a'],
    ['$2', ['a', { deep: 1 }], { deep: 1 }],
    ['$10', [...Array(9).fill('no'), 'ten'], 'ten'],
    [['$1', 'x', '$1'], ['a'], ['a', 'x', 'a']],
    ['costs $1', ['a'], 'costs $1'],
    ['$1 or more', ['a'], '$1 or more'],
    ['$one', ['a'], '$one'],
    ['$', ['a'], '$'],
    [5, ['a'], 5],
    ['$1', ['$2', 'b'], '$2'],
    [{ from: '$1', to: '$2' }, ['a', 'b'], { from: 'a', to: 'b' }],
  ])('%j with %j is %j', (val, parameters, value) => {
    expect(read(val, ...parameters)).toEqual(value);
  });

  test.each<[string, unknown[], number]>([
    ['$0', ['a'], 1],
    ['$2', ['a'], 1],
    ['$1', [], 0],
  ])('%s of %j does not exist', (val, parameters, held) => {
    const { message, remedy } = catchError(() => read(val, ...parameters));
    expect(message).toBe(`Filter Parameters: there is no ${val}`);
    expect(remedy).toBe(`The list holds ${held} values: add the missing one, or correct the number.`);
  });

  test.each(['is any of', 'in', 'Any Of'])('for "%s", a text with commas is one value', (operator) => {
    const readAnyOf = (val: unknown, ...parameters: unknown[]) =>
      parseFilterJson([{ ...open, operator, val }], parameters).conditions[0]!.value;
    expect(readAnyOf('$1', 'Smith, John')).toEqual(['Smith, John']);
    expect(readAnyOf('$1', ['Smith', 'John'])).toEqual(['Smith', 'John']);
    expect(readAnyOf('$1', 5)).toBe(5);
    expect(readAnyOf(['$1', 'Doe'], 'Smith, John')).toEqual(['Smith, John', 'Doe']);
    expect(readAnyOf('Smith, John', 'x')).toBe('Smith, John');
    expect(read('$1', 'Smith, John')).toBe('Smith, John');
  });

  test('without a list of parameters, there is no $1', () => {
    expect(() => parseFilterJson([{ ...open, val: '$1' }])).toThrow('Filter Parameters: there is no $1');
  });

  test('they reach groups and the symbolic form too', () => {
    const tree = parseFilterJson({ child: [{ items: [{ ...open, val: '$1' }] }] }, ['deep']);
    expect(tree.groups[0]!.conditions[0]!.value).toBe('deep');
    expect(parseSymbolicJson([{ field_id: 'a', condition: '=', value: '$1' }], ['v'])[0]!.value).toBe('v');
  });
});
