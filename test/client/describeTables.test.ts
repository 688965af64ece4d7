import { sortBy } from 'lodash';
import { describeTables, listTables } from '../../nodes/records';
import { createSeed, scaleRuns } from '../randomness';
import type { FieldDefinition } from '../service/data/field';
import { Random } from '../service/state/random';
import { ClientEnvironment } from './support';

/** The order in which tables are filled, for any connections between them. */

const env = new ClientEnvironment();
beforeAll(() => env.start({ perMinute: 100_000 }));
afterAll(() => env.stop());
afterEach(() => expect(env.service.violations).toEqual([]));

/** Adds tables with these connections, and describes them alone. */
async function describeLinked(links: Map<string, string[]>) {
  for (const [name, targets] of links) {
    const connections = targets.map((to): FieldDefinition => ({ name: `To ${to}`, type: 'Connection', to }));
    env.service.addTable({ name, fields: [{ name: 'Key', type: 'Text', unique: true }, ...connections] });
  }
  const client = env.createClient();
  const tables = await listTables(client);
  return describeTables(
    client,
    tables,
    tables.filter(({ name }) => links.has(name)),
  );
}

/** Tables with random connections. Without circles, a table connects to those before it in a random order. */
function drawLinks(random: Random, prefix: string, hasCircles: boolean): Map<string, string[]> {
  const names = Array.from({ length: random.nextInt(1, 8) }, (_, index) => `${prefix} ${index}`);
  const order = sortBy(names, () => random.next());
  return new Map(
    names.map((name) => {
      const possible = hasCircles ? names : order.slice(0, order.indexOf(name));
      return [name, possible.filter(() => random.nextBoolean(0.25))];
    }),
  );
}

test('a table comes after those that it connects to, unless they are in a circle', async () => {
  const random = new Random(createSeed());
  for (let run = 0; run < scaleRuns(200); run++) {
    const hasCircles = run % 2 === 0;
    const links = drawLinks(random, `Run ${run}`, hasCircles);
    const described = await describeLinked(links);
    expect(described.map(({ order }) => order)).toEqual(described.map((_, index) => index + 1));
    const positions = new Map(described.map(({ name, order }) => [name, order]));
    /** Whether one can go from a table to another one along its connections. */
    const reaches = (from: string, to: string, seen = new Set<string>()): boolean =>
      (links.get(from) ?? []).some(
        (next) => next === to || (!seen.has(next) && reaches(next, to, seen.add(next))),
      );
    for (const { name, order, fillAfter, cycle, connectLater } of described) {
      const targets = links.get(name)!;
      const isEarlier = (target: string) => positions.get(target)! < order;
      expect(fillAfter.sort()).toEqual(targets.filter(isEarlier).sort());
      const late = targets.filter((target) => !isEarlier(target));
      expect(connectLater).toHaveLength(late.length);
      // Only what leads back waits.
      expect(late.filter((target) => target !== name && !reaches(target, name))).toEqual([]);
      const inCircle = [...links.keys()].filter((one) => reaches(name, one) && reaches(one, name));
      expect([...cycle].sort()).toEqual(inCircle.sort());
      expect(hasCircles || late.length === 0).toBe(true);
    }
  }
});

test('the sample application: fields, choices, connections, keys', async () => {
  const client = env.createClient();
  const tables = await listTables(client);
  const wanted = ['Invoices', 'Orders', 'Products', 'Customers'].map((name) =>
    tables.find((table) => table.name === name)!,
  );
  const requests = await env.record(() => describeTables(client, tables, wanted));
  expect(requests).toHaveLength(wanted.length);
  const described = await describeTables(client, tables, wanted);
  expect(described.map(({ order, name, fillAfter, keyField }) => [order, name, fillAfter, keyField])).toEqual(
    [
      [1, 'Products', [], 'SKU'],
      [2, 'Customers', [], 'Email'],
      [3, 'Orders', ['Customers', 'Products'], 'Number'],
      [4, 'Invoices', ['Orders', 'Customers'], 'Number'],
    ],
  );
  const orders = described[2]!.fields;
  const find = (slug: string) => orders.find((field) => field.slug === slug);
  expect(find('customer')).toMatchObject({
    unique: false,
    writable: true,
    connectsTo: { table: 'Customers', several: false, namedBy: 'Name' },
  });
  expect(find('products')).toMatchObject({ connectsTo: { several: true, namedBy: 'Name' } });
  expect(find('status')).toMatchObject({ type: 'Radio', choices: ['Open', 'Shipped', 'Cancelled'] });
  expect(find('total')).toMatchObject({ writable: false });
  expect(orders.map(({ slug }) => slug)).not.toContain('created_at');
  // Alone, a table waits for none, and the names of the others are still known.
  const [alone] = await describeTables(client, tables, wanted.slice(1, 2));
  expect(alone).toMatchObject({ order: 1, fillAfter: [] });
  expect(alone!.fields.find(({ slug }) => slug === 'customer')).toMatchObject({
    connectsTo: { table: 'Customers', namedBy: 'name' },
  });
});
