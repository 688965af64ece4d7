import { range } from 'lodash';
import { skipWaits } from '../environment/skipWaits';
import { createNode } from '../harness';
import type { Table } from '../service';
import { createRecordWorkflow, pollOnce } from './polling/support';
import { getOutput, toColumns, toLocator, TYPE } from './support/testEnvironment';
import { useTestEnvironment } from './support/useTestEnvironment';
import { createTriggerWorkflow } from './trigger/support';

skipWaits();

// IDs are opaque encoded strings (spec: Resources and their fields): nothing may depend on their letters.
describe.each(['plain', 'met'] as const)('%s IDs', (ids) => {
  const env = useTestEnvironment({ ids });

  const addRecords = (table: Table, name: string): string[] =>
    range(6).map((index) => table.insert({ name: `${name} ${index}` }).id);

  /** Requests to the records of a table since `before`, without creates. */
  const countReads = (table: Table, before: number): number =>
    env.service.requests
      .slice(before)
      .filter(
        ({ path, intent }) =>
          path.includes(`/${encodeURIComponent(table.id)}/records`) && intent !== 'create',
      ).length;

  test('records are read, updated and deleted by each ID', async () => {
    const table = env.getTable('Products');
    const ids = addRecords(table, 'By ID');
    const input = ids.map((id) => ({ id }));
    const recordId = { ...toLocator('={{ $json.id }}') };
    const read = getOutput(await env.runRecordOperation('get', table, { recordId }, input));
    expect(read.map(({ id }) => id)).toEqual(ids);
    const columns = toColumns({ name: '={{ $json.id }}' });
    getOutput(await env.runRecordOperation('update', table, { recordId, columns }, input));
    expect(ids.map((id) => table.records.get(id)?.name)).toEqual(ids);
    getOutput(await env.runRecordOperation('delete', table, { recordId }, input));
    expect(ids.filter((id) => table.records.has(id))).toEqual([]);
  });

  test.each(['id', 'name'] as const)(
    'many creates with a connection by %s need few more requests',
    async (key) => {
      const products = env.getTable('Products');
      const made = range(40).map((index) => products.insert({ name: `Part ${key} ${index}` }));
      const input = made.map((product) => ({ parts: product[key] }));
      const columns = toColumns({ connection_many: '={{ $json.parts }}' });
      const before = env.service.requests.length;
      const created = getOutput(
        await env.runRecordOperation('create', env.getTable('Showcase'), { columns }, input),
      );
      expect(created.map(({ connection_many_id }) => connection_many_id)).toEqual(made.map(({ id }) => [id]));
      // Names: one request for 50. IDs: none.
      expect(countReads(products, before)).toBeLessThanOrEqual(20);
    },
  );

  test('a list of IDs connects all of them, and a filter finds each', async () => {
    const ids = addRecords(env.getTable('Products'), 'Listed');
    const orders = env.getTable('Orders');
    const values = [ids, ids.join(','), JSON.stringify(ids)];
    const columns = toColumns({ number: '={{ "L" + $itemIndex }}', products: '={{ $json.products }}' });
    const input = values.map((products) => ({ products }));
    const created = getOutput(await env.runRecordOperation('create', orders, { columns }, input));
    expect(created.map(({ products_id }) => products_id)).toEqual([ids, ids, ids]);
    for (const value of ids) {
      const conditions = { items: [{ field: 'products|connection', operator: 'is', value }] };
      const filter = { filterMode: 'manual', conditions, returnAll: true };
      expect(getOutput(await env.runRecordOperation('getAll', orders, filter))).toHaveLength(3);
    }
  });

  test('a parent is linked by its ID', async () => {
    const [orders, products] = [env.getTable('Orders'), env.getTable('Products')];
    const fieldId = orders.fields.find(({ slug }) => slug === 'products')!.fieldId;
    const parents = range(12).map((index) => orders.insert({ number: `Parent ${index}` }).id);
    const parent = { field: `${orders.id}|${fieldId}`, recordId: '={{ $json.parent }}' };
    const parameters = { columns: toColumns({ name: 'Child' }), options: { link: { parent } } };
    const input = parents.map((id) => ({ parent: id }));
    const created = getOutput(await env.runRecordOperation('create', products, parameters, input));
    expect(parents.map((id) => orders.records.get(id)?.products)).toEqual(created.map(({ id }) => [id]));
  });

  test('a picked record is the one that the operation works with', async () => {
    const table = env.getTable('Products');
    const ids = addRecords(table, 'Picked');
    const node = createNode('Node', TYPE, {
      resource: 'record',
      operation: 'get',
      dataTableId: toLocator(table.id),
    });
    const { results } = await env.engine.listSearch(node, 'searchRecords', { filter: 'Picked' });
    expect(results.map(({ value }) => value).sort()).toEqual([...ids].sort());
    for (const { value } of results) {
      const recordId = { ...toLocator(String(value)), mode: 'list' };
      expect(getOutput(await env.runRecordOperation('get', table, { recordId }))[0]!.id).toBe(value);
    }
  });

  test('the trigger reports each record, and filters by a connected record', async () => {
    const [product, other] = addRecords(env.getTable('Products'), 'Watched');
    const conditions = { items: [{ field: 'products|connection', operator: 'is', value: product }] };
    const workflow = createTriggerWorkflow(env, ['Orders'], undefined, { filterMode: 'manual', conditions });
    const trigger = await env.engine.activate(workflow);
    const orders = env.getTable('Orders');
    const made = range(12).map((index) =>
      orders.insert({ number: `W${index}`, products: [index % 3 === 0 ? other : product] }),
    );
    await env.service.waitForDeliveries();
    const runs = await trigger.waitUntilIdle();
    const seen = runs.flatMap((run) => run.getJson('Trigger')).map(({ id }) => String(id));
    expect(seen.sort()).toEqual(
      made
        .filter((_record, index) => index % 3 > 0)
        .map(({ id }) => id)
        .sort(),
    );
    await trigger.deactivate();
    expect(env.service.subscriptions.filter(({ hookUrl }) => hookUrl.includes('token='))).toEqual([]);
  });

  test('polling by snapshot reports each record once', async () => {
    const table = env.service.addTable({ name: 'Snapshots', fields: [{ name: 'Name', type: 'Text' }] });
    const ids = addRecords(table, 'Polled');
    const trigger = await env.engine.activate(
      createRecordWorkflow(table, { triggerOn: 'recordCreatedUpdatedOrDeleted' }),
    );
    await pollOnce(trigger);
    for (const id of ids) table.update(id, { name: 'Changed' });
    const changed = await pollOnce(trigger);
    expect(changed?.map((item) => String(item.id)).sort()).toEqual([...ids].sort());
    for (const id of ids) table.delete(id);
    expect(await pollOnce(trigger)).toHaveLength(ids.length);
    expect(await pollOnce(trigger)).toBeUndefined();
    await trigger.deactivate();
  });
});
