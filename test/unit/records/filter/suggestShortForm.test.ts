import { parseFilterJson } from '../../../../nodes/records';
import { suggestOperator, suggestShortForm } from '../../../../nodes/records/filter/suggestShortForm';

const office = { category: 'office' };
const scarce = { stock: { '<': 100 } };
const both = { ...office, ...scarce };
const either = { or: [office, scarce] };

/** Forms of other systems, which models write, and the short form with the same fields and values. */
test.each<[unknown, unknown]>([
  [
    [
      ['category', '=', 'office'],
      ['stock', '<', 100],
    ],
    both,
  ],
  [['stock', '<', 100], scarce],
  [[['category', '==', 'office'], 'or', ['stock', 'lt', 100]], either],
  [{ 'category =': 'office', stock__lt: 100 }, both],
  [{ 'status !=': 'active' }, { status: { '!=': 'active' } }],
  [{ or: both }, either],
  [{ $or: { category: 'office', stock: { _lt: 100 } } }, either],
  [
    {
      logic: 'OR',
      conditions: [
        { column: 'category', op: 'eq', value: 'office' },
        { field: 'stock', operator: 'lt', value: 100 },
      ],
    },
    either,
  ],
  [{ combinator: 'and', rules: [{ field: 'category', value: 'office' }, scarce] }, both],
  [
    [
      { field: 'category', operator: 'equals', value: 'office' },
      { field: 'stock', operator: 'less than', value: 100 },
    ],
    both,
  ],
  [{ where: both }, both],
  [
    {
      filter: { condition: 'OR', items: [office, { field_id: 'stock', operator: 'lower than', value: 100 }] },
    },
    { or: [office, { stock: { 'lower than': 100 } }] },
  ],
  [{ condition: 'AND', items: [{ field_id: 'category', comparator: 'is', data: 'office' }] }, office],
  [{ property: 'stock', number: { less_than: 100 } }, scarce],
  [{ stock: { gte: 50, lt: 100 } }, { stock: { '>=': 50, '<': 100 } }],
  [
    { and: [{ stock: { gte: 50 } }, { stock: { lt: 100 } }] },
    { and: [{ stock: { '>=': 50 } }, { stock: { '<': 100 } }] },
  ],
  ["category = 'office' AND stock < 100", both],
  ["SELECT * FROM products WHERE category = 'office' OR stock < 100", either],
  ['"Unit Price" >= 5', { 'Unit Price': { '>=': 5 } }],
  ["`name` <> 'O''Neil'", { name: { '!=': "O'Neil" } }],
  ["name like '%Lamp%'", { name: { contains: 'Lamp' } }],
  ["name LIKE 'Lamp%'", { name: { 'starts with': 'Lamp' } }],
  ["name not like '%Lamp%'", { name: { 'does not contain': 'Lamp' } }],
  [
    "category in ('office', 'home') and stock > 5",
    { category: { 'is any of': ['office', 'home'] }, stock: { '>': 5 } },
  ],
  ['phone is null and email is not null', { phone: { 'is blank': true }, email: { 'is not blank': true } }],
  [{ name: { like: '%Lamp%' } }, { name: { contains: 'Lamp' } }],
  [{ phone: { exists: true } }, { phone: { 'is not blank': true } }],
])('%j is %j', (input, form) => {
  const suggestion = suggestShortForm(input);
  expect(JSON.parse(suggestion!)).toEqual(form);
  // The suggestion is a filter, with a condition for each key at least.
  const { conditions, groups } = parseFilterJson(suggestion);
  expect(conditions.length + groups.length).toBeGreaterThanOrEqual(
    Object.keys(JSON.parse(suggestion!) as object).length,
  );
});

test.each([
  'all the office products that are nearly sold out',
  'a = 1 and b = 2 or c = 3',
  'a = 1 b = 2',
  "name like 'a%b'",
  [['a', '=', 1], 'or', ['b', '=', 2], 'and', ['c', '=', 3]],
  [5, 6],
  5,
  null,
  {},
  `a = '${'x'.repeat(2000)}'`,
  { a: 'x'.repeat(2000) },
])('%j has no suggestion', (input) => expect(suggestShortForm(input)).toBeUndefined());

test.each([
  ['>', '>'],
  ['$gt', '$gt'],
  ['gt', '>'],
  ['_gt', '>'],
  ['greater than or equal', '>='],
  ['notEquals', '!='],
  ['is empty', 'is blank'],
  ['sounds like', undefined],
  // Its value has a pattern, which no operator takes.
  ['like', undefined],
  ['x'.repeat(100_000), undefined],
])('%s probably means %s', (word, operator) => expect(suggestOperator(word)).toBe(operator));

test('text of any length and shape takes little time', () => {
  for (const text of [
    'a'.repeat(1000),
    ' '.repeat(1000),
    `a ${'='.repeat(990)}`,
    `${'a and '.repeat(150)}`,
    `a in ${'('.repeat(900)}`,
  ])
    expect(suggestShortForm(text)).toBeUndefined();
});
