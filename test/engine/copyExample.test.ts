import { intersection, isObject, omit } from 'lodash';
import { loadExample } from '../examples';
import type { Run } from '../harness';
import { type Service, type ServiceOptions, startService, type Table } from '../service';
import { PROFILES } from '../service/profiles';
import { TestEnvironment } from './support/testEnvironment';

/**
 * The example `copy-to-another-application` between two services whose IDs coincide (evidence 7): a connection that was copied
 * by its ID would lead to another record, without an error.
 */

const TABLES = ['Customers', 'Products', 'Orders', 'Invoices'];
const SIZE = 12;

/** What a record of each table is found by. */
const KEYS: Record<string, string> = {
  Customers: 'email',
  Products: 'sku',
  Orders: 'number',
  Invoices: 'number',
};

const clear = (table: Table, kept: number) =>
  [...table.records.keys()].slice(kept).forEach((id) => table.delete(id));

/** Leaves a few records of each table, which name the records of others without doubt. */
function fillSource(source: Service): void {
  for (const name of TABLES) clear(source.getTable(name), SIZE);
  const [customers, products, orders, invoices] = TABLES.map((name) => [
    ...source.getTable(name).records.values(),
  ]);
  const pick = (records: typeof customers, index: number) => records![index % SIZE]!.id;
  customers!.forEach(({ id }, n) =>
    source.getTable('Customers').update(id, {
      name: { title: '', first_name: `Ada ${n}`, middle_name: '', last_name: 'Byron' },
      email: `ada${n}@example.com`,
    }),
  );
  products!.forEach(({ id }, n) => source.getTable('Products').update(id, { name: `Product ${n}, large` }));
  orders!.forEach(({ id }, n) =>
    source.getTable('Orders').update(id, {
      customer: [pick(customers, n + 5)],
      products: n % 3 === 0 ? [] : [pick(products, n), pick(products, n + 3)],
    }),
  );
  invoices!.forEach(({ id }, n) =>
    source.getTable('Invoices').update(id, { sales_order: [pick(orders, n + 2)], customer: [] }),
  );
}

/** Leaves records of other people under the IDs of those of the source. */
function fillTarget(target: Service): void {
  for (const name of TABLES)
    clear(target.getTable(name), name === 'Customers' || name === 'Products' ? 5 : 0);
  [...target.getTable('Customers').records.keys()].forEach((id, n) =>
    target.getTable('Customers').update(id, {
      name: { title: '', first_name: `Other ${n}`, middle_name: '', last_name: '' },
      email: `other${n}@example.com`,
    }),
  );
  [...target.getTable('Products').records.keys()].forEach((id, n) =>
    target.getTable('Products').update(id, { name: `Other ${n}`, sku: `OTHER-${n}` }),
  );
}

/** The service derives the coordinates of an address (evidence 9). */
const withoutCoordinates = (value: unknown): unknown =>
  isObject(value) && !Array.isArray(value) ? omit(value, ['lat', 'lng']) : value;

/** The records of a table by their keys, with the keys of the connected ones in place of the IDs. */
function listByKeys(service: Service, name: string): Record<string, object> {
  const table = service.getTable(name);
  const rename = (id: string, to: string) => service.getTable(to).records.get(id)![KEYS[to]!];
  const entries = [...table.records.values()].map((record) => {
    const values = table.fields
      .filter(({ type }) => !['User', 'Formula'].includes(type))
      .map(({ key, to, type }) => [
        key,
        type === 'Connection'
          ? (record[key] as string[]).map((id) => rename(id, to!)).sort()
          : withoutCoordinates(record[key]),
      ]);
    return [String(record[KEYS[name]!]), Object.fromEntries(values) as object] as const;
  });
  return Object.fromEntries(entries);
}

const CASES: Array<[string, Partial<ServiceOptions>, Partial<ServiceOptions>]> = [
  ...(Object.keys(PROFILES) as Array<keyof typeof PROFILES>).map((profile): [string, object, object] => [
    profile,
    { profile },
    { profile },
  ]),
  // Another application numbers its fields in another order.
  ['met, with other slugs', { profile: 'met' }, { profile: 'met', slugs: 'numbered' }],
];

test.each(CASES)('%s: a dry run, a copy, and a second run that doubles nothing', async (_, from, to) => {
  const source = await TestEnvironment.start(from);
  const target = await startService({ perMinute: 100_000, perDay: 10_000_000, ...to });
  try {
    fillSource(source.service);
    fillTarget(target);
    const { options, baseUrl, keys } = target;
    const access = { baseUrl, ...keys, advancedSettings: true, serviceTimeZone: options.timeZone };
    await source.engine.setCredential('recordDatabaseApi', access, {
      id: 'record-database-copy',
      name: 'Record Database account 2',
    });
    const copy = async (dryRun: boolean): Promise<object[]> => {
      const text = JSON.stringify(loadExample('copy-to-another-application', source.service));
      const workflow = JSON.parse(text.replace('"value":true', `"value":${dryRun}`)) as never;
      const run: Run = await source.engine.run(workflow);
      expect([run.error?.message, (run.error as { description?: string } | undefined)?.description]).toEqual([
        undefined,
        undefined,
      ]);
      return run.getJson('Done');
    };
    const report = (created: number, unchanged: number) =>
      TABLES.map((table) => ({ table, created, updated: 0, unchanged }));
    const listTarget = () => Object.fromEntries(TABLES.map((name) => [name, listByKeys(target, name)]));
    const before = listTarget();
    const listIds = (service: Service) => [...service.getTable('Customers').records.keys()];
    expect(intersection(listIds(source.service), listIds(target))).toHaveLength(5);

    expect(await copy(true)).toEqual(report(SIZE, 0));
    expect(listTarget()).toEqual(before);

    const countRequests = () => source.service.requests.length + target.requests.length;
    const atStart = countRequests();
    expect(await copy(false)).toEqual(report(SIZE, 0));
    // What docs/cookbook.md says: 48 of them create records.
    const afterCopy = countRequests();
    expect(afterCopy - atStart).toBeLessThanOrEqual(80);
    const sizes = TABLES.map((name) => target.getTable(name).records.size);
    expect(sizes).toEqual([SIZE + 5, SIZE + 5, SIZE, SIZE]);
    for (const name of TABLES) {
      const copied = listByKeys(target, name);
      for (const [key, record] of Object.entries(listByKeys(source.service, name)))
        expect([name, key, copied[key]]).toEqual([name, key, record]);
      // The records of others are as they were.
      expect(copied).toMatchObject(before[name]!);
    }

    expect(await copy(false)).toEqual(report(0, SIZE));
    expect(countRequests() - afterCopy).toBeLessThanOrEqual(20);
    expect(TABLES.map((name) => target.getTable(name).records.size)).toEqual(sizes);
    // A value that changed in the source is the only one that is written.
    const [order] = source.getTable('Orders').records.values();
    source.getTable('Orders').update(order!.id, { quantity: 4711 });
    expect(await copy(false)).toMatchObject(
      TABLES.map((table) => ({ table, created: 0, updated: table === 'Orders' ? 1 : 0 })),
    );
    expect([...source.service.violations, ...target.violations]).toEqual([]);
  } finally {
    await Promise.all([source.stop(), target.stop()]);
  }
});
