import { createFound, type ToolCall } from '../toolCall';

const FIELD_LIST = /credit_limit|Credit Limit/;

const findBy = (
  field: string,
  value: unknown,
  matching?: (record: Record<string, never>) => boolean,
): ToolCall => ({
  call: `compares the field "${field}"`,
  tool: 'findByCondition',
  args: { table: 'Customers', field, operator: 'is', value },
  meaning: matching && createFound('Customers', matching as never),
  error: FIELD_LIST,
});

interface Customer {
  name: { first_name: string; last_name: string };
  address: { city: string; zip: string };
  status: string;
  credit_limit: number;
  created_at: string;
  email: string;
}

const findCustomer = (field: string, value: unknown, matching?: (customer: Customer) => boolean): ToolCall =>
  findBy(field, value, matching as never);

const isRich = ({ credit_limit }: Customer) => credit_limit === 20000;
const isBo = ({ name }: Customer) => name.first_name === 'Bo';
const isElm = ({ name }: Customer) => name.last_name === 'Elm';
const isNorthern = ({ address }: Customer) => address.city === 'Northtown';

/** Fields by slug, name and label in any case, parts of fields, and fields that do not exist. */
export const fieldCalls: ToolCall[] = [
  findCustomer('Credit Limit', 20000, isRich),
  findCustomer('creditLimit', 20000, isRich),
  findCustomer('credit limit', '20000', isRich),
  findCustomer('CREDIT_LIMIT', '20000', isRich),
  findCustomer('credit-limit', '20000.00', isRich),
  findCustomer('STATUS', 'Lead', ({ status }) => status === 'lead'),
  findCustomer('E-Mail', 'customer7@example.com', ({ email }) => email === 'customer7@example.com'),
  findCustomer('Name: First', 'Bo', isBo),
  findCustomer('first_name', 'Bo', isBo),
  findCustomer('First Name', 'bo', isBo),
  findCustomer('name.first_name', 'Bo', isBo),
  findCustomer('name-first', 'Bo', isBo),
  findCustomer('last name', 'elm', isElm),
  findCustomer('lastName', 'Elm', isElm),
  findCustomer('City', 'northtown', isNorthern),
  findCustomer('address.city', 'Northtown', isNorthern),
  findCustomer('Address City', 'Northtown', isNorthern),
  findCustomer('Created At', '2024-06-12 09:00:00', ({ created_at }) => created_at === '2024-06-12 09:00:00'),
  findCustomer('createdAt', '2024-06-12', ({ created_at }) => created_at.startsWith('2024-06-12')),
  findCustomer('credit', 20000),
  findCustomer('birthday', '1990-01-01'),
];
