import { World } from './support';
import { ALL_EVENTS, listening, subscribed } from './trigger-support';

let world: World;
beforeEach(async () => {
  world = await World.start();
});
afterEach(async () => {
  const violations = world.violations();
  await world.stop();
  expect(violations).toEqual([]);
});

const LIST = 'GET /api/v1/web-hooks/list';
const SUBSCRIBE = 'POST /api/v1/web-hooks/subscribe';
const UNSUBSCRIBE = 'DELETE /api/v1/web-hooks/unsubscribe';

const changes = (since: number) => world.seen(since).filter((one) => one !== LIST);

test('one subscription per table and event, each with a token of its own', async () => {
  const trigger = await world.engine.activate(listening(world, ['Customers', 'Orders']));
  expect(subscribed(world)).toEqual(
    ['DELETE', 'INSERT', 'UPDATE'].flatMap((type) => [`${type} Customers`, `${type} Orders`]),
  );
  const { subscriptions } = world.service;
  expect(new Set(subscriptions.map(({ hookUrl }) => hookUrl)).size).toBe(6);
  for (const { hookUrl, platform } of subscriptions) {
    expect(platform).toBe('n8n');
    expect(hookUrl.split('?')[0]).toBe(trigger.urls[0]);
    expect(hookUrl).toMatch(/\?token=[\w-]{43}$/);
    expect(hookUrl).not.toContain(world.service.keys.appSecret);
  }
  await trigger.deactivate();
  expect(subscribed(world)).toEqual([]);
});

test('publishing again, or restarting, changes nothing that is right', async () => {
  const workflow = listening(world, ['Customers']);
  const trigger = await world.engine.activate(workflow);
  const before = structuredClone(world.service.subscriptions);
  const since = world.service.requests.length;
  await trigger.restart({ callCheckExists: true });
  await trigger.restart({ callCheckExists: false });
  await trigger.activate();
  expect(changes(since)).toEqual([]);
  expect(world.service.subscriptions).toEqual(before);
});

test('an edit of events and tables leaves just what is wanted', async () => {
  const trigger = await world.engine.activate(listening(world, ['Customers'], ['INSERT', 'UPDATE']));
  await world.engine.republish(trigger, listening(world, ['Orders'], ['UPDATE', 'DELETE']));
  expect(subscribed(world)).toEqual(['DELETE Orders', 'UPDATE Orders']);
  await trigger.deactivate();
  expect(subscribed(world)).toEqual([]);
});

test('after a move to another address with the static data lost, all is found again', async () => {
  const trigger = await world.engine.activate(listening(world, ['Customers']));
  trigger.replaceStaticData('Trigger');
  world.engine.instanceUrl = 'https://moved.example/';
  await trigger.restart({ callCheckExists: true });
  expect(world.service.subscriptions.map(({ hookUrl }) => new URL(hookUrl).host)).toEqual(
    Array(3).fill('moved.example'),
  );
  trigger.replaceStaticData('Trigger');
  await trigger.deactivate();
  expect(subscribed(world)).toEqual([]);
});

test('another key of the same app takes over, and the old secret opens nothing', async () => {
  const trigger = await world.engine.activate(listening(world, ['Customers'], ['INSERT']));
  const old = world.service.subscriptions[0]!.hookUrl;
  const { baseUrl } = world.service;
  const { id } = (await world.engine.storedCredential('recordDatabaseApi')) as { id?: string };
  await world.engine.setCredential(
    'recordDatabaseApi',
    { baseUrl, ...world.service.addKey() },
    { id, name: 'New key' },
  );
  await trigger.activate();
  expect(world.service.subscriptions).toHaveLength(1);
  expect(world.service.subscriptions[0]!.hookUrl).not.toBe(old);
});

test('subscriptions of others are left alone', async () => {
  const { subscriptions } = world.service;
  const table = world.table('Customers').id;
  const trigger = await world.engine.activate(listening(world, ['Customers']));
  const [base = ''] = trigger.urls;
  const foreign = [`${base}2`, base.replace('w1', 'w2'), 'https://elsewhere.example/webhook/w1/webhook'].map(
    (hookUrl, index) => ({
      id: `foreign-${index}`,
      data_table_id: table,
      type: 'INSERT' as const,
      hookUrl,
      platform: 'n8n',
    }),
  );
  subscriptions.push(...foreign);
  await world.engine.republish(trigger, listening(world, ['Customers'], ['DELETE']));
  await trigger.deactivate();
  expect(subscriptions).toEqual(foreign);
});

test('a crash between subscribing and saving, and a duplicate, are tidied up', async () => {
  const trigger = await world.engine.activate(listening(world, ['Customers'], ['INSERT']));
  const [first] = world.service.subscriptions;
  world.service.subscriptions.push({ ...first!, id: 'second' });
  trigger.replaceStaticData('Trigger');
  await trigger.activate();
  expect(world.service.subscriptions).toEqual([first]);
});

test.each([
  [412, "This is not part of the app's plan, or its limit is reached", /Upgrade the plan/],
  [403, 'The API key lacks the permission for this', /Give the key the permission/],
])('a %i in the middle takes back what was made, and explains itself', async (status, why, remedy) => {
  world.service.faults.add({
    when: { pattern: SUBSCRIBE, skip: 2 },
    times: 100,
    fault: { type: 'status', status, body: { type: 'error', msg: 'No', status } },
  });
  const failure = await world.engine
    .activate(listening(world, ['Customers']), { attempts: 1 })
    .then(() => undefined)
    .catch((error: Error & { description?: string }) => error);
  expect(failure?.message).toMatch(/^The webhook for DELETE on table \w+ could not be created/);
  expect(failure?.message).toContain(why);
  expect(failure?.description).toMatch(remedy);
  expect(subscribed(world)).toEqual([]);
  expect(world.seen().filter((one) => one === SUBSCRIBE)).toHaveLength(3);
  expect(JSON.stringify(failure)).not.toContain(world.service.keys.appSecret);
});

test('an answer that is lost after the subscription was made leads to no second one', async () => {
  world.service.faults.add({ when: { pattern: SUBSCRIBE }, fault: { type: 'reset', when: 'after' } });
  const trigger = await world.engine.activate(listening(world, ['Customers'], ['INSERT']), { attempts: 1 });
  expect(subscribed(world)).toEqual(['INSERT Customers']);
  expect(world.seen().filter((one) => one === SUBSCRIBE)).toHaveLength(1);
  await trigger.deactivate();
  expect(subscribed(world)).toEqual([]);
});

test('what the service removed itself counts as removed', async () => {
  const trigger = await world.engine.activate(listening(world, ['Customers']));
  world.service.subscriptions.splice(0, 2);
  await trigger.deactivate({ attempts: 1 });
  expect(subscribed(world)).toEqual([]);
});

test('an unpublishing that fails is tried again by n8n and then complete', async () => {
  const trigger = await world.engine.activate(listening(world, ['Customers']));
  world.service.faults.add({ when: { pattern: UNSUBSCRIBE }, fault: { type: 'status', status: 403 } });
  await trigger.deactivate();
  expect(subscribed(world)).toEqual([]);
});

test('listening for a test event stands beside the published workflow', async () => {
  const workflow = listening(world, ['Customers'], ['INSERT']);
  const trigger = await world.engine.activate(workflow);
  const published = structuredClone(world.service.subscriptions);
  const listener = await world.engine.listenForTest({ ...workflow, id: trigger.workflowId });
  expect(world.service.subscriptions).toHaveLength(2);
  world.table('Customers').insert({ company: 'For the test' });
  await world.service.deliveriesSettled();
  const [run] = await listener.waitForExecutions(1);
  expect(run!.jsonOf('Trigger')).toMatchObject([{ event: 'INSERT', record: { company: 'For the test' } }]);
  await trigger.waitForExecutions(1);
  await listener.stopped;
  expect(world.service.subscriptions).toEqual(published);
});

test('unpublishing beside a test leaves the test subscribed', async () => {
  const workflow = listening(world, ['Customers'], ['INSERT']);
  const trigger = await world.engine.activate(workflow);
  const listener = await world.engine.listenForTest({ ...workflow, id: trigger.workflowId });
  await trigger.deactivate();
  expect(world.service.subscriptions.map(({ hookUrl }) => hookUrl.split('?')[0])).toEqual(listener.urls);
  await listener.stop();
  expect(subscribed(world)).toEqual([]);
});

test.each([
  [{ events: [] }, 'No event is chosen'],
  [{ events: ['UPSERT'] }, 'The events cannot be ["UPSERT"]'],
  [{ tables: '' }, 'No table is chosen'],
])('a form that says nothing useful is told so: %j', async (parameters, message) => {
  const workflow = listening(world, ['Customers'], ALL_EVENTS, parameters);
  await expect(world.engine.activate(workflow, { attempts: 1 })).rejects.toThrow(message);
  expect(world.seen()).not.toContain(SUBSCRIBE);
});

test('tables by expression: text with commas', async () => {
  const ids = ['Customers', 'Orders'].map((name) => world.table(name).id);
  const workflow = listening(world, [], ['INSERT'], { tables: `={{ "${ids.join(', ')}" }}` });
  const trigger = await world.engine.activate(workflow);
  expect(subscribed(world)).toEqual(['INSERT Customers', 'INSERT Orders']);
  await trigger.deactivate();
});

test('a filter that does not fit a table is told at activation, before anything is subscribed', async () => {
  const filter = {
    filterMode: 'manual',
    conditions: { items: [{ field: 'company|text', operator: 'is', value: 'x' }] },
  };
  const workflow = listening(world, ['Customers', 'Orders'], ['INSERT'], filter);
  await expect(world.engine.activate(workflow, { attempts: 1 })).rejects.toThrow('no field "company"');
  const options = { options: { columns: ['compny'] } };
  await expect(
    world.engine.activate(listening(world, ['Customers'], ['INSERT'], options), { attempts: 1 }),
  ).rejects.toThrow('no field "compny"');
  const nothing = listening(world, ['Customers'], ['INSERT'], { options: { columns: '={{ null }}' } });
  await expect(world.engine.activate(nothing, { attempts: 1 })).rejects.toThrow('Fields to Keep cannot be');
  expect(world.seen()).not.toContain(SUBSCRIBE);
});

test('a table that does not exist is told at activation', async () => {
  const workflow = listening(world, [], ['INSERT'], { tables: ['nowhere'] });
  await expect(world.engine.activate(workflow, { attempts: 1 })).rejects.toThrow('The table does not exist');
});
