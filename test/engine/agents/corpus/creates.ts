import type { SampleRecord, ToolCall } from '../toolCall';

/** What a customer gets who is created without these values. */
export const CUSTOMER_DEFAULTS = { status: 'lead', newsletter: 1 };

const create = (
  call: string,
  columns: unknown,
  values?: SampleRecord,
  error = /A valid value|Its choices are|has no field|calculated|twice/,
): ToolCall => ({
  call: `creates a customer: ${call}`,
  tool: 'createRecord',
  args: { table: 'Customers', columns },
  meaning: values && { created: 'Customers', values: { ...CUSTOMER_DEFAULTS, ...values } },
  error,
});

const createOrder = (
  call: string,
  columns: object,
  values?: SampleRecord,
  error = /A valid value|calculated|number|cannot be written/i,
): ToolCall => ({
  call: `creates an order: ${call}`,
  tool: 'createRecord',
  args: { table: 'orders', columns },
  meaning: values && { created: 'Orders', values },
  error,
});

const email = 'new@example.com';
const ada = { name: { first_name: 'Ada', last_name: 'Byron' }, email };

/** Columns by name and label, values of other types, and forms of other systems. */
export const createCalls: ToolCall[] = [
  create('by slug', { email, company: 'Mill' }, { email, company: 'Mill' }),
  create('by label', { Email: email, 'Credit Limit': 1200 }, { email, credit_limit: 1200 }),
  create(
    'in camel case',
    { email, creditLimit: 1200, customerSince: '2025-03-31' },
    { email, credit_limit: 1200, customer_since: '2025-03-31' },
  ),
  create('as text', JSON.stringify({ email, company: 'Mill' }), { email, company: 'Mill' }),
  create('in a code block', `\`\`\`json\n{"email": "${email}"}\n\`\`\``),
  create('with a number as text', { email, credit_limit: '1200.50' }, { email, credit_limit: 1200.5 }),
  create('with yes for a decision box', { email, newsletter: 'yes' }, { email, newsletter: 1 }),
  create('with true for a decision box', { email, Newsletter: true }, { email, newsletter: 1 }),
  create('with a choice by label', { email, status: 'Active' }, { email, status: 'active' }),
  create('with a choice in capitals', { email, Status: 'ACTIVE' }, { email, status: 'active' }),
  create('with a choice as a list of one', { email, status: ['active'] }, { email, status: 'active' }),
  create('with a choice as an object', { email, status: { name: 'Active' } }, { email, status: 'active' }),
  create(
    'with choices as text with commas',
    { email, tags: 'VIP, Export' },
    { email, tags: ['vip', 'export'] },
  ),
  create(
    'with choices by label',
    { email, Tags: ['VIP', 'wholesale'] },
    { email, tags: ['vip', 'wholesale'] },
  ),
  create('with choices as objects', { email, Tags: [{ name: 'VIP' }] }, { email, tags: ['vip'] }),
  create('with the parts of a name', { email, name: { first: 'Ada', last: 'Byron' } }, ada),
  create(
    'with the parts of a name in camel case',
    { email, Name: { firstName: 'Ada', lastName: 'Byron' } },
    ada,
  ),
  create('with the parts of a name as fields', { email, 'First Name': 'Ada', last_name: 'Byron' }, ada),
  create(
    'with the labels of the parts of a name',
    { email, 'Name: First': 'Ada', 'Name: Last': 'Byron' },
    ada,
  ),
  create(
    'with an address',
    { email, address: { City: 'Leeds', country: 'UK' } },
    { email, address: { city: 'Leeds', country: 'UK' } },
  ),
  create(
    'with the parts of an address as fields',
    { email, city: 'Leeds', ZIP: 'LS1' },
    { email, address: { city: 'Leeds', zip: 'LS1' } },
  ),
  create(
    'with a date and a time for a date',
    { email, customer_since: '2025-03-31T00:00:00.000Z' },
    { email, customer_since: '2025-03-31' },
  ),
  create(
    'with a date in words',
    { email, customer_since: 'March 31, 2025' },
    { email, customer_since: '2025-03-31' },
  ),
  create('with null', { email, company: null, phone: '' }, { email }),
  create('with a phone number as a number', { email, phone: 5551000 }, { email, phone: '5551000' }),
  create('in a wrapper', { fields: { Email: email, Company: 'Mill' } }),
  create('as a list of pairs', [{ field: 'Email', value: email }]),
  create('as a list of one', [{ email, company: 'Mill' }]),
  create(
    'with empty texts for what is not known',
    { email, company: '', phone: '', status: '', Name: { first: 'Ada', middle: '' }, tags: [''] },
    { email, name: { first_name: 'Ada' } },
  ),
  create(
    'with an unknown field',
    { email, birthday: '1990-01-01' },
    undefined,
    /has no field "birthday".*Company|company/s,
  ),
  create('with an unknown choice', { email, status: 'Prospect' }, undefined, /Lead, Active, Former/),
  create('with a field given twice', { email, company: 'Mill', Company: 'Well' }),
  create('with an amount in words', { email, credit_limit: 'a lot' }),
  create('with a date that may be two', { email, customer_since: '03/04/2025' }),
  create('without its required field', { company: 'Mill' }, undefined, /[Ee]mail/),
  createOrder(
    'with the customer by ID',
    { Number: 'A-1', customer: '#Customers:2', quantity: '3' },
    { number: 'A-1', customer: ['#Customers:2'], quantity: 3 },
  ),
  createOrder(
    'with products as text with commas',
    { Number: 'A-1', Products: '#Products:1, #Products:2' },
    { number: 'A-1', products: ['#Products:1', '#Products:2'] },
  ),
  createOrder(
    'with a date and a time',
    { Number: 'A-1', 'Shipped At': '2025-03-31 14:30', Status: 'Shipped' },
    { number: 'A-1', shipped_at: '2025-03-31 14:30:00', status: 'shipped' },
  ),
  createOrder('with a calculated field', { Number: 'A-1', total: 100 }),
];
