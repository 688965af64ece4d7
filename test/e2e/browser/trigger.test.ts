import { RELEASE } from '../installation';
import { versionOf } from '../n8n';
import { until } from '../until';
import { Stage } from './stage';

const TRIGGER = {
  name: 'Record Changed',
  type: 'n8n-nodes-record-database.recordDatabaseTrigger',
  parameters: {},
};

let stage: Stage;
beforeAll(async () => void (stage = await Stage.open()));
afterAll(() => stage?.close());

const subscribed = () => stage.service.subscriptions.map(({ type }) => type).sort();

test(`the trigger in n8n ${versionOf(RELEASE)}: on, fired by real changes, and off`, async () => {
  const { editor, service, api } = stage;
  const { id } = await stage.workflow('Watch products', TRIGGER);
  const form = await editor.openNode('Record Changed');
  await form.chooseMany('tables', ['Products']);
  await form.chooseMany('events', ['Record Deleted']);
  await stage.picture('trigger');
  await form.close();
  await editor.publish();
  await until('the subscriptions', () => subscribed().join() === 'DELETE,INSERT');

  const products = service.getTable('Products');
  const record = products.insert({ name: 'Stapler', sku: 'ST-1' });
  products.update(record.id, { name: 'Big Stapler' });
  products.delete(record.id);
  await until('two executions', async () => {
    const executions = await api.executions(id);
    return executions.filter(({ status }) => status === 'success').length === 2;
  });
  await editor.succeededExecutions(id, 2);
  expect((await api.executions(id)).map(({ status, mode }) => [status, mode])).toEqual([
    ['success', 'webhook'],
    ['success', 'webhook'],
  ]);

  await editor.openWorkflow(id);
  await editor.unpublish();
  await until('no subscription', () => subscribed().length === 0);
  expect(service.violations).toEqual([]);
});
