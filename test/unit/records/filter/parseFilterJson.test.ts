/* eslint-disable @n8n/community-nodes/require-node-api-error -- not shipped: runs on Node */
import { parseFilterJson, Table } from '../../../../nodes/records';
import { InputError } from '../../../../nodes/service';
import { createField } from '../fields/fieldTools';

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
  ['its JSON text', JSON.stringify({ condition: 'OR', items: [open, open] }), 'any', 2, 0],
  ['a bare list of items', [open, open], 'all', 2, 0],
  ['a group without a word', { items: [open] }, 'all', 1, 0],
  ['nothing', {}, 'all', 0, 0],
  ['an empty list', [], 'all', 0, 0],
  ['a list of a group', [{ items: [open, open] }], 'all', 2, 0],
  ['a list of groups', [{ items: [open] }, open, { items: [open] }], 'all', 3, 0],
  [
    'groups alone',
    { condition: 'OR', child: [{ items: [open, open] }, { items: [open, open] }] },
    'any',
    0,
    2,
  ],
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
    items: [open],
    child: [{ condition: 'AND', items: [open], child: [{ condition: 'OR', items: [open, open] }] }],
  };
  const inner = { match: 'any', conditions: [asked, asked], groups: [] };
  expect(parseFilterJson(deep)).toEqual({
    match: 'any',
    conditions: [asked],
    groups: [{ match: 'all', conditions: [asked], groups: [inner] }],
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

const VALID =
  / A valid value: \{"Status": "Active", .+, or the form of the service: \{"condition": "AND", "items": \[\{"field_id": .+ For all records: "all"\.$/;

test.each<[unknown, string]>([
  [
    [{ ...open, value: 'x' }],
    'at [0] has the keys "operator", "val", "value": "operator" goes with "val", "condition" goes with "value"',
  ],
  [
    { items: [{ ...open, colour: 'x' }] },
    'at items[0] has the keys "operator", "val", "colour": "operator" goes with "val", "condition" goes with "value"',
  ],
  [
    [{ field_id: 'a', operator: '=', value: 1 }],
    'at [0] has the keys "operator", "value": "operator" goes with "val", "condition" goes with "value"',
  ],
  [
    [{ ...open, constructor: 1 }],
    'at [0] has the keys "operator", "val", "constructor": "operator" goes with "val", "condition" goes with "value"',
  ],
  [[{ ...open, field_id: '' }], 'at [0] needs text under "field_id"'],
  [[{ ...open, field_id: 5 }], 'at [0] needs text under "field_id", not 5'],
  [{ child: [{ items: [{ ...open, operator: '' }] }] }, 'at child[0].items[0] needs text under "operator"'],
  [[{ field_id: 'a', condition: '' }], 'at [0] needs text under "condition"'],
  [[{ field_id: 'a' }], 'at [0] needs text under "operator"'],
  [{ condition: 'XOR', items: [] }, 'has the condition "XOR", not AND or OR'],
  [{ items: [], child: {} }, 'needs lists under "items" and "child"'],
  [{ items: [{ status: 'Open' }] }, 'at items[0] has no "field_id"'],
  [{ items: [open], groups: [] }, 'has the key "groups" beside "condition", "items" and "child"'],
  ['"x"', 'must be an object, not "x"'],
  [5, 'must be an object, not 5'],
  [[['status', 'is', 'Open']], 'at [0][0] must be an object, not "status"'],
  [{ or: { a: 1, b: 2 } }, 'needs a list under "or", not {"a":1,"b":2}'],
  [{ a: 1, $or: [{}] }, 'has an empty entry at $or[0]'],
  [{ and: [] }, 'has an empty list under "and"'],
  [[open, {}], 'has an empty entry at [1]'],
  [{ a: 1, not: { b: 2 } }, 'at not is a negation: use the opposite operator, such as "is not"'],
  [{ or: [{ $not: { b: 2 } }] }, 'at or[0].$not is a negation: use the opposite operator, such as "is not"'],
  [{ items: [open], child: [{ items: [] }] }, 'has an empty entry at child[0]'],
  [{ phone: { 'is blank': 'yes' } }, 'has "yes" under "is blank", which takes true'],
  [{ phone: { 'is blank': null } }, 'has null under "is blank", which takes true'],
  [{ paid: { 'is unchecked': '' } }, 'has "" under "is unchecked", which takes true'],
  [{ at: { 'is before today': false } }, 'has false under "is before today", which takes true'],
  [[open, 'or', open], 'at [1] must be an object, not "or"'],
  ["status = 'Open'", 'is not valid JSON: "status = \'Open\'"'],
  ['{"items": ', 'is not valid JSON: "{\\"items\\":"'],
])('%j is refused', (input, message) => {
  const error = catchError(() => parseFilterJson(input));
  expect(error.message).toBe(`Filter (JSON) ${message}`);
  expect(error.description).toMatch(VALID);
});

test.each<[unknown, string[]]>([
  ['a, b', ['a', 'b']],
  [
    ['a', 'b'],
    ['a', 'b'],
  ],
  [['a'], ['a']],
])('contains_any %j means that any of them is contained', (value, values) => {
  const expected = values.map((one) => ({ field: 'tags', operator: 'contains', value: one }));
  const match = values.length > 1 ? 'any' : 'all';
  for (const input of [
    { tags: { contains_any: value } },
    [{ field_id: 'tags', operator: 'contains_any', val: value }],
    [{ field_id: 'tags', operator: 'contains_any', val: '$1' }],
  ])
    expect(parseFilterJson(input, [value])).toEqual({ match, conditions: expected, groups: [] });
  expect(catchError(() => parseFilterJson({ tags: { contains_any: [] } })).message).toBe(
    'Filter (JSON) needs a value under "contains_any"',
  );
});

test('an error shows two fields of the table', () => {
  const fields = ['File', 'Select', 'Number', 'Text'].map((type) =>
    createField(type, { slug: type, name: `My ${type}` }),
  );
  const { description } = catchError(() => parseFilterJson('x = 1', [], new Table('t', fields)));
  expect(description).toContain('A valid value: {"My Select": "Open", "My Number": {">=": 12.5}}, or');
});

test.each([undefined, null, '', ' '])('%j says how to read all records', (input) => {
  const { message, description } = catchError(() => parseFilterJson(input));
  expect(message).toBe('Filter (JSON) is empty');
  expect(description).toContain(
    'to change or delete all, {"created_at": {"is not blank": true}}. For some of them: {"Status": "Active", ',
  );
});

test('a filter that is nested too deep is refused, not an error of the engine', () => {
  let deep: object = { a: 1 };
  for (let level = 0; level < 5000; level++) deep = { or: [deep, { b: 2 }] };
  expect(catchError(() => parseFilterJson(deep)).message).toBe(
    'Filter (JSON) is nested more than 20 levels deep',
  );
});

test.each<[shape: string, wrap: (inner: unknown) => unknown]>([
  ['lists', (inner) => [inner]],
  ['children', (inner) => ({ condition: 'AND', child: [inner] })],
  ['a value', (inner) => ({ status: { street: inner } })],
  ['a value of an item', (inner) => ({ field_id: 'a', operator: 'is', val: inner })],
  ['a misspelt item', (inner) => ({ field_id: 'a', op: 'is', val: inner })],
])('no depth ends in an error of the engine: %s', (_, wrap) => {
  let deep: unknown = { a: 1 };
  for (let level = 0; level < 5_000; level++) deep = wrap(deep);
  // JSON.stringify cannot write it either.
  const [start = '', end = ''] = JSON.stringify(wrap('@')).split('"@"');
  const text = `${start.repeat(5_000)}1${end.repeat(5_000)}`;
  for (const input of [deep, text])
    expect(catchError(() => parseFilterJson(input)).message).toBe(
      'Filter (JSON) is nested more than 20 levels deep',
    );
});

const where = (operator: string, value?: unknown, field = 'a') => ({
  field,
  operator,
  ...(value !== undefined && { value }),
});
const tree = (match: 'all' | 'any', conditions: object[], groups: object[] = []) => ({
  match,
  conditions,
  groups,
});
const all = (...conditions: object[]) => tree('all', conditions);
const any = (...conditions: object[]) => tree('any', conditions);

test.each<[unknown, object]>([
  [{ a: 1 }, all(where('is', 1))],
  [{ a: [1, 2] }, all(where('is any of', [1, 2]))],
  [{ a: [{ id: 'x' }, { name: 'y' }] }, all(where('is any of', [{ id: 'x' }, { name: 'y' }]))],
  [{ a: { is: 1 } }, all(where('is', 1))],
  [{ a: { '>': 1, '<=': 5 } }, all(where('>', 1), where('<=', 5))],
  [{ a: { $gte: 1 } }, all(where('$gte', 1))],
  // Beside an operator, an unknown word is no part of a value.
  [{ a: { '>': 1, gt: 2 } }, all(where('>', 1), where('gt', 2))],
  [{ a: { city: 'Leeds' } }, all(where('is', { city: 'Leeds' }))],
  [{ a: { 'is blank': true } }, all(where('is blank'))],
  [{ a: { 'is blank': false } }, all(where('is not blank'))],
  [{ a: { is_blank: true } }, all(where('is_blank'))],
  [{ a: { 'is unchecked': false } }, all(where('is checked'))],
  [{ or: [{ a: 1 }, { a: 2 }] }, any(where('is', 1), where('is', 2))],
  [{ OR: [{ a: 1 }, { a: 2 }] }, any(where('is', 1), where('is', 2))],
  [{ $and: [{ a: 1 }, { a: 2 }] }, all(where('is', 1), where('is', 2))],
  [{ or: [{ a: 1 }] }, all(where('is', 1))],
  [{ a: 1, or: [{ a: 2 }, { a: 3 }] }, tree('all', [where('is', 1)], [any(where('is', 2), where('is', 3))])],
  [
    { or: [{ and: [{ a: 1 }, { a: 2 }] }, { a: 3 }] },
    tree('any', [where('is', 3)], [all(where('is', 1), where('is', 2))]),
  ],
  // A group that is joined in another way stays a group.
  [
    { or: [{ and: [{ a: 1 }, { or: [{ a: 2 }, { a: 3 }] }] }, { a: 4 }] },
    tree('any', [where('is', 4)], [tree('all', [where('is', 1)], [any(where('is', 2), where('is', 3))])]),
  ],
  [
    { and: [{ a: 1 }, { or: [{ a: 2 }, { a: 3 }, { and: [{ a: 4 }, { a: 5 }] }] }] },
    tree(
      'all',
      [where('is', 1)],
      [tree('any', [where('is', 2), where('is', 3)], [all(where('is', 4), where('is', 5))])],
    ),
  ],
  [{ or: [open, { a: 1 }] }, any(asked, where('is', 1))],
  [[{ a: 1 }, open], all(where('is', 1), asked)],
  // Both dialects of the service in one list.
  [[open, { field_id: 'a', condition: '!=', value: 1 }], all(asked, where('!=', 1))],
])('%j is read', (input, expected) => expect(parseFilterJson(input)).toEqual(expected));

describe('parameters', () => {
  const read = (val: unknown, ...parameters: unknown[]) =>
    parseFilterJson([{ ...open, val }], parameters).conditions[0]!.value;

  test.each<[unknown, unknown[], unknown]>([
    ['$1', ['a'], 'a'],
    ['$2', ['a', { deep: 1 }], { deep: 1 }],
    [new Date(0), ['a'], new Date(0)],
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
    const { message, description } = catchError(() => read(val, ...parameters));
    expect(message).toBe(
      `Filter (JSON): "${val}" is no number, and no value of the Filter Parameters, which hold ${held}`,
    );
    expect(description).toContain(`Write an amount without a sign: ${val.slice(1)}.`);
  });

  test.each(['is any of', '$in', 'Is Any Of'])('for "%s", a text with commas is one value', (operator) => {
    const readAnyOf = (val: unknown, ...parameters: unknown[]) =>
      parseFilterJson([{ ...open, operator, val }], parameters).conditions[0]!.value;
    expect(readAnyOf('$1', 'Smith, John')).toEqual(['Smith, John']);
    expect(readAnyOf('$1', ['Smith', 'John'])).toEqual(['Smith', 'John']);
    expect(readAnyOf('$1', 5)).toBe(5);
    expect(readAnyOf(['$1', 'Doe'], 'Smith, John')).toEqual(['Smith, John', 'Doe']);
    expect(readAnyOf('Smith, John', 'x')).toBe('Smith, John');
    expect(read('$1', 'Smith, John')).toBe('Smith, John');
  });

  test('an amount of dollars is no number', () => {
    expect(catchError(() => parseFilterJson({ price: { '>': '$50' } })).message).toBe(
      'Filter (JSON): "$50" is no number, and no value of the Filter Parameters, which hold 0',
    );
  });

  test('they reach groups and the symbolic form too', () => {
    const tree = parseFilterJson({ child: [{ items: [{ ...open, val: '$1' }] }] }, ['deep']);
    expect(tree.conditions[0]!.value).toBe('deep');
    expect(parseSymbolicJson([{ field_id: 'a', condition: '=', value: '$1' }], ['v'])[0]!.value).toBe('v');
  });
});
