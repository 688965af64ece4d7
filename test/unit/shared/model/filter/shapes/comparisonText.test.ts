import { parseComparisonText } from '../../../../../../nodes/shared/model/filter/shapes/comparisonText';

const listItems = (text: string) => parseComparisonText(text)?.items;

test.each<[string, object]>([
  ["status = 'open'", { field_id: 'status', operator: '=', val: 'open' }],
  ['Price<5', { field_id: 'Price', operator: '<', val: '5' }],
  ['price >= 5.5', { field_id: 'price', operator: '>=', val: '5.5' }],
  ['"Credit Limit" != 10', { field_id: 'Credit Limit', operator: '!=', val: '10' }],
  ['`Status` <> open', { field_id: 'Status', operator: '<>', val: 'open' }],
  ['Status is Active', { field_id: 'Status', operator: 'is', val: 'Active' }],
  ['Status IS NOT Active', { field_id: 'Status', operator: 'IS NOT', val: 'Active' }],
  ['Status is null', { field_id: 'Status', operator: 'is null' }],
  ['Status is not null', { field_id: 'Status', operator: 'is not null' }],
  ['Company starts with Mill', { field_id: 'Company', operator: 'starts with', val: 'Mill' }],
  ["Status in ('Active', 'New')", { field_id: 'Status', operator: 'in', val: ['Active', 'New'] }],
  ['Credit Limit contains 5', { field_id: 'Credit Limit', operator: 'contains', val: '5' }],
  ['  Status is  Active ', { field_id: 'Status', operator: 'is', val: 'Active' }],
  ['Company  ends with  Co', { field_id: 'Company', operator: 'ends with', val: 'Co' }],
  ['Company = ""', { field_id: 'Company', operator: '=', val: '' }],
  ['Company = Mill (UK)', { field_id: 'Company', operator: '=', val: 'Mill (UK)' }],
  ['Company = (UK) Mill', { field_id: 'Company', operator: '=', val: '(UK) Mill' }],
  ["Company = the 'Mill'", { field_id: 'Company', operator: '=', val: "the 'Mill'" }],
  ["Company = 'Mill' & Co", { field_id: 'Company', operator: '=', val: "'Mill' & Co" }],
  ['Company = "Mill\'', { field_id: 'Company', operator: '=', val: '"Mill\'' }],
  ["Company not like '%Mill%'", { field_id: 'Company', operator: 'not like', val: '%Mill%' }],
  ["Company ilike 'mill%'", { field_id: 'Company', operator: 'ilike', val: 'mill%' }],
  ["Company = 'O''Neil'", { field_id: 'Company', operator: '=', val: "O'Neil" }],
  ['Company = "the ""Mill"" "', { field_id: 'Company', operator: '=', val: 'the "Mill" ' }],
  ['Formula = a>=b', { field_id: 'Formula', operator: '=', val: 'a>=b' }],
])('%s is one comparison', (text, item) => {
  expect(parseComparisonText(text)).toEqual({ condition: 'AND', items: [item], child: [] });
});

test.each<[string, string, string[]]>([
  ["a = 1 AND b = 'x' and c > 2", 'AND', ['a', 'b', 'c']],
  ['a = 1 or b = 2', 'OR', ['a', 'b']],
])('%s joins its comparisons', (text, condition, fields) => {
  expect(parseComparisonText(text)).toMatchObject({
    condition,
    items: fields.map((field_id) => ({ field_id })),
  });
});

test('spaces around AND and OR belong to no comparison', () => {
  expect(listItems('a is null  and  b is 2   AND   c = 3')).toEqual([
    { field_id: 'a', operator: 'is null' },
    { field_id: 'b', operator: 'is', val: '2' },
    { field_id: 'c', operator: '=', val: '3' },
  ]);
});

test('AND and OR in quotation marks are part of a value', () => {
  expect(listItems("a = 'salt and pepper' and b = 'x or y'")).toEqual([
    { field_id: 'a', operator: '=', val: 'salt and pepper' },
    { field_id: 'b', operator: '=', val: 'x or y' },
  ]);
  expect(listItems('a = "salt and pepper\'s" or b = "x"')).toEqual([
    { field_id: 'a', operator: '=', val: "salt and pepper's" },
    { field_id: 'b', operator: '=', val: 'x' },
  ]);
});

test.each(['', 'Active', 'a = 1 AND b = 2 OR c = 3', 'a = 1 AND Active', 'a =', '= 5', 'a ~ 5', 'and'])(
  '%j is no comparison',
  (text) => expect(parseComparisonText(text)).toBeUndefined(),
);

test('text of more than 1000 characters is not read', () => {
  const longest = `a = ${'x'.repeat(996)}`;
  expect(listItems(longest)).toHaveLength(1);
  expect(listItems(`${longest}x`)).toBeUndefined();
});
