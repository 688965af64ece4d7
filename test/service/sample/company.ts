import type { StoredRecord } from '../data/table';
import type { Application, Role } from '../state/application';
import type { Random } from '../state/random';
import { DAY, HOUR, timestamp } from '../state/time';
import type { User } from '../state/users';
import { customersTable, invoicesTable, ordersTable, printJobsTable, productsTable } from './companyTables';
import { COMPANIES, GOODS, PEOPLE, PLACES } from './people';

const FIRST_DAY = Date.UTC(2024, 0, 1);
const CUSTOMERS = 300;
const ORDERS = 3000;
const INVOICES = 2400;

const ROLES: Omit<Role, 'id'>[] = [
  { name: 'Administrator', description: 'Manages the app', enable_stripe: 'Yes' },
  { name: 'Sales', description: 'Works with own customers', enable_stripe: 'No' },
  { name: 'Accounting', description: 'Sends invoices', enable_stripe: 'No' },
];

/** A small company; the same seed gives the same records. */
export function fillCompany(app: Application, users: User[]): void {
  const { random } = app;
  const customers = app.addTable(customersTable);
  const products = app.addTable(productsTable);
  const orders = app.addTable(ordersTable(customers));
  const invoices = app.addTable(invoicesTable(customers));
  const printJobs = app.addTable(printJobsTable);
  app.roles.push(...ROLES.map((role) => ({ id: app.ids.next(), ...role })));

  const buyers = times(CUSTOMERS, (i) => customers.insert(customer(i, random, users)));
  const goods = GOODS.colour.flatMap((colour, i) =>
    GOODS.thing.map((thing, j) =>
      products.insert(productValues(`${colour} ${thing}`, i * GOODS.thing.length + j, random)),
    ),
  );
  const sales = times(ORDERS, (i) => orders.insert(order(i, random, buyers, goods)));
  times(INVOICES, (i) => invoices.insert(invoice(i, random, sales[i] as StoredRecord)));
  times(5, (i) => printJobs.insert({ title: `Labels ${i + 1}`, page: i + 1, limit: 10 }));
}

const times = <T>(count: number, make: (i: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i));
const onDay = (n: number, ms = 0) => timestamp(FIRST_DAY + n * DAY + ms);
const padded = (n: number) => String(n).padStart(5, '0');

function customer(i: number, random: Random, users: User[]) {
  const first_name = random.pick(PEOPLE.first);
  const last_name = random.pick(PEOPLE.last);
  const since = random.int(0, 300);
  return {
    created_at: onDay(since, 9 * HOUR),
    name: { title: '', first_name, middle_name: '', last_name },
    company: `${random.pick(COMPANIES.word)} ${random.pick(COMPANIES.form)}`,
    email: `customer${i + 1}@example.com`,
    phone: `+1 555 ${String(1000 + i)}`,
    address: {
      address: `${random.int(1, 99)} ${random.pick(PLACES.street)}`,
      address2: '',
      city: random.pick(PLACES.city),
      state: '',
      zip: padded(random.int(10000, 99999)),
      country: random.pick(PLACES.country),
    },
    status: random.pick(['lead', 'active', 'active', 'former']),
    tags: ['vip', 'wholesale', 'export'].filter(() => random.chance(0.3)),
    credit_limit: random.chance(0.1) ? null : random.int(1, 50) * 500,
    newsletter: Number(random.chance(0.5)),
    customer_since: onDay(since).slice(0, 10),
    account_owner: [random.pick(users).id],
    notes: random.chance(0.2) ? 'Prefers delivery in the morning' : '',
  };
}

function productValues(name: string, i: number, random: Random) {
  return {
    created_at: onDay(0, i * 1000),
    name,
    sku: `SKU-${padded(i + 1)}`,
    category: random.pick(['home', 'office']),
    price: random.int(500, 30000) / 100,
    stock: random.int(0, 400),
    description: `<p>${name}, ready to ship</p>`,
    discontinued: Number(random.chance(0.1)),
  };
}

function order(i: number, random: Random, buyers: StoredRecord[], goods: StoredRecord[]) {
  const day = 300 + Math.floor((i * 430) / ORDERS);
  const status = random.pick(['open', 'shipped', 'shipped', 'cancelled']);
  const item = random.pick(goods);
  return {
    created_at: onDay(day, random.int(0, 23) * HOUR),
    number: `ORD-${padded(i + 1)}`,
    customer: [random.pick(buyers).id],
    products: [...new Set([item.id, random.pick(goods).id])],
    status,
    ordered_on: onDay(day).slice(0, 10),
    shipped_at: status === 'shipped' ? onDay(day + random.int(1, 5), random.int(8, 17) * HOUR) : null,
    quantity: random.int(1, 20),
    unit_price: item.price,
    express: Number(random.chance(0.2)),
  };
}

function invoice(i: number, random: Random, sale: StoredRecord) {
  const issued = Date.parse(`${String(sale.ordered_on)}T00:00:00Z`) + DAY;
  const paid = random.chance(0.7);
  return {
    created_at: timestamp(issued + 10 * HOUR),
    number: `INV-${padded(i + 1)}`,
    sales_order: [sale.id],
    customer: sale.customer,
    issued_on: timestamp(issued).slice(0, 10),
    due_on: timestamp(issued + 30 * DAY).slice(0, 10),
    amount: sale.total,
    paid: Number(paid),
    paid_at: paid ? timestamp(issued + random.int(1, 40) * DAY + 12 * HOUR) : null,
  };
}
