import { createFound, type SampleRecord, type ToolCall } from '../toolCall';

interface Product {
  id: string;
  name: string;
  sku: string;
  category: string;
  price: number;
  stock: number;
  discontinued: number;
}

type IsProduct = (product: Product) => boolean;

const SHOWS_FORM = /A valid value: \{|Operators of the type|A valid filter: \{|Its choices are|"all"/;

/** A filter in the notation of another system, with the records that it means. Without `matching`, it has no single meaning here. */
const filter = (notation: string, given: unknown, matching?: IsProduct): ToolCall => ({
  call: `${notation}: ${JSON.stringify(given)}`,
  tool: 'countRecords',
  args: { table: 'Products', filter: given },
  meaning: matching && createFound('Products', matching as unknown as (record: SampleRecord) => boolean),
  error: SHOWS_FORM,
});

const isOffice: IsProduct = ({ category }) => category === 'office';
const isHome: IsProduct = ({ category }) => category === 'home';
const isScarce: IsProduct = ({ stock }) => stock < 100;
const isPlenty: IsProduct = ({ stock }) => stock >= 100;
const isDear: IsProduct = ({ price }) => price > 50;
const isMiddle: IsProduct = ({ price }) => price >= 50 && price <= 100;
const isLamp: IsProduct = ({ name }) => name.includes('Lamp');
const isRed: IsProduct = ({ name }) => name.startsWith('Red');
const isGone: IsProduct = ({ discontinued }) => discontinued === 1;
const isHere: IsProduct = ({ discontinued }) => discontinued === 0;
const both =
  (...all: IsProduct[]): IsProduct =>
  (product) =>
    all.every((one) => one(product));
const either =
  (...all: IsProduct[]): IsProduct =>
  (product) =>
    all.some((one) => one(product));
const not =
  (one: IsProduct): IsProduct =>
  (product) =>
    !one(product);

const mongo = [
  filter('Mongo', { category: 'office' }, isOffice),
  filter('Mongo', { category: { $eq: 'office' } }, isOffice),
  filter('Mongo', { category: { $ne: 'office' } }, not(isOffice)),
  filter('Mongo', { stock: { $lt: 100 } }, isScarce),
  filter('Mongo', { stock: { $gte: 100 } }, isPlenty),
  filter('Mongo', { price: { $gte: 50, $lte: 100 } }, isMiddle),
  filter('Mongo', { category: { $in: ['office', 'home'] }, stock: { $lt: 100 } }, isScarce),
  filter('Mongo', { category: { $nin: ['office'] } }, not(isOffice)),
  filter('Mongo', { $and: [{ category: 'office' }, { stock: { $lt: 100 } }] }, both(isOffice, isScarce)),
  filter('Mongo', { $or: [{ category: 'office' }, { price: { $gt: 50 } }] }, either(isOffice, isDear)),
  filter('Mongo', { $nor: [{ category: 'office' }, { stock: { $lt: 100 } }] }),
  filter('Mongo', { price: { $not: { $gt: 50 } } }),
  filter('Mongo', { category: { $not: { $eq: 'office' } } }, not(isOffice)),
  filter('Mongo', { name: { $regex: 'Lamp' } }),
  filter('Mongo', { name: { $regex: '^Red', $options: 'i' } }),
  filter('Mongo', { category: { $exists: true } }),
  filter('Mongo', { $expr: { $gt: ['$price', '$stock'] } }),
  filter('Mongo', { discontinued: true }, isGone),
  filter('Mongo', { stock: { $mod: [4, 0] } }),
];

const airtable = [
  filter('Airtable', "{Category} = 'Office'", isOffice),
  filter('Airtable', "{Category}='Office'", isOffice),
  filter('Airtable', "{Category} != 'Office'", not(isOffice)),
  filter('Airtable', '{Stock} < 100', isScarce),
  filter('Airtable', "AND({Category} = 'Office', {Stock} < 100)", both(isOffice, isScarce)),
  filter('Airtable', "OR({Category} = 'Office', {Price} > 50)", either(isOffice, isDear)),
  filter(
    'Airtable',
    "AND({Category} = 'Office', OR({Stock} < 100, {Price} > 50))",
    both(isOffice, either(isScarce, isDear)),
  ),
  filter('Airtable', "NOT({Category} = 'Office')", not(isOffice)),
  filter('Airtable', "FIND('Lamp', {Name})", isLamp),
  filter('Airtable', "SEARCH('Lamp', {Name})", isLamp),
  filter('Airtable', '{Discontinued} = 1', isGone),
  filter('Airtable', '{Name} = BLANK()'),
  filter('Airtable', "LEFT({Name}, 3) = 'Red'"),
];

const notion = [
  filter('Notion', { property: 'Category', select: { equals: 'Office' } }, isOffice),
  filter('Notion', { property: 'Category', select: { does_not_equal: 'Office' } }, not(isOffice)),
  filter('Notion', { property: 'Stock', number: { less_than: 100 } }, isScarce),
  filter('Notion', { property: 'Stock', number: { greater_than_or_equal_to: 100 } }, isPlenty),
  filter('Notion', { property: 'Name', title: { contains: 'Lamp' } }, isLamp),
  filter('Notion', { property: 'Name', rich_text: { does_not_contain: 'Lamp' } }, not(isLamp)),
  filter('Notion', { property: 'Name', rich_text: { starts_with: 'Red' } }, isRed),
  filter('Notion', { property: 'Name', rich_text: { is_not_empty: true } }, () => true),
  filter('Notion', { property: 'Discontinued', checkbox: { equals: true } }, isGone),
  filter('Notion', { property: 'Discontinued', checkbox: { equals: false } }, isHere),
  filter(
    'Notion',
    {
      and: [
        { property: 'Category', select: { equals: 'Office' } },
        { property: 'Stock', number: { less_than: 100 } },
      ],
    },
    both(isOffice, isScarce),
  ),
  filter(
    'Notion',
    {
      or: [
        { property: 'Category', select: { equals: 'Office' } },
        { property: 'Price', number: { greater_than: 50 } },
      ],
    },
    either(isOffice, isDear),
  ),
  filter(
    'Notion',
    {
      or: [
        { property: 'Price', number: { greater_than: 50 } },
        {
          and: [
            { property: 'Category', select: { equals: 'Home' } },
            { property: 'Stock', number: { less_than: 100 } },
          ],
        },
      ],
    },
    either(isDear, both(isHome, isScarce)),
  ),
  filter('Notion', { filter: { property: 'Category', select: { equals: 'Office' } } }, isOffice),
];

const postgrest = [
  filter('PostgREST', 'category=eq.office', isOffice),
  filter('PostgREST', 'category=neq.office', not(isOffice)),
  filter('PostgREST', 'stock=lt.100', isScarce),
  filter('PostgREST', 'stock=gte.100', isPlenty),
  filter('PostgREST', 'category=eq.office&stock=lt.100', both(isOffice, isScarce)),
  filter('PostgREST', 'price=gte.50&price=lte.100', isMiddle),
  filter('PostgREST', 'category=in.(office,home)', either(isOffice, isHome)),
  filter('PostgREST', 'name=like.*Lamp*', isLamp),
  filter('PostgREST', 'name=ilike.*lamp*', isLamp),
  filter('PostgREST', 'or=(category.eq.office,price.gt.50)', either(isOffice, isDear)),
  filter('PostgREST', 'discontinued=is.true', isGone),
  filter('PostgREST', 'category=not.eq.office', not(isOffice)),
  filter('PostgREST', 'name=is.null'),
  filter('PostgREST', { category: 'eq.office' }),
];

const supabase = [
  filter('Supabase', [{ column: 'category', operator: 'eq', value: 'office' }], isOffice),
  filter(
    'Supabase',
    [
      { column: 'stock', operator: 'lt', value: 100 },
      { column: 'category', operator: 'neq', value: 'office' },
    ],
    both(isScarce, not(isOffice)),
  ),
  filter('Supabase', { keyName: 'category', condition: 'eq', keyValue: 'office' }, isOffice),
  filter('Supabase', { conditions: [{ keyName: 'stock', condition: 'gte', keyValue: '100' }] }, isPlenty),
  filter('Supabase', ".eq('category', 'office')", isOffice),
  filter('Supabase', ".eq('category', 'office').lt('stock', 100)", both(isOffice, isScarce)),
  filter('Supabase', ".gt('price', 50)", isDear),
  filter('Supabase', ".ilike('name', '%lamp%')", isLamp),
  filter('Supabase', ".in('category', ['office', 'home'])", either(isOffice, isHome)),
];

const strapi = [
  filter('Strapi', { category: { $eq: 'office' }, stock: { $lt: 100 } }, both(isOffice, isScarce)),
  filter('Strapi', { category: { $eqi: 'OFFICE' } }),
  filter('Strapi', { name: { $contains: 'Lamp' } }, isLamp),
  filter('Strapi', { name: { $containsi: 'lamp' } }, isLamp),
  filter('Strapi', { name: { $notContains: 'Lamp' } }, not(isLamp)),
  filter('Strapi', { name: { $startsWith: 'Red' } }, isRed),
  filter('Strapi', { name: { $notNull: true } }, () => true),
  filter('Strapi', { price: { $between: [50, 100] } }, isMiddle),
  filter('Strapi', { filters: { category: { $eq: 'office' } } }, isOffice),
  filter('Strapi', 'filters[category][$eq]=office', isOffice),
  filter('Strapi', 'filters[category][$eq]=office&filters[stock][$lt]=100', both(isOffice, isScarce)),
  filter(
    'Strapi',
    { $or: [{ category: { $eq: 'office' } }, { price: { $gt: 50 } }] },
    either(isOffice, isDear),
  ),
];

const directus = [
  filter('Directus', { category: { _eq: 'office' } }, isOffice),
  filter('Directus', { category: { _neq: 'office' } }, not(isOffice)),
  filter('Directus', { stock: { _lt: 100 } }, isScarce),
  filter('Directus', { name: { _contains: 'Lamp' } }, isLamp),
  filter('Directus', { name: { _icontains: 'lamp' } }, isLamp),
  filter('Directus', { name: { _ncontains: 'Lamp' } }, not(isLamp)),
  filter('Directus', { name: { _starts_with: 'Red' } }, isRed),
  filter('Directus', { category: { _in: ['office', 'home'] } }, either(isOffice, isHome)),
  filter('Directus', { price: { _between: [50, 100] } }, isMiddle),
  filter(
    'Directus',
    { _and: [{ category: { _eq: 'office' } }, { stock: { _lt: 100 } }] },
    both(isOffice, isScarce),
  ),
  filter(
    'Directus',
    { _or: [{ category: { _eq: 'office' } }, { price: { _gt: 50 } }] },
    either(isOffice, isDear),
  ),
  filter('Directus', { name: { _nnull: true } }, () => true),
];

const elasticsearch = [
  filter('Elasticsearch', { term: { category: 'office' } }, isOffice),
  filter('Elasticsearch', { term: { category: { value: 'office' } } }, isOffice),
  filter('Elasticsearch', { terms: { category: ['office', 'home'] } }, either(isOffice, isHome)),
  filter('Elasticsearch', { range: { stock: { lt: 100 } } }, isScarce),
  filter('Elasticsearch', { range: { price: { gte: 50, lte: 100 } } }, isMiddle),
  filter('Elasticsearch', { match: { name: 'Lamp' } }),
  filter('Elasticsearch', { prefix: { name: 'Red' } }, isRed),
  filter('Elasticsearch', { wildcard: { name: '*Lamp*' } }),
  filter('Elasticsearch', { exists: { field: 'name' } }, () => true),
  filter(
    'Elasticsearch',
    { bool: { must: [{ term: { category: 'office' } }, { range: { stock: { lt: 100 } } }] } },
    both(isOffice, isScarce),
  ),
  filter('Elasticsearch', { query: { bool: { filter: [{ term: { category: 'office' } }] } } }, isOffice),
  filter(
    'Elasticsearch',
    { bool: { should: [{ term: { category: 'office' } }, { range: { price: { gt: 50 } } }] } },
    either(isOffice, isDear),
  ),
  filter('Elasticsearch', { bool: { must_not: { term: { category: 'office' } } } }, not(isOffice)),
  filter('Elasticsearch', { query: { match_all: {} } }),
];

const jsonLogic = [
  filter('JSON Logic', { '==': [{ var: 'category' }, 'office'] }, isOffice),
  filter('JSON Logic', { '===': [{ var: 'category' }, 'office'] }, isOffice),
  filter('JSON Logic', { '!=': [{ var: 'category' }, 'office'] }, not(isOffice)),
  filter('JSON Logic', { '<': [{ var: 'stock' }, 100] }, isScarce),
  filter('JSON Logic', { '>': [50, { var: 'price' }] }),
  filter(
    'JSON Logic',
    { and: [{ '==': [{ var: 'category' }, 'office'] }, { '<': [{ var: 'stock' }, 100] }] },
    both(isOffice, isScarce),
  ),
  filter(
    'JSON Logic',
    { or: [{ '==': [{ var: 'category' }, 'office'] }, { '>': [{ var: 'price' }, 50] }] },
    either(isOffice, isDear),
  ),
  filter('JSON Logic', { in: [{ var: 'category' }, ['office', 'home']] }, either(isOffice, isHome)),
  filter('JSON Logic', { in: ['Lamp', { var: 'name' }] }, isLamp),
  filter('JSON Logic', { '!': { '==': [{ var: 'category' }, 'office'] } }, not(isOffice)),
  filter('JSON Logic', { '<=': [50, { var: 'price' }, 100] }),
];

const language = [
  filter('plain language', 'price > 50', isDear),
  filter('plain language', 'price is greater than 50', isDear),
  filter('plain language', 'category is office', isOffice),
  filter('plain language', 'category is not office', not(isOffice)),
  filter('plain language', 'stock below 100', isScarce),
  filter('plain language', 'office products with less than 100 in stock'),
  filter('plain language', 'name contains Lamp', isLamp),
  filter('plain language', 'everything'),
  filter('plain language', 'all products'),
  filter('plain language', 'cheap lamps'),
  filter('plain language', "category equals 'office' and stock less than 100", both(isOffice, isScarce)),
];

const query = (sort: unknown, meaning?: ToolCall['meaning'], notation = 'sort'): ToolCall => ({
  call: `${notation}: ${JSON.stringify(sort)}`,
  tool: 'findInOrder',
  args: { table: 'Products', sort },
  meaning,
  error: /A valid value: \{|has no field|Give one of: asc, desc/,
});

type Key = (product: Product) => number | string;

/** Whether the answer is in the order of the keys; the first one counts most. */
const inOrder = (...keys: Array<[key: Key, sign: 1 | -1]>): ToolCall['meaning'] => ({
  answer: (records) => {
    const products = records as unknown as Product[];
    const compare = (a: Product, b: Product) => {
      for (const [key, sign] of keys) {
        const [x, y] = [key(a), key(b)];
        if (x !== y) return x < y ? -sign : sign;
      }
      return 0;
    };
    return (
      products.length > 5 &&
      products.every((product, at) => at === 0 || compare(products[at - 1]!, product) <= 0)
    );
  },
});

const byPrice: Key = ({ price }) => price;
const byStock: Key = ({ stock }) => stock;
const byCategory: Key = ({ category }) => category;
const dearest = inOrder([byPrice, -1]);
const cheapest = inOrder([byPrice, 1]);

const sorts = [
  query({ Price: 'desc' }, dearest, 'short form'),
  query('{"price": "ASC"}', cheapest, 'short form'),
  query({ Category: 'asc', Stock: 'desc' }, inOrder([byCategory, 1], [byStock, -1]), 'short form'),
  query([{ sort: 'price', by: 'desc' }], undefined, 'the service'),
  query({ price: -1 }, undefined, 'Mongo'),
  query([{ property: 'Price', direction: 'descending' }], undefined, 'Notion'),
  query('price.desc', undefined, 'PostgREST'),
  query('-price', undefined, 'Directus'),
  query('ORDER BY price DESC', undefined, 'SQL'),
  query('newest', undefined, 'plain language'),
];

/** Values of a new product in the notations of other systems. */
const value = (notation: string, columns: unknown, values?: SampleRecord): ToolCall => ({
  call: `${notation}: ${JSON.stringify(columns)}`,
  tool: 'createRecord',
  args: { table: 'Products', columns },
  meaning: values && { created: 'Products', values },
  error: /A valid value|Its choices are|has no field|field|required/,
});

const LAMP = { name: 'Corpus Lamp', category: 'office', price: 12.5 };

const values = [
  value('plain object', { Name: 'Corpus Lamp', Category: 'Office', Price: 12.5 }, LAMP),
  value('Airtable', { fields: { Name: 'Corpus Lamp', Category: 'Office', Price: 12.5 } }),
  value('Strapi', { data: { name: 'Corpus Lamp', category: 'office', price: '12.5' } }),
  value('Notion', { Name: 'Corpus Lamp', Price: { number: 12.5 } }),
  value('Mongo', { name: 'Corpus Lamp', stock: { $inc: 1 } }),
  value('pairs', [{ field: 'Name', value: 'Corpus Lamp' }]),
  value('SQL', "INSERT INTO products (name) VALUES ('Corpus Lamp')"),
  value('CSV', 'name,price\nCorpus Lamp,12.5'),
  value('form', 'name=Corpus Lamp&price=12.5'),
  value('currency', { Name: 'Corpus Lamp', Price: '€ 12,50' }),
  value('thousands', { Name: 'Corpus Lamp', Stock: '1,200' }),
];

/**
 * Filters, sort rules and values in the notations of other systems, as their documentation shows them. They were not
 * written for the parser of this package.
 */
export const notationCalls: ToolCall[] = [
  ...mongo,
  ...airtable,
  ...notion,
  ...postgrest,
  ...supabase,
  ...strapi,
  ...directus,
  ...elasticsearch,
  ...jsonLogic,
  ...language,
  ...sorts,
  ...values,
];
