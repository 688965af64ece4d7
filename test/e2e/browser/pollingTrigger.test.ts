import { RELEASE } from '../installation';
import { versionOf } from '../n8n';
import { until } from '../until';
import { Stage } from './stage';

const POLLING_TRIGGER = {
  name: 'Product Changed',
  type: 'n8n-nodes-record-database.recordDatabasePollingTrigger',
  // The shortest interval of n8n's form, so that the test waits for at most a minute.
  parameters: { pollTimes: { item: [{ mode: 'everyMinute' }] } },
};

let stage: Stage;
beforeAll(async () => void (stage = await Stage.open()));
afterAll(() => stage?.close());

test(`the polling trigger in n8n ${versionOf(RELEASE)}: set up, tested, published, and started by a change`, async () => {
  const { editor, service, api } = stage;
  const { id } = await stage.workflow('Poll products', POLLING_TRIGGER);
  const form = await editor.openNode('Product Changed');
  await form.pick('dataTableId', 'Products');
  await form.choose('triggerOn', 'Record Created, Updated or Deleted');
  expect(await form.execute()).toBe('5 items');
  await form.close();
  const before = service.requests.length;
  await editor.publish();

  const products = service.getTable('Products');
  const isRead = () =>
    service.requests.slice(before).some(({ path }) => path.includes(`/${products.id}/records`));
  await until('the first poll', isRead);
  const record = products.insert({ name: 'Stapler', sku: 'ST-1' });
  const listPolled = async () => (await api.executions(id)).filter(({ mode }) => mode === 'trigger');
  await until('an execution', async () => (await listPolled()).some(({ status }) => status === 'success'));
  expect((await listPolled()).map(({ status }) => status)).toEqual(['success']);
  expect(await api.traceOf(id)).toContain(record.id);
  await editor.succeededExecutions(id, 1);

  await editor.openWorkflow(id);
  await editor.unpublish();
  expect(service.violations).toEqual([]);
});
