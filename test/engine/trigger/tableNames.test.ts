import { clearMemories } from '../../../nodes/service';
import { createNode } from '../../harness/workflowBuilder';
import { useTestEnvironment } from '../support/useTestEnvironment';
import { createTriggerWorkflow, listSubscriptions, TRIGGER } from './support';

/** Tables that the workflow stores by their names, so that it runs in a copy of the application. */
const env = useTestEnvironment();
const byName = (...tables: string[]) =>
  createTriggerWorkflow(env, [], ['INSERT'], { tables, changedFields: [] });

test('are found when the workflow is published, and their records start it', async () => {
  const trigger = await env.engine.activate(byName('customers', 'Orders'));
  expect(listSubscriptions(env)).toEqual(['INSERT Customers', 'INSERT Orders']);
  const { id } = env.getTable('Orders').insert({});
  await env.service.waitForDeliveries();
  const [run] = await trigger.waitForExecutions(1);
  expect(run!.getJson('Trigger')).toMatchObject([{ _event: 'INSERT', _table: 'Orders', id }]);
  // Without its static data, the trigger reads which tables the names mean.
  trigger.replaceStaticData('Trigger');
  env.getTable('Orders').insert({});
  await env.service.waitForDeliveries();
  expect(await trigger.waitForExecutions(2)).toHaveLength(2);
  const since = env.service.requests.length;
  await trigger.deactivate();
  expect(env.service.subscriptions).toEqual([]);
  expect(env.listRequests(since)).not.toContain('GET /api/v1/data-tables');
});

test('a renamed table is an error when the workflow is published again; its events still start the published workflow', async () => {
  const table = env.service.addTable({ name: 'Bills', fields: [{ name: 'Title', type: 'Text' }] });
  const trigger = await env.engine.activate(byName('Bills'));
  Object.assign(table, { name: 'Invoices of Today' });
  table.insert({ title: 'a' });
  await env.service.waitForDeliveries();
  const [run] = await trigger.waitForExecutions(1);
  expect(run!.getJson('Trigger')).toMatchObject([{ title: 'a' }]);

  clearMemories();
  await trigger.deactivate();
  await expect(trigger.activate({ attempts: 1 })).rejects.toThrow('The application has no table "Bills"');
  expect(env.service.subscriptions).toEqual([]);
});

test('a name of no table is an error when the workflow is published', async () => {
  await expect(env.engine.activate(byName('Nothing'))).rejects.toThrow(
    'The application has no table "Nothing"',
  );
});

test('the form lists the fields of the tables with these names', async () => {
  const node = createNode('Trigger', TRIGGER, { tables: ['Orders'] });
  const fields = await env.engine.loadOptions(node, 'getFields');
  expect(fields.length).toBeGreaterThan(3);
});
