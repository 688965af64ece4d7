import type { StoredRecord, Table, TableDefinition } from '../data/table';

const isOwnedBy = (record: StoredRecord | undefined, userId: string) =>
  (record?.account_owner as string[] | undefined)?.includes(userId) ?? false;

/** Signed-in users see the customers that they own, with their orders and invoices (Row Level Security). */
export const customersTable: TableDefinition = {
  name: 'Customers',
  policy: { canSee: isOwnedBy, mayDelete: false },
  fields: [
    { name: 'Name', type: 'Name' },
    { name: 'Company', type: 'Text' },
    { name: 'Email', type: 'Email', unique: true, required: true },
    { name: 'Phone', type: 'Phone' },
    { name: 'Address', type: 'Address' },
    {
      name: 'Status',
      type: 'Select',
      options: ['lead: Lead', 'active: Active', 'former: Former'],
      defaultValue: 'lead',
    },
    { name: 'Tags', type: 'Multi-select', options: ['vip: VIP', 'wholesale: Wholesale', 'export: Export'] },
    { name: 'Credit Limit', type: 'Currency' },
    { name: 'Newsletter', type: 'Decision Box', defaultValue: '1' },
    { name: 'Customer Since', type: 'Date' },
    { name: 'Account Owner', type: 'User' },
    { name: 'Notes', type: 'Long Text' },
  ],
};

export const productsTable: TableDefinition = {
  name: 'Products',
  fields: [
    { name: 'Name', type: 'Text', required: true },
    { name: 'SKU', type: 'Text', unique: true },
    { name: 'Category', type: 'Dropdown', options: ['home: Home', 'office: Office'] },
    { name: 'Price', type: 'Currency' },
    { name: 'Stock', type: 'Number' },
    { name: 'Description', type: 'Rich Text' },
    { name: 'Discontinued', type: 'Decision Box' },
  ],
};

const multiplyMoney = (a: unknown, b: unknown) => Math.round(Number(a) * Number(b) * 100) / 100;

const createOwnerCheck = (customers: Table) => (record: StoredRecord, userId: string) =>
  (record.customer as string[]).some((id) => isOwnedBy(customers.records.get(id), userId));

export const createOrdersTable = (customers: Table): TableDefinition => ({
  name: 'Orders',
  policy: { canSee: createOwnerCheck(customers), mayDelete: true },
  fields: [
    { name: 'Number', type: 'Text', unique: true, required: true },
    { name: 'Customer', type: 'Connection', to: 'Customers', many: false },
    { name: 'Products', type: 'Connection', to: 'Products' },
    { name: 'Status', type: 'Radio', options: ['open: Open', 'shipped: Shipped', 'cancelled: Cancelled'] },
    { name: 'Ordered On', type: 'Date' },
    { name: 'Shipped At', type: 'Date-Time' },
    { name: 'Quantity', type: 'Number' },
    { name: 'Unit Price', type: 'Currency' },
    {
      name: 'Total',
      type: 'Formula',
      formula: {
        text: '{quantity} * {unit_price}',
        evaluate: (order) => multiplyMoney(order.quantity, order.unit_price),
      },
    },
    { name: 'Express', type: 'Decision Box' },
  ],
});

export const createInvoicesTable = (customers: Table): TableDefinition => ({
  name: 'Invoices',
  policy: { canSee: createOwnerCheck(customers), mayDelete: true },
  rules: [
    ({ issued_on, due_on }) =>
      issued_on && due_on && String(due_on) < String(issued_on)
        ? { due_on: ['Due On must not be before Issued On'] }
        : undefined,
  ],
  fields: [
    { name: 'Number', type: 'Text', unique: true, required: true },
    { name: 'Sales Order', type: 'Connection', to: 'Orders', many: false },
    { name: 'Customer', type: 'Connection', to: 'Customers', many: false },
    { name: 'Issued On', type: 'Date' },
    { name: 'Due On', type: 'Date' },
    { name: 'Amount', type: 'Currency' },
    { name: 'Paid', type: 'Decision Box' },
    { name: 'Paid At', type: 'Date-Time' },
  ],
});

/** Its slugs are list keys: a JSON body with them lists instead of creating (spec: Records). */
export const printJobsTable: TableDefinition = {
  name: 'Print Jobs',
  fields: [
    { name: 'Title', type: 'Text' },
    { name: 'Page', type: 'Number' },
    { name: 'Limit', type: 'Number' },
  ],
};

/** An empty table, to which an example copies the customers. */
export const customerCopiesTable: TableDefinition = {
  name: 'Customer Copies',
  fields: [
    { name: 'Source ID', type: 'Text', unique: true, required: true },
    { name: 'Company', type: 'Text' },
    { name: 'Email', type: 'Email' },
    { name: 'Phone', type: 'Phone' },
  ],
};

/** An empty table, in which an example keeps rows that were refused. Its columns take any text. */
export const rowsToCorrectTable: TableDefinition = {
  name: 'Rows to Correct',
  fields: [
    { name: 'Company', type: 'Text' },
    { name: 'Email', type: 'Text' },
    { name: 'Credit Limit', type: 'Text' },
    { name: 'Reason', type: 'Long Text' },
    { name: 'Corrected', type: 'Decision Box' },
  ],
};
