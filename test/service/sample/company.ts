import type { StoredRecord, Table } from '../data/table';
import type { Application, Role } from '../state/application';
import type { Random } from '../state/random';
import { DAY, formatTimestamp, HOUR } from '../state/time';
import type { User } from '../state/users';
import {
  createInvoicesTable,
  createOrdersTable,
  customersTable,
  printJobsTable,
  productsTable,
} from './companyTables';
import { COMPANIES, GOODS, PEOPLE, PLACES } from './people';
import { restoreOrCreate } from './restoreOrCreate';

const FIRST_DAY = Date.UTC(2024, 0, 1);
const CUSTOMERS = 300;
const ORDERS = 3000;
const INVOICES = 2400;

const ROLES: Omit<Role, 'id'>[] = [
  { name: 'Administrator', description: 'Manages the app', enable_stripe: 'Yes' },
  { name: 'Sales', description: 'Works with own customers', enable_stripe: 'No' },
  { name: 'Accounting', description: 'Sends invoices', enable_stripe: 'No' },
];

interface CompanyTables {
  customers: Table;
  products: Table;
  orders: Table;
  invoices: Table;
}

/** A small company. The same seed gives the same records. */
export function fillCompany(app: Application, users: User[]): void {
  const customers = app.addTable(customersTable);
  const tables = {
    customers,
    products: app.addTable(productsTable),
    orders: app.addTable(createOrdersTable(customers)),
    invoices: app.addTable(createInvoicesTable(customers)),
  };
  const printJobs = app.addTable(printJobsTable);
  app.roles.push(...ROLES.map((role) => ({ id: app.ids.next(), ...role })));
  restoreOrCreate(app, Object.values(tables), () => createCompanyRecords(app, users, tables));
  repeat(5, (i) => printJobs.insert({ title: `Labels ${i + 1}`, page: i + 1, limit: 10 }));
}

function createCompanyRecords({ random }: Application, users: User[], tables: CompanyTables): void {
  const { customers, products, orders, invoices } = tables;
  const buyers = repeat(CUSTOMERS, (i) => customers.insert(createCustomer(i, random, users)));
  const goods = GOODS.colour.flatMap((colour, i) =>
    GOODS.thing.map((thing, j) =>
      products.insert(createProduct(`${colour} ${thing}`, i * GOODS.thing.length + j, random)),
    ),
  );
  const sales = repeat(ORDERS, (i) => orders.insert(createOrder(i, random, buyers, goods)));
  repeat(INVOICES, (i) => invoices.insert(createInvoice(i, random, sales[i] as StoredRecord)));
}

const repeat = <T>(count: number, make: (i: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i));
const formatDayTimestamp = (n: number, ms = 0) => formatTimestamp(FIRST_DAY + n * DAY + ms);
const padNumber = (n: number) => String(n).padStart(5, '0');

function createCustomer(i: number, random: Random, users: User[]) {
  const first_name = random.pick(PEOPLE.first);
  const last_name = random.pick(PEOPLE.last);
  const since = random.nextInt(0, 300);
  return {
    created_at: formatDayTimestamp(since, 9 * HOUR),
    name: { title: '', first_name, middle_name: '', last_name },
    company: `${random.pick(COMPANIES.word)} ${random.pick(COMPANIES.form)}`,
    email: `customer${i + 1}@example.com`,
    phone: `+1 555 ${String(1000 + i)}`,
    address: {
      address: `${random.nextInt(1, 99)} ${random.pick(PLACES.street)}`,
      address2: '',
      city: random.pick(PLACES.city),
      state: '',
      zip: padNumber(random.nextInt(10000, 99999)),
      country: random.pick(PLACES.country),
    },
    status: random.pick(['lead', 'active', 'active', 'former']),
    tags: ['vip', 'wholesale', 'export'].filter(() => random.nextBoolean(0.3)),
    credit_limit: random.nextBoolean(0.1) ? null : random.nextInt(1, 50) * 500,
    newsletter: Number(random.nextBoolean(0.5)),
    customer_since: formatDayTimestamp(since).slice(0, 10),
    account_owner: [random.pick(users).id],
    notes: random.nextBoolean(0.2) ? 'Prefers delivery in the morning' : '',
  };
}

function createProduct(name: string, i: number, random: Random) {
  return {
    created_at: formatDayTimestamp(0, i * 1000),
    name,
    sku: `SKU-${padNumber(i + 1)}`,
    category: random.pick(['home', 'office']),
    price: random.nextInt(500, 30000) / 100,
    stock: random.nextInt(0, 400),
    description: `<p>${name}, ready to ship</p>`,
    discontinued: Number(random.nextBoolean(0.1)),
  };
}

function createOrder(i: number, random: Random, buyers: StoredRecord[], goods: StoredRecord[]) {
  const day = 300 + Math.floor((i * 430) / ORDERS);
  const status = random.pick(['open', 'shipped', 'shipped', 'cancelled']);
  const item = random.pick(goods);
  return {
    created_at: formatDayTimestamp(day, random.nextInt(0, 23) * HOUR),
    number: `ORD-${padNumber(i + 1)}`,
    customer: [random.pick(buyers).id],
    products: [...new Set([item.id, random.pick(goods).id])],
    status,
    ordered_on: formatDayTimestamp(day).slice(0, 10),
    shipped_at:
      status === 'shipped'
        ? formatDayTimestamp(day + random.nextInt(1, 5), random.nextInt(8, 17) * HOUR)
        : null,
    quantity: random.nextInt(1, 20),
    unit_price: item.price,
    express: Number(random.nextBoolean(0.2)),
  };
}

function createInvoice(i: number, random: Random, sale: StoredRecord) {
  const issued = Date.parse(`${String(sale.ordered_on)}T00:00:00Z`) + DAY;
  const paid = random.nextBoolean(0.7);
  return {
    created_at: formatTimestamp(issued + 10 * HOUR),
    number: `INV-${padNumber(i + 1)}`,
    sales_order: [sale.id],
    customer: sale.customer,
    issued_on: formatTimestamp(issued).slice(0, 10),
    due_on: formatTimestamp(issued + 30 * DAY).slice(0, 10),
    amount: sale.total,
    paid: Number(paid),
    paid_at: paid ? formatTimestamp(issued + random.nextInt(1, 40) * DAY + 12 * HOUR) : null,
  };
}
