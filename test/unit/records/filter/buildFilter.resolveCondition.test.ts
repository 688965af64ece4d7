import { parseFilterJson, Table } from '../../../../nodes/records';
import { buildFilter } from '../../../../nodes/records/filter/buildFilter';
import { catchTexts, createField } from '../fields/fieldTools';

const table = new Table('t', [
  createField('Select', { slug: 'status', name: 'Status' }),
  createField('Number', { slug: 'price_1', name: 'Price €', fieldId: 'f1' }),
  createField('Number', { slug: 'price_2', name: 'Price $', fieldId: 'f2' }),
  createField('Decision Box', { slug: 'box', name: '!active' }),
  createField('Text', { slug: 'bio', name: 'Bio' }),
  createField('Address', { slug: 'home', name: 'Home' }),
  createField('Connection', { slug: 'link', name: 'Link' }),
  createField('File', { slug: 'file', name: 'File' }),
]);
const context = { timeZone: 'UTC', now: new Date(0), hasUserLogin: false };
const build = (input: unknown) => buildFilter(parseFilterJson(input), table, context);

test.each<[unknown, string, string]>([
  [{ 'Price €': 5 }, 'price_1', 'is'],
  [{ 'price $': { '>': 5 } }, 'price_2', 'higher than'],
  [{ f1: { $lte: 5 } }, 'price_1', 'lower than or equal to'],
  [{ '!active': true }, 'box', 'is checked'],
  [{ '!Active': { '!=': true } }, 'box', 'is unchecked'],
])('%j compares %s by "%s"', (input, field_id, operator) => {
  expect(build(input).items).toEqual([expect.objectContaining({ field_id, operator })]);
});

test.each([[[null, 'Ada']], [['Ada', '']], [[]]])('%j holds no value in each entry', (val) => {
  for (const [field_id, operator] of [
    ['link', 'is'],
    ['link', 'is any of'],
    ['status', 'is not'],
  ])
    expect(() => build({ items: [{ field_id, operator, val }] })).toThrow(/needs a value/);
});

test.each([{ a: 1 }, ['Leeds', 'York']])('an entry of a list cannot be %j', (entry) => {
  for (const field of ['status', 'price_1', 'bio', 'home', 'link'])
    for (const operator of ['is any of', 'is not'])
      expect(() => build({ [field]: { [operator]: [entry, 'x'] } })).toThrow(
        / cannot (be compared with|take) /,
      );
});

test('two parts of one field are two fields', () => {
  const { items } = build({ 'home-city': 'Leeds', 'home-country': 'England' });
  expect(items).toMatchObject([{ val: 'Leeds' }, { val: 'England' }]);
});

test.each<[unknown, string, RegExp]>([
  [
    { Price: 5 },
    'Filter: the table has no field "Price"',
    /^Did you mean "Price €" or "Price \$"\? The fields are: Status/,
  ],
  [{ active: true }, 'Filter: the table has no field "active"', /^Did you mean "!active"\? The fields are/],
  [
    { id: 'x' },
    'Filter: the table has no field "id"',
    /^A record ID is no field\. Every returned record has its ID\. To read, update or delete one record, use Get, Update or Delete with its Record ID\. /,
  ],
  [
    { 'price $': { gt: 5 } },
    'Filter: "Price $" has no operator "gt"',
    /^Operators of the type Number: is, is not, higher than, .+, is any of\.$/,
  ],
  [
    { bio: { '>': 5 } },
    'Filter: "Bio" has no operator ">"',
    /^Operators of the type Text: is, is exact, .+, is any of\.$/,
  ],
  [
    { bio: { 'sounds like': 'x' } },
    'Filter: "Bio" has no operator "sounds like"',
    /^Operators of the type Text: is, /,
  ],
  [
    { bio: { ['x'.repeat(100_000)]: 'x' } },
    `Filter: "Bio" has no operator "${'x'.repeat(77)}…"`,
    /Operators/,
  ],
  [{ 'price €': '€50' }, 'Filter: "Price €" cannot be compared with "€50"', /A valid value: 12\.5/],
  [{ bio: {} }, 'Filter: "Bio" needs a value for the operator "is"', /^Nothing was sent\./],
  [{ home: {} }, 'Filter: "Home" needs a value for the operator "is"', /^Nothing was sent\./],
  [
    { file: 'data' },
    'Filter: "File" cannot be compared with "data"',
    /A valid value: "filled" or "blank"\.$/,
  ],
  [{ home: { street: 'x' } }, '"Home" cannot take {"street":"x"}', /only address, address2, city/],
])('%j is refused', (input, message, description) => {
  const [shown, help] = catchTexts(() => build(input));
  expect(shown).toContain(message);
  expect(help).toMatch(description);
});

test('a name of several fields is refused with their slugs, and each can be named exactly', () => {
  const two = new Table('t', [
    createField('Text', { slug: 'a', name: 'Tax' }),
    createField('Text', { slug: 'b', name: 'TAX' }),
  ]);
  const find = (name: string) =>
    buildFilter(parseFilterJson({ [name]: 'x' }), two, context).items[0]?.field_id;
  expect([find('Tax'), find('TAX'), find('a'), find('b')]).toEqual(['a', 'b', 'a', 'b']);
  expect(catchTexts(() => find('tax'))).toEqual([
    '"tax" is the name of several fields: "a" ("Tax"), "b" ("TAX")',
    'Nothing was sent. Give the slug of one of them: a, b.',
  ]);
});

test.each(['left over', 'false', false])(
  'an operator without a value ignores %j, which the form keeps of the operator before',
  (value) => {
    const conditions = [{ field: 'bio', operator: 'is blank', value }];
    expect(buildFilter({ match: 'all', conditions, groups: [] }, table, context).items).toEqual([
      { field_id: 'bio', operator: 'is blank' },
    ]);
  },
);
