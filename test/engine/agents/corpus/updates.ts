import type { SampleRecord, ToolCall } from '../toolCall';
import { CUSTOMER_DEFAULTS } from './creates';

const update = (
  call: string,
  columns: unknown,
  values?: SampleRecord,
  error = /A valid value|Its choices are|has no field|field/,
): ToolCall => ({
  call: `updates a customer: ${call}`,
  tool: 'updateRecord',
  args: { table: 'Customers', recordId: '#Customers:2', columns },
  meaning: values && { updated: '#Customers:2', values },
  error,
});

const upsert = (
  call: string,
  columns: object,
  matchOn: unknown,
  meaning?: ToolCall['meaning'],
): ToolCall => ({
  call: `creates or updates a customer: ${call}`,
  tool: 'upsertRecord',
  args: { table: 'Customers', columns, matchOn },
  meaning,
  error: /match|has no field/i,
});

interface Product {
  category: string;
  stock: number;
}

const updateProducts = (
  call: string,
  filter: unknown,
  columns: unknown,
  matching?: (product: Product) => boolean,
  values = {},
): ToolCall => ({
  call: `updates products: ${call}`,
  tool: 'updateRecords',
  args: { table: 'Products', filter, columns },
  meaning: matching && { updatedAll: 'Products', matching: matching as never, values },
  error:
    /A valid value: \{|Operators of the type|A valid filter: \{|"all"|condition|has no field|Maximum|valid|field/i,
});

const isScarce = ({ stock }: Product) => stock < 50;

/** Changes of one record and of several records. */
export const updateCalls: ToolCall[] = [
  update('by label', { Status: 'Former' }, { status: 'former' }),
  update('in camel case', { creditLimit: '900' }, { credit_limit: 900 }),
  update(
    'several fields',
    { company: 'Mill', Tags: 'vip,wholesale' },
    { company: 'Mill', tags: ['vip', 'wholesale'] },
  ),
  update('a number', { 'Credit Limit': 0 }, { credit_limit: 0 }),
  update('to unchecked', { newsletter: 'false', notes: 'Called' }, { newsletter: 0, notes: 'Called' }),
  update('clears a field', { company: null }, { company: '' }),
  update(
    'with empty texts for what is not known',
    { company: 'Mill', notes: '', status: '', address: { city: '' }, tags: [''] },
    { company: 'Mill' },
  ),
  update('with empty texts alone', { company: '', notes: '' }),
  update('a record from another answer', { id: '#Customers:2', company: 'Mill' }, { company: 'Mill' }),
  update('as text', '{"Company": "Mill"}', { company: 'Mill' }),
  update('with an unknown field', { nickname: 'Bo' }),
  update('with an unknown choice', { status: 'gone' }),
  update('without fields', {}),
  {
    call: 'updates a record that does not exist',
    tool: 'updateRecord',
    args: { table: 'Customers', recordId: 'Bo Elm', columns: { company: 'Mill' } },
    error: /record/i,
  },
  upsert('an existing one', { Email: 'customer2@example.com', Company: 'Mill' }, 'email', {
    updated: '#Customers:2',
    values: { company: 'Mill' },
  }),
  upsert('a new one', { Email: 'new@example.com', Company: 'Mill' }, 'Email', {
    created: 'Customers',
    values: { ...CUSTOMER_DEFAULTS, email: 'new@example.com', company: 'Mill' },
  }),
  upsert('by a list', { email: 'customer2@example.com', Status: 'Former' }, ['E-Mail'], {
    updated: '#Customers:2',
    values: { status: 'former' },
  }),
  upsert('without the field to match on', { company: 'Mill' }, 'email'),
  upsert('by nothing', { email: 'customer2@example.com', company: 'Mill' }, ''),
  updateProducts('by a map', { stock: { $lt: 50 } }, { Discontinued: true }, isScarce, { discontinued: 1 }),
  updateProducts(
    'by symbols',
    [{ field: 'Stock', operator: '<', value: '50' }],
    { discontinued: 'yes' },
    isScarce,
    { discontinued: 1 },
  ),
  updateProducts(
    'by the form of the service',
    { condition: 'AND', items: [{ field_id: 'stock', operator: 'lower than', val: 50 }] },
    { discontinued: 1 },
    isScarce,
    { discontinued: 1 },
  ),
  updateProducts(
    'by two conditions',
    { stock: { lt: 50 }, category: 'Office' },
    '{"Price": "9.5"}',
    (product) => isScarce(product) && product.category === 'office',
    { price: 9.5 },
  ),
  updateProducts('without a filter', '', { discontinued: 1 }),
  updateProducts('with an empty filter', {}, { discontinued: 1 }),
  updateProducts('all of them', 'all', { discontinued: 1 }),
  updateProducts('by an unknown field', { inventory: { lt: 50 } }, { discontinued: 1 }),
  {
    call: 'updates more orders than the maximum',
    tool: 'updateRecords',
    args: { table: 'Orders', filter: { status: 'open' }, columns: { express: true } },
    error: /Maximum/,
  },
];
