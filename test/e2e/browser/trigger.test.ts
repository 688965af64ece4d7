import { versionOf } from '../n8n';
import { RELEASE, Stage } from './stage';

const TRIGGER = {
  name: 'Record Changed',
  type: 'n8n-nodes-record-database.recordDatabaseTrigger',
  parameters: {},
};

let stage: Stage;
beforeAll(async () => void (stage = await Stage.open()));
afterEach(async () => stage.page.screenshot({ path: `/tmp/e2e/last-${Date.now()}.png` }));
afterAll(() => stage?.close());

/** n8n does it in its own time. */
async function eventually(check: () => void): Promise<void> {
  for (let tries = 0; ; tries++) {
    try {
      return check();
    } catch (error) {
      if (tries === 50) throw error;
      await stage.page.waitForTimeout(200);
    }
  }
}

const subscribed = () => stage.service.subscriptions.map(({ type }) => type).sort();

test(`the trigger in n8n ${versionOf(RELEASE)}: on, fired by real changes, and off`, async () => {
  const { editor, service, api } = stage;
  const { id } = await stage.workflow('Watch products', TRIGGER);
  const form = await editor.openNode('Record Changed');
  await form.chooseMany('tables', ['Products']);
  await form.chooseMany('events', ['Record Deleted']);
  await form.close();
  await editor.publish();
  await eventually(() => expect(subscribed()).toEqual(['DELETE', 'INSERT']));

  const products = service.table('Products');
  const record = products.insert({ name: 'Stapler', sku: 'ST-1' });
  products.update(record.id, { name: 'Big Stapler' });
  products.delete(record.id);
  await editor.succeededExecutions(id, 2);
  expect((await api.executions(id)).map(({ status, mode }) => [status, mode])).toEqual([
    ['success', 'webhook'],
    ['success', 'webhook'],
  ]);

  await editor.openWorkflow(id);
  await editor.unpublish();
  await eventually(() => expect(subscribed()).toEqual([]));
  expect(service.violations).toEqual([]);
});
