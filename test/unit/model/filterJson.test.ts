import { symbolicFromJson, treeFromJson } from '../../../nodes/shared/model/filter';
import { InputError } from '../../../nodes/shared/model/inputError';

/** Both forms as people write them (spec: Filters), and what is said of one that the service would drop. */

const failureOf = (read: () => unknown): InputError => {
  try {
    read();
  } catch (error) {
    if (error instanceof InputError) return error;
    throw error;
  }
  throw new Error('it was read');
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
  const tree = treeFromJson(input);
  expect(tree).toEqual({
    match,
    conditions: Array.from({ length: conditions }, () => asked),
    groups: expect.any(Array) as unknown[],
  });
  expect(tree.groups).toHaveLength(groups);
});

test('groups nest to any depth, each with its own word', () => {
  const deep = {
    condition: 'OR',
    child: [{ condition: 'AND', child: [{ condition: 'OR', items: [open] }] }],
  };
  expect(treeFromJson(deep)).toEqual({
    match: 'any',
    conditions: [],
    groups: [{ match: 'all', conditions: [], groups: [{ match: 'any', conditions: [asked], groups: [] }] }],
  });
});

test('an item without a value stays without one, and its value may be of any kind', () => {
  const values = treeFromJson([
    { field_id: 'a', operator: 'is blank' },
    { field_id: 'a', operator: 'is', val: 0 },
    { field_id: 'a', operator: 'between', val: { from: 1, to: 2 } },
  ]).conditions.map(({ value }) => value);
  expect(values).toEqual([undefined, 0, { from: 1, to: 2 }]);
});

test('the symbolic form is a list of items, or an object with them', () => {
  const item = { field_id: 'status', condition: '=', value: 'Open' };
  const read = [{ field: 'status', condition: '=', value: 'Open' }];
  expect(symbolicFromJson([item])).toEqual(read);
  expect(symbolicFromJson({ items: [item] })).toEqual(read);
  expect(symbolicFromJson(JSON.stringify([item]))).toEqual(read);
  expect(symbolicFromJson([{ field_id: 'status', condition: 'is_blank' }])).toEqual([
    { field: 'status', condition: 'is_blank', value: undefined },
  ]);
});

/** Wrong keys: where, which, and what it is called. `undefined` where nobody could tell what was meant. */
const PRIMARY: Array<[object, string, string, string | undefined]> = [
  ...Object.entries({
    value: 'val',
    op: 'operator',
    condition: 'operator',
    field: 'field_id',
    fieldId: 'field_id',
    slug: 'field_id',
    colour: undefined,
  }) // prettier-ignore
    .map(([key, right]): [object, string, string, string | undefined] => [
      { items: [{ ...open, [key]: 'x' }] },
      'items.0',
      key,
      right,
    ]),
  ...Object.entries({ match: 'condition', children: 'child', groups: 'child', conditions: 'items' }).map(
    ([key, right]): [object, string, string, string] => [{ [key]: [] }, 'the whole', key, right],
  ),
  [{ child: [{ child: [{ groups: [] }] }] }, 'child.0.child.0', 'groups', 'child'],
  [{ items: [{ field_id: 'a', op: 'is' }] }, 'items.0', 'op', 'operator'],
];

test.each(PRIMARY)('%j: in %s, "%s" is called %p', (input, at, key, right) => {
  const { message, remedy } = failureOf(() => treeFromJson(input));
  const called = right ? `, it is called "${right}"` : '';
  expect(message).toBe(`Filter (JSON): "${key}" is not a key here (in ${at})${called}`);
  expect(remedy).toMatch(/^Nothing was sent: the service drops such a filter without a word\./);
  expect(remedy).toMatch(/It looks like this: \{"condition": "AND", "items": \[\{"field_id"/);
  expect(remedy).toContain('"operator": "is", "val": "Open"');
});

test.each(
  Object.entries({ val: 'value', operator: 'condition', op: 'condition', field: 'field_id', fieldId: 'field_id', slug: 'field_id' }), // prettier-ignore
)('symbolic: "%s" is called "%s"', (key, right) => {
  const { message, remedy } = failureOf(() =>
    symbolicFromJson([{ field_id: 'a', condition: '=', value: 1, [key]: 'x' }]),
  );
  expect(message).toBe(`Conditions (JSON): "${key}" is not a key here (in items.0), it is called "${right}"`);
  expect(remedy).toContain('It looks like this: [{"field_id": "status", "condition": "=", "value": "Open"}]');
});

test('symbolic: the list itself may have the wrong name', () => {
  expect(failureOf(() => symbolicFromJson({ conditions: [] })).message).toBe(
    'Conditions (JSON): "conditions" is not a key here (in the whole), it is called "items"',
  );
});

test.each<[string, () => unknown, RegExp]>([
  ['a text', () => treeFromJson('"x"'), /^Filter \(JSON\): the whole: /],
  ['a number', () => treeFromJson(5), /^Filter \(JSON\): the whole: /],
  ['null', () => treeFromJson(null), /^Filter \(JSON\): the whole: /],
  ['another word', () => treeFromJson({ condition: 'XOR' }), /^Filter \(JSON\): condition: /],
  ['no field', () => treeFromJson([{ operator: 'is' }]), /^Filter \(JSON\): items\.0\.field_id: /],
  ['an empty field', () => treeFromJson([{ ...open, field_id: '' }]), /^Filter \(JSON\): items\.0\.field_id: /], // prettier-ignore
  ['an empty operator', () => treeFromJson([{ ...open, operator: '' }]), /items\.0\.operator: /],
  ['items that are none', () => treeFromJson({ items: {} }), /^Filter \(JSON\): items: /],
  ['symbolic: an object', () => symbolicFromJson({}), /^Conditions \(JSON\): items: /],
  ['symbolic: an empty field', () => symbolicFromJson([{ field_id: '', condition: '=' }]), /items\.0\.field_id: /], // prettier-ignore
  ['symbolic: an empty condition', () => symbolicFromJson([{ field_id: 'a', condition: '' }]), /items\.0\.condition: /], // prettier-ignore
])('%s is refused with its place', (_what, read, message) => {
  expect(failureOf(read).message).toMatch(message);
});

test.each<[string, (text: string) => unknown]>([
  ['Filter', (text) => treeFromJson(text)],
  ['Conditions', (text) => symbolicFromJson(text)],
])('%s: text that is no JSON is shown, with what is wrong and an example', (form, read) => {
  const { message, remedy } = failureOf(() => read('{"items": '));
  expect(message).toBe(`${form} (JSON): this is no JSON: "{\\"items\\": "`);
  expect(remedy).toMatch(/JSON.*\. It looks like this: [{[]/);
});

describe('parameters', () => {
  const read = (val: unknown, ...parameters: unknown[]) =>
    treeFromJson([{ ...open, val }], parameters).conditions[0]!.value;

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
    const { message, remedy } = failureOf(() => read(val, ...parameters));
    expect(message).toBe(`Filter Parameters: there is no ${val}`);
    expect(remedy).toBe(`They hold ${held}: add it there, or correct the number.`);
  });

  test('they reach groups and the symbolic form too', () => {
    const tree = treeFromJson({ child: [{ items: [{ ...open, val: '$1' }] }] }, ['deep']);
    expect(tree.groups[0]!.conditions[0]!.value).toBe('deep');
    expect(symbolicFromJson([{ field_id: 'a', condition: '=', value: '$1' }], ['v'])[0]!.value).toBe('v');
  });
});
