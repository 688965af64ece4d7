import { skipWaits } from '../../environment/skipWaits';
import { AUTO_MAP, getOutput, toColumns } from '../support/testEnvironment';
import { useTestEnvironment } from '../support/useTestEnvironment';

skipWaits();

const env = useTestEnvironment();
beforeAll(async () => {
  // Calls run in parallel once the first answer has shown the limits.
  getOutput(await env.runRecordOperation('getAll', env.getTable('Products'), { limit: 1 }));
});

const listPatterns = (since: number, part: string) =>
  env.service.requests.slice(since).filter(({ pattern }) => pattern.includes(part));

test('a batch update starts after the batch update of the previous item has ended', async () => {
  const customers = env.getTable('Customers');
  const { id } = customers.insert({ company: 'In Order' });
  env.service.faults.add({ when: { pattern: /batch-update-check/ }, fault: { type: 'stall', ms: 300 } });
  const since = env.service.requests.length;
  const parameters = {
    conditions: { items: [{ field: 'company|text', operator: 'is', value: 'In Order' }] },
    columns: toColumns({ notes: '={{ $json.notes }}' }),
  };
  const run = await env.runRecordOperation('batchUpdate', customers, parameters, [
    { notes: 'first' },
    { notes: 'second' },
  ]);
  expect(getOutput(run)).toMatchObject([{ total: 1 }, { total: 1 }]);
  expect(customers.records.get(id)?.notes).toBe('second');
  const batches = listPatterns(since, 'batch-update');
  expect(batches.map(({ method, inFlight }) => [method, inFlight])).toEqual([
    ['GET', 0],
    ['POST', 0],
    ['GET', 0],
    ['POST', 0],
  ]);
});

test('two deletions of one record are sent one after the other', async () => {
  const { id } = env.getTable('Products').insert({ name: 'Deleted twice' });
  env.service.faults.add({ when: { method: 'DELETE' }, fault: { type: 'stall', ms: 300 } });
  const since = env.service.requests.length;
  const parameters = { recordId: '={{ $json.id }}' };
  const items = [{ id }, { id }];
  const extra = { onError: 'continueRegularOutput' };
  await env.runRecordOperation('delete', env.getTable('Products'), parameters, items, extra);
  const deletions = listPatterns(since, 'DELETE');
  expect(deletions.map(({ status, inFlight }) => [status, inFlight])).toEqual([
    [200, 0],
    [404, 0],
  ]);
});

test('reports the first failure in input order, not in time', async () => {
  // The retry after the reset makes the first item fail after the second one.
  env.service.faults.add({ when: { pattern: /records\/late$/ }, fault: { type: 'reset', when: 'before' } });
  const since = env.service.requests.length;
  const parameters = { recordId: '={{ $json.id }}' };
  const items = [{ id: 'late' }, { id: 'early' }];
  const run = await env.runRecordOperation('get', env.getTable('Products'), parameters, items);
  const gets = listPatterns(since, '{recordId}');
  expect(gets.map(({ path, status }) => [path.split('/').at(-1), status])).toEqual([
    ['late', 0],
    ['early', 404],
    ['late', 404],
  ]);
  expect(run.error?.message).toMatch(/^Item 1 of 2: /);
});

test.each([
  ['as many records as the maximum', 3, 3, 1],
  ['no record', 0, 3, 0],
])('a batch update of %s', async (name, count, maximum, sent) => {
  const customers = env.getTable('Customers');
  const ids = Array.from({ length: count }, () => customers.insert({ company: name }).id);
  const since = env.service.requests.length;
  const parameters = {
    conditions: { items: [{ field: 'company|text', operator: 'is', value: name }] },
    columns: toColumns({ notes: 'changed' }),
    maximum,
  };
  const run = await env.runRecordOperation('batchUpdate', customers, parameters);
  expect(getOutput(run)).toMatchObject([{ total: count }]);
  expect(ids.map((id) => customers.records.get(id)?.notes)).toEqual(ids.map(() => 'changed'));
  expect(listPatterns(since, 'POST /api/v1/data-tables/{dataTableId}/records/batch-update')).toHaveLength(
    sent,
  );
});

test('a later item with the same key updates the record that the earlier item wrote', async () => {
  const products = env.getTable('Products');
  const { id } = products.insert({ sku: 'SAME-1', name: 'Before', stock: 1, price: 1 });
  const columns = { ...AUTO_MAP, matchingColumns: ['sku'] };
  const items = [
    { sku: 'SAME-1', stock: 7 },
    { sku: 'SAME-1', price: 9.5 },
    { sku: 'SAME-1', name: 'After' },
  ];
  getOutput(await env.runRecordOperation('upsert', products, { columns }, items));
  expect(products.records.get(id)).toMatchObject({ name: 'After', stock: 7, price: 9.5 });
  expect([...products.records.values()].filter(({ sku }) => sku === 'SAME-1')).toHaveLength(1);
});
