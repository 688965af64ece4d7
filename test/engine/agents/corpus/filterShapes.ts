import { createFound, type SampleRecord, type ToolCall } from '../toolCall';

interface Product {
  category: string;
  stock: number;
  price: number;
  discontinued: number;
  name: string;
}

type IsProduct = (product: Product) => boolean;

const count = (call: string, filter: unknown, matching?: IsProduct): ToolCall => ({
  call,
  tool: 'countRecords',
  args: { table: 'Products', filter },
  meaning: matching && createFound('Products', matching as unknown as (record: SampleRecord) => boolean),
  error:
    /A valid value: \{|Operators of the type|A valid filter: \{|Did you mean|"items"|Its choices are|"all"/,
});

const isOffice: IsProduct = ({ category }) => category === 'office';
const isScarce: IsProduct = ({ stock }) => stock < 100;
const isBoth: IsProduct = (product) => isOffice(product) && isScarce(product);
const isEither: IsProduct = (product) => isOffice(product) || isScarce(product);
const office = { field_id: 'category', operator: 'is', val: 'office' };
const scarce = { field_id: 'stock', operator: 'lower than', val: 100 };

/** Filters in the forms of other systems. */
export const filterShapeCalls: ToolCall[] = [
  count('the form of the service as an object', { condition: 'AND', items: [office, scarce] }, isBoth),
  count(
    'the form of the service as text',
    JSON.stringify({ condition: 'OR', items: [office, scarce] }),
    isEither,
  ),
  count('a condition in lower case', { condition: 'or', items: [office, scarce] }, isEither),
  count('one item without a group', office, isOffice),
  count('a list of items', [office, scarce], isBoth),
  count('a code block', `\`\`\`json\n${JSON.stringify([office])}\n\`\`\``),
  count('the symbolic form', [{ field_id: 'stock', condition: '<', value: 100 }], isScarce),
  count('field and value', [{ field: 'Category', operator: 'equals', value: 'Office' }], isOffice),
  count('field and value without an operator', [{ field: 'Category', value: 'Office' }], isOffice),
  count(
    'filters with a combinator',
    {
      combinator: 'and',
      rules: [
        { field: 'Category', operator: '=', value: 'office' },
        { field: 'stock', operator: '<', value: '100' },
      ],
    },
    isBoth,
  ),
  count(
    'conditions with a logic',
    {
      logic: 'OR',
      conditions: [
        { column: 'category', op: 'eq', value: 'office' },
        { column: 'stock', op: 'lt', value: 100 },
      ],
    },
    isEither,
  ),
  count(
    'a map of values',
    { Category: 'Office', Discontinued: false },
    ({ category, discontinued }) => category === 'office' && discontinued === 0,
  ),
  count('a map of lists', { category: ['office', 'home'], stock: { lt: 100 } }, isScarce),
  count('operators with a dollar sign', { stock: { $lt: 100 }, category: 'office' }, isBoth),
  count(
    'two operators on a field',
    { stock: { $gte: 50, $lt: 100 } },
    ({ stock }) => stock >= 50 && stock < 100,
  ),
  count('$or', { $or: [{ category: 'office' }, { stock: { $lt: 100 } }] }, isEither),
  count(
    '$and in $or',
    { $or: [{ $and: [{ category: 'office' }, { stock: { $lt: 100 } }] }, { name: 'Red Lamp' }] },
    (product) => isBoth(product) || product.name === 'Red Lamp',
  ),
  count('$in', { category: { $in: ['office'] } }, isOffice),
  count('operators with an underscore', { stock: { _lt: 100 } }, isScarce),
  count(
    'words as operators',
    { name: { contains: 'Lamp' }, stock: { lessThan: 100 } },
    (product) => product.name.includes('Lamp') && isScarce(product),
  ),
  count('AND as a key', { AND: [{ category: { equals: 'office' } }, { stock: { lt: 100 } }] }, isBoth),
  count(
    'triples',
    [
      ['category', '=', 'office'],
      ['stock', '<', 100],
    ],
    isBoth,
  ),
  count('one triple', ['stock', '<', 100], isScarce),
  count('triples with a word between', [['category', '=', 'office'], 'or', ['stock', '<', 100]], isEither),
  count('property and type', { property: 'Name', rich_text: { contains: 'Lamp' } }, ({ name }) =>
    name.includes('Lamp'),
  ),
  count(
    'or with property',
    {
      or: [
        { property: 'Category', select: { equals: 'Office' } },
        { property: 'Stock', number: { less_than: 100 } },
      ],
    },
    isEither,
  ),
  count('a wrapper', { filters: { condition: 'AND', items: [office] } }, isOffice),
  count('a where wrapper', { where: { category: 'office' } }, isOffice),
  count(
    'nested groups',
    {
      condition: 'AND',
      items: [scarce],
      groups: [{ condition: 'OR', items: [office, { field_id: 'name', operator: 'is', val: 'Red Lamp' }] }],
    },
    (product) => isScarce(product) && (isOffice(product) || product.name === 'Red Lamp'),
  ),
  count('a comparison as text', "category = 'office' AND stock < 100", isBoth),
  count('a comparison as text with OR', "category = 'Office' OR Stock < 100", isEither),
  count('all records', 'all', () => true),
  count('an empty filter', {}),
  count('no filter', ''),
  count('a filter with a wrong key', {
    condition: 'AND',
    items: [{ field_id: 'category', comparator: 'is', data: 'office' }],
  }),
  count('a sentence', 'all the office products that are nearly sold out'),
  count('an unknown choice', { category: 'Kitchen' }),
];
