import { type INode, type INodeParameters, NodeHelpers } from 'n8n-workflow';
import { listExamples, loadExample } from '../examples';
import type { Run, WorkflowJson } from '../harness';
import { scaleSize } from '../randomness';
import { useTestEnvironment } from './support/useTestEnvironment';

const env = useTestEnvironment();

/** Orders and invoices that are left: more than three pages, and no invoice of an order that is gone. */
const KEPT = scaleSize(610, 3_000);
beforeAll(() => {
  for (const name of ['Orders', 'Invoices']) {
    const { records } = env.getTable(name);
    for (const id of [...records.keys()].slice(KEPT)) records.delete(id);
  }
});

async function runExample(name: string, workflow = loadExample(name, env.service)): Promise<Run> {
  const done = await env.engine.run(workflow);
  expect(done.error?.message).toBeUndefined();
  return done;
}

test('create, read back, update and delete', async () => {
  const customers = env.getTable('Customers');
  const before = customers.records.size;
  const done = await runExample('create-read-update-delete');
  expect(done.getJson('Find It')).toMatchObject([
    { company: 'Example Workshop', credit_limit: 2500, newsletter: 1 },
  ]);
  expect(done.getJson('Read It Back')).toMatchObject([
    { company: 'Example Workshop', credit_limit: 5000, newsletter: 1 },
  ]);
  expect(done.getJson('Delete It')).toEqual([
    { _action: 'deleted', deleted: true, id: done.getJson('Create Customer')[0]!.id },
  ]);
  expect(customers.records.size).toBe(before);
});

test('page through orders', async () => {
  const orders = [...env.getTable('Orders').records.values()];
  const found = (await runExample('page-through-orders')).getJson('All Orders');
  expect(new Set(found.map(({ id }) => id)).size).toBe(orders.length);
  expect(found[0]!._total).toBe(orders.length);
  const dates = found.map(({ created_at: at }) => String(at));
  expect(dates).toEqual([...dates].sort().reverse());
});

test('read a table in pages', async () => {
  const pages = Math.ceil(env.getTable('Orders').records.size / 200);
  expect(pages).toBeGreaterThan(2);
  const before = env.service.requests.length;
  const done = await runExample('read-in-pages');
  expect(done.getJson('Process One Page')).toEqual(
    Array.from({ length: pages }, (_, index) => ({ page: index + 1, pages })),
  );
  expect(env.listRequests(before).filter((pattern) => pattern.endsWith('/records'))).toHaveLength(pages);
  // The records stay in the executions that read them.
  expect(done.executedNodes).not.toContain('Read Page');
});

test('nested filter', async () => {
  const matches = [...env.getTable('Customers').records.values()].filter((one) => {
    const { city } = one.address as { city: string };
    return (
      one.email !== '' &&
      (['Northtown', 'Southport'].includes(city) || Number(one.credit_limit) >= 20000) &&
      (one.status === 'active' || one.newsletter === 1)
    );
  });
  const found = (await runExample('nested-filter')).getJson('Find Customers');
  expect(found.map(({ id }) => id).sort()).toEqual(matches.map(({ id }) => id).sort());
  expect(found.length).toBeGreaterThan(0);
});

test('upsert', async () => {
  const found = (await runExample('upsert')).getJson('Create or Update');
  expect(found.map(({ _action, company }) => [_action, company])).toEqual([
    ['created', 'One'],
    ['created', 'Two'],
    ['updated', 'One Renamed'],
  ]);
});

test('welcome mail for new addresses only', async () => {
  env.getTable('Customers').insert({ email: 'grace@example.com', company: 'Known' });
  const listMails = async () => (await runExample('welcome-new-addresses')).getJson('Write Mail');
  expect(await listMails()).toEqual([
    { to: 'ada@example.com', text: 'Welcome, Ada Ltd!' },
    { to: 'edsger@example.com', text: 'Welcome, Edsger Ltd!' },
  ]);
  // A second run finds all of them.
  expect(await listMails()).toEqual([]);
});

describe('orders of customers', () => {
  const listOrders = (ids: unknown[]) =>
    [...env.getTable('Orders').records.values()].filter((order) =>
      (order.customer as string[]).some((id) => ids.includes(id)),
    );
  const sort = (numbers: unknown[]) => numbers.map(String).sort();

  test('one reading for each customer', async () => {
    const before = env.service.requests.length;
    const done = await runExample('orders-of-a-customer');
    const customers = done.getJson('Some Customers');
    expect(customers).toHaveLength(3);
    const orders = done.getJson('Their Orders');
    expect(sort(orders.map(({ number }) => number))).toEqual(
      sort(listOrders(customers.map(({ id }) => id)).map(({ number }) => number)),
    );
    expect(orders.length).toBeGreaterThan(3);
    const [line] = done.getJson('Write Line');
    const customer = customers.find(({ id }) => id === orders[0]!.customer_id);
    expect(line).toEqual({ line: `Order ${String(orders[0]!.number)} of ${String(customer!.company)}` });
    // No name is looked up: the customers, and the orders of each.
    expect(env.listRequests(before).filter((one) => one.endsWith('/records'))).toHaveLength(4);
  });

  test('one reading for all customers, as docs/cookbook.md says', async () => {
    const workflow = loadExample('orders-of-a-customer', env.service);
    const node = workflow.nodes.find(({ name }) => name === 'Their Orders')!;
    Object.assign(node, { executeOnce: true });
    const list = "={{ $('Some Customers').all().map((item) => ({ id: item.json.id })) }}";
    const items = [{ field: 'customer|connection', operator: 'is any of', value: list }];
    node.parameters = { ...node.parameters, conditions: { items } };
    const before = env.service.requests.length;
    const done = await runExample('orders-of-a-customer', workflow);
    const ids = done.getJson('Some Customers').map(({ id }) => id);
    expect(sort(done.getJson('Their Orders').map(({ number }) => number))).toEqual(
      sort(listOrders(ids).map(({ number }) => number)),
    );
    expect(env.listRequests(before).filter((one) => one.endsWith('/records'))).toHaveLength(2);
  });
});

test('batch update', async () => {
  const done = await runExample('batch-update');
  const partners = [...env.getTable('Customers').records.values()].filter((one) =>
    /partners/i.test(String(one.company)),
  );
  expect(done.getJson('How Many')[0]!.total).toBe(partners.length);
  expect(done.getJson('Subscribe Them')[0]!.total).toBe(partners.length);
  expect(partners.every(({ newsletter }) => newsletter === 1)).toBe(true);
});

test('delete many, after a dry run', async () => {
  const products = env.getTable('Products');
  const before = products.records.size;
  const done = await runExample('delete-many');
  const ids = done.getJson('Add Products').map(({ id }) => id);
  expect(ids).toHaveLength(3);
  expect(done.getJson('What Would Go').map(({ id, _dryRun }) => [id, _dryRun])).toEqual(
    ids.map((id) => [id, true]),
  );
  expect(done.getJson('Delete Them').map(({ id, _action }) => [id, _action])).toEqual(
    ids.map((id) => [id, 'deleted']),
  );
  expect(done.getJson('Undo It').map(({ _action, _restores }) => [_action, _restores])).toEqual(
    ids.toReversed().map((id) => ['create', id]),
  );
  expect(products.records.size).toBe(before);
});

test('no example runs one of the nodes with Execute Once, which drops the other items', () => {
  const nodes = listExamples().flatMap((name) => loadExample(name, env.service).nodes);
  const ours = nodes.filter(({ type }) => type.startsWith('n8n-nodes-record-database.'));
  expect(ours.length).toBeGreaterThan(10);
  expect(ours.filter(({ executeOnce }) => executeOnce).map(({ name }) => name)).toEqual([]);
});

/** The paths of all values below `given` that `loaded` lacks or has with another value. */
function listLost(given: unknown, loaded: unknown, path = ''): string[] {
  if (typeof given !== 'object' || given === null) return Object.is(given, loaded) ? [] : [path];
  if (typeof loaded !== 'object' || loaded === null) return [path];
  return Object.entries(given).flatMap(([key, value]) =>
    listLost(value, (loaded as Record<string, unknown>)[key], `${path}.${key}`),
  );
}

test.each(listExamples())('n8n keeps every parameter of %s when it loads the workflow', (name) => {
  const nodes = loadExample(name, env.service).nodes.filter(({ type }) =>
    type.startsWith('n8n-nodes-record-database.'),
  );
  expect(nodes.length).toBeGreaterThan(0);
  const lost = nodes.flatMap((node) => {
    const { description } = env.engine.nodeTypes.getByNameAndVersion(node.type, node.typeVersion);
    const given = structuredClone(node.parameters ?? {}) as INodeParameters;
    const loaded = NodeHelpers.getNodeParameters(
      description.properties,
      given,
      true,
      false,
      node as unknown as INode,
      description,
    );
    return listLost(node.parameters, loaded, node.name);
  });
  expect(lost).toEqual([]);
});

test('examples name their tables, so that they need not be picked', () => {
  const picked = listExamples().flatMap((name) =>
    loadExample(name, env.service).nodes.flatMap((node) => {
      const { dataTableId } = (node.parameters ?? {}) as { dataTableId?: { mode: string; value: string } };
      const isNamed = !dataTableId || dataTableId.mode === 'name' || dataTableId.value.startsWith('=');
      // The polling trigger takes its table from a list only.
      return isNamed || node.type.endsWith('PollingTrigger') ? [] : [`${name}: ${node.name}`];
    }),
  );
  expect(picked).toEqual([]);
});

describe('refused rows', () => {
  const listRows = () =>
    [...env.getTable('Rows to Correct').records.values()].map(({ company, corrected, reason }) => [
      company,
      corrected,
      String(reason),
    ]);

  test('are listed with the reason, corrected by a person, and tried again', async () => {
    const customers = env.getTable('Customers');
    const rows = env.getTable('Rows to Correct');
    const listCompanies = () => [...customers.records.values()].map(({ company }) => company);
    const done = await runExample('correct-refused-rows');
    expect(done.getJson('Go On')).toMatchObject([{ company: 'Bright Lamps', _action: 'created' }]);
    expect(listRows()).toEqual([
      ['Paper & Pens', 0, expect.stringContaining('Email')],
      ['Corner Shop', 0, expect.stringContaining('a lot')],
    ]);

    // A person corrects the first row, and only ticks the second one.
    const [first, second] = [...rows.records.values()];
    rows.update(first!.id, { email: 'paper@pens.example', corrected: 1 });
    rows.update(second!.id, { corrected: 1 });
    const trigger = await env.engine.activate(loadExample('correct-refused-rows', env.service));
    expect((await trigger.runFrom('Every 15 Minutes')).error?.message).toBeUndefined();
    expect(listCompanies()).toContain('Paper & Pens');
    expect(listRows()).toEqual([['Corner Shop', 0, expect.stringContaining('a lot')]]);

    rows.update(second!.id, { credit_limit: '1200', corrected: 1 });
    expect((await trigger.runFrom('Every 15 Minutes')).error?.message).toBeUndefined();
    expect(listCompanies()).toContain('Corner Shop');
    expect(listRows()).toEqual([]);
    await trigger.deactivate();
  });
});

describe('a backup', () => {
  /** Records of a file that are restored: the look-ups of all orders take long. */
  const MAX_RESTORED = scaleSize(100, 400);
  let backup: Run;
  interface TableFile {
    fields: object[];
    records: Array<Record<string, unknown>>;
  }
  /** The content of each file by the name of its table. */
  const files = new Map<string, TableFile>();

  beforeAll(async () => {
    backup = await runExample('backup');
    for (const item of backup.getItems('Done')) {
      const text = (await backup.readBinary(item)).toString();
      const { table, ...content } = JSON.parse(text) as { table: string } & TableFile;
      files.set(table, content);
    }
  });

  test('has a file with all records and fields of each table', () => {
    const expected = env.service.tables.map(({ name, records, fields }) => [
      name,
      fields.length,
      [...records.keys()].sort(),
    ]);
    expect(expected.length).toBeGreaterThan(5);
    const found = [...files].map(([name, { fields, records }]) => [
      name,
      fields.length,
      records.map(({ id }) => String(id)).sort(),
    ]);
    expect(found).toEqual(expected);
    const names = backup.getItems('Done').map(({ binary }) => binary?.data?.fileName);
    // The day is that of the workflow's time zone.
    expect(names).toContainEqual(expect.stringMatching(/^Customer Copies \d{4}-\d\d-\d\d\.json$/));
  });

  test('is taken every night by one execution for each table', async () => {
    const trigger = await env.engine.activate(loadExample('backup', env.service));
    const night = await trigger.runFrom('Every Night');
    expect(night.error?.message).toBeUndefined();
    expect(night.getItems('Done')).toHaveLength(env.service.tables.length);
    expect(night.executedNodes).not.toContain('Read Records');
    await trigger.deactivate();
  });

  /** Runs the example with another table and column, as a user changes it, on the file of the table. */
  async function restore(table: string, column: string, byName = ''): Promise<Run> {
    const text = JSON.stringify(loadExample('restore-a-table', env.service));
    const changed = text.replaceAll('"Products"', `"${table}"`).replaceAll('"sku"', `"${column}"`);
    const { records, ...content } = files.get(table)!;
    const file = { table, ...content, records: records.slice(0, MAX_RESTORED) };
    const data = Buffer.from(JSON.stringify(file)).toString('base64');
    const Backup = { data, mimeType: 'application/json', fileName: `${table}.json` };
    const done = await env.engine.run(JSON.parse(changed) as WorkflowJson, {
      input: [{ json: { 'By Name': byName }, binary: { Backup } }],
    });
    expect(done.error?.message).toBeUndefined();
    expect(done.getJson('Not Restored')).toEqual([]);
    return done;
  }

  test.each([
    ['Orders', 'number', { status: 'cancelled', products: [], express: 0 }],
    ['Products', 'sku', { name: 'Renamed', category: '', price: null }],
  ])('brings deleted and changed records of %s back', async (name, column, change) => {
    const table = env.getTable(name);
    const read = () =>
      Object.fromEntries(
        [...table.records.values()].map((one) => [one[column], { ...one, id: '', created_at: '' }]),
      );
    const before = structuredClone(read());
    const [gone, changed] = [...table.records.values()];
    table.delete(gone!.id);
    table.update(changed!.id, change);
    const newer = table.insert({ [column]: 'NEWER', name: 'Newer' });

    const actions = (await restore(name, column)).getJson('Restored').map(({ _action }) => _action);
    expect(actions.filter((action) => action === 'created')).toHaveLength(1);
    expect(actions.filter((action) => action === 'updated')).toHaveLength(1);
    expect(table.records.has(newer.id)).toBe(true);
    table.delete(newer.id);
    expect(read()).toEqual(before);
  });

  test('connects the records again that were connected to a record with a new ID', async () => {
    const products = env.getTable('Products');
    const orders = env.getTable('Orders');
    const [gone] = [...products.records.values()];
    const listBuyers = (id: string) =>
      [...orders.records.values()]
        .slice(0, MAX_RESTORED)
        .filter((one) => (one.products as string[]).includes(id))
        .map((one) => one.id);
    const before = listBuyers(gone!.id);
    expect(before.length).toBeGreaterThan(2);
    products.delete(gone!.id);
    await restore('Products', 'sku');
    await restore('Orders', 'number', 'products');
    const again = [...products.records.values()].find(({ sku }) => sku === gone!.sku);
    expect(again?.id).not.toBe(gone!.id);
    expect(listBuyers(again!.id).sort()).toEqual(before.sort());
  });
});

test('nightly sync', async () => {
  const products = env.getTable('Products');
  const stale = products.insert({ name: 'No longer sold', sku: 'PART-9' });
  const listActions = async () =>
    (await runExample('nightly-sync')).getJson('Sync Products').map(({ _action, sku }) => [_action, sku]);
  expect(await listActions()).toEqual([
    ['created', 'PART-1'],
    ['created', 'PART-2'],
    ['created', 'PART-3'],
    ['deleted', 'PART-9'],
  ]);
  expect(products.records.has(stale.id)).toBe(false);
  expect(await listActions()).toEqual([]);
});

test('files', async () => {
  const [record] = (await runExample('files')).getJson('Store File');
  expect(String(record!.file)).toContain('note.txt');
});
