import { scaleSize } from '../../randomness';
import { listReadings } from '../../service/readings';
import { useFreshTestEnvironment } from '../support/useTestEnvironment';
import { ALL_EVENTS, createTriggerWorkflow, listSubscriptions } from './support';

const LIST = 'GET /api/v1/web-hooks/list';
const SUBSCRIBE = 'POST /api/v1/web-hooks/subscribe';
const UNSUBSCRIBE = 'DELETE /api/v1/web-hooks/unsubscribe';

// The lists of single tables, which the other reading needs, are in leftovers.test.ts too.
describe.each(listReadings('webhooksOfAllTables').slice(0, scaleSize(1, 2)))('%s', (_, options) => {
  const env = useFreshTestEnvironment(options);

  const listChanges = (since: number) =>
    env.listRequests(since).filter((one) => one !== LIST && one !== 'GET /api/v1/data-tables');

  test('one subscription per table and event, each with a token of its own', async () => {
    const trigger = await env.engine.activate(createTriggerWorkflow(env, ['Customers', 'Orders']));
    expect(listSubscriptions(env)).toEqual(
      ['DELETE', 'INSERT', 'UPDATE'].flatMap((type) => [`${type} Customers`, `${type} Orders`]),
    );
    const { subscriptions } = env.service;
    expect(new Set(subscriptions.map(({ hookUrl }) => hookUrl)).size).toBe(6);
    for (const { hookUrl, platform } of subscriptions) {
      expect(platform).toBe('n8n');
      expect(hookUrl.split('?')[0]).toBe(trigger.urls[0]);
      expect(hookUrl).toMatch(/\?token=[\w-]{43}$/);
      expect(hookUrl).not.toContain(env.service.keys.appSecret);
    }
    await trigger.deactivate();
    expect(listSubscriptions(env)).toEqual([]);
  });

  test('publishing again or restarting keeps correct subscriptions', async () => {
    const workflow = createTriggerWorkflow(env, ['Customers']);
    const trigger = await env.engine.activate(workflow);
    const before = structuredClone(env.service.subscriptions);
    const since = env.service.requests.length;
    await trigger.restart({ callCheckExists: true });
    await trigger.restart({ callCheckExists: false });
    await trigger.activate();
    expect(listChanges(since)).toEqual([]);
    expect(env.service.subscriptions).toEqual(before);
  });

  test('an outage of the service during a restart removes no subscription', async () => {
    const trigger = await env.engine.activate(createTriggerWorkflow(env, ['Customers'], ['INSERT']));
    const before = structuredClone(env.service.subscriptions);
    const pattern = 'GET /api/v1/web-hooks/list';
    env.service.faults.add({ when: { pattern }, times: 20, fault: { type: 'status', status: 403 } });
    await trigger.restart({ callCheckExists: true });
    env.service.faults.clear();
    expect(env.service.subscriptions).toEqual(before);
    env.getTable('Customers').insert({ company: 'After the restart' });
    const [run] = await trigger.waitForExecutions(1);
    expect(run!.getJson('Trigger')).toMatchObject([{ company: 'After the restart' }]);
    // What n8n has lost is subscribed again as soon as the service answers.
    trigger.replaceStaticData('Trigger');
    env.service.faults.add({ when: { pattern }, times: 20, fault: { type: 'status', status: 403 } });
    await expect(trigger.restart({ callCheckExists: true })).rejects.toThrow('could not be listed');
    env.service.faults.clear();
    await trigger.restart({ callCheckExists: true });
    expect(listSubscriptions(env)).toEqual(['INSERT Customers']);
    await trigger.deactivate();
  });

  test('a copy that cannot be published leaves the subscriptions of the published workflow', async () => {
    const workflow = createTriggerWorkflow(env, ['Customers'], ['INSERT']);
    const trigger = await env.engine.activate(workflow);
    const before = structuredClone(env.service.subscriptions);
    // n8n's API and command line import a workflow with its webhook ID, and with the static data of an export.
    const staticData = { 'node:Trigger': trigger.getStaticData('Trigger') };
    for (const copy of [
      { ...workflow, id: 'copy' },
      { ...workflow, id: 'copy', staticData },
    ])
      await expect(env.engine.activate(copy, { attempts: 1 })).rejects.toThrow('already taken');
    expect(env.service.subscriptions).toEqual(before);
    env.getTable('Customers').insert({ company: 'Still starts' });
    expect(await trigger.waitForExecutions(1)).toHaveLength(1);
    await trigger.deactivate();
    expect(listSubscriptions(env)).toEqual([]);
  });

  test('after an edit of events and tables only the wanted subscriptions remain', async () => {
    const trigger = await env.engine.activate(
      createTriggerWorkflow(env, ['Customers'], ['INSERT', 'UPDATE']),
    );
    await env.engine.republish(trigger, createTriggerWorkflow(env, ['Orders'], ['UPDATE', 'DELETE']));
    expect(listSubscriptions(env)).toEqual(['DELETE Orders', 'UPDATE Orders']);
    await trigger.deactivate();
    expect(listSubscriptions(env)).toEqual([]);
  });

  test('finds all subscriptions after a change of address and the loss of the static data', async () => {
    const trigger = await env.engine.activate(createTriggerWorkflow(env, ['Customers']));
    trigger.replaceStaticData('Trigger');
    env.engine.instanceUrl = 'https://moved.example/';
    await trigger.restart({ callCheckExists: true });
    expect(env.service.subscriptions.map(({ hookUrl }) => new URL(hookUrl).host)).toEqual(
      Array(3).fill('moved.example'),
    );
    trigger.replaceStaticData('Trigger');
    await trigger.deactivate();
    expect(listSubscriptions(env)).toEqual([]);
  });

  test('another key of the same app replaces the subscriptions, and tokens of the old secret are invalid', async () => {
    const trigger = await env.engine.activate(createTriggerWorkflow(env, ['Customers'], ['INSERT']));
    const old = env.service.subscriptions[0]!.hookUrl;
    const { baseUrl } = env.service;
    const { id } = (await env.engine.getStoredCredential('recordDatabaseApi')) as { id?: string };
    await env.engine.setCredential(
      'recordDatabaseApi',
      { baseUrl, ...env.service.addKey() },
      { id, name: 'New key' },
    );
    await trigger.activate();
    expect(env.service.subscriptions).toHaveLength(1);
    expect(env.service.subscriptions[0]!.hookUrl).not.toBe(old);
  });

  test('does not change subscriptions of other clients', async () => {
    const { subscriptions } = env.service;
    const table = env.getTable('Customers').id;
    const trigger = await env.engine.activate(createTriggerWorkflow(env, ['Customers']));
    const [base = ''] = trigger.urls;
    const foreign = [
      `${base}2`,
      base.replace('w1', 'w2'),
      'https://elsewhere.example/webhook/w1/webhook',
    ].map((hookUrl, index) => ({
      id: `foreign-${index}`,
      data_table_id: table,
      type: 'INSERT' as const,
      hookUrl,
      platform: 'n8n',
    }));
    subscriptions.push(...foreign);
    await env.engine.republish(trigger, createTriggerWorkflow(env, ['Customers'], ['DELETE']));
    await trigger.deactivate();
    expect(subscriptions).toEqual(foreign);
  });

  test('removes subscriptions left by a crash before saving, and duplicates', async () => {
    const trigger = await env.engine.activate(createTriggerWorkflow(env, ['Customers'], ['INSERT']));
    const [first] = env.service.subscriptions;
    env.service.subscriptions.push({ ...first!, id: 'second' });
    trigger.replaceStaticData('Trigger');
    await trigger.activate();
    expect(env.service.subscriptions).toEqual([first]);
  });

  test.each([
    [412, "This is not part of the app's plan, or its limit is reached", /Upgrade the plan/],
    [403, 'The API key lacks the permission for this', /Give the key the permission/],
  ])(
    'a %i during activation removes the created subscriptions and explains the cause',
    async (status, why, remedy) => {
      env.service.faults.add({
        when: { pattern: SUBSCRIBE, skip: 2 },
        times: 100,
        fault: { type: 'status', status, body: { type: 'error', msg: 'No', status } },
      });
      const failure = await env.engine
        .activate(createTriggerWorkflow(env, ['Customers']), { attempts: 1 })
        .then(() => undefined)
        .catch((error: Error) => error);
      expect(failure?.message).toMatch(
        /^The webhook for "Record Deleted" in table "Customers" could not be created/,
      );
      expect(failure?.message).toContain(why);
      expect(failure?.message).toMatch(remedy);
      expect(listSubscriptions(env)).toEqual([]);
      expect(env.listRequests().filter((one) => one === SUBSCRIBE)).toHaveLength(3);
      expect(JSON.stringify(failure)).not.toContain(env.service.keys.appSecret);
    },
  );

  test('a lost response to a subscription does not lead to a second subscription', async () => {
    env.service.faults.add({ when: { pattern: SUBSCRIBE }, fault: { type: 'reset', when: 'after' } });
    const trigger = await env.engine.activate(createTriggerWorkflow(env, ['Customers'], ['INSERT']), {
      attempts: 1,
    });
    expect(listSubscriptions(env)).toEqual(['INSERT Customers']);
    expect(env.listRequests().filter((one) => one === SUBSCRIBE)).toHaveLength(1);
    await trigger.deactivate();
    expect(listSubscriptions(env)).toEqual([]);
  });

  test('a subscription that the service removed counts as removed', async () => {
    const trigger = await env.engine.activate(createTriggerWorkflow(env, ['Customers']));
    env.service.subscriptions.splice(0, 2);
    await trigger.deactivate({ attempts: 1 });
    expect(listSubscriptions(env)).toEqual([]);
  });

  test('a failed unpublishing succeeds when n8n repeats it', async () => {
    const trigger = await env.engine.activate(createTriggerWorkflow(env, ['Customers']));
    env.service.faults.add({ when: { pattern: UNSUBSCRIBE }, fault: { type: 'status', status: 403 } });
    await trigger.deactivate();
    expect(listSubscriptions(env)).toEqual([]);
  });

  test('listening for a test event does not change the published workflow', async () => {
    const workflow = createTriggerWorkflow(env, ['Customers'], ['INSERT']);
    const trigger = await env.engine.activate(workflow);
    const published = structuredClone(env.service.subscriptions);
    const listener = await env.engine.listenForTest({ ...workflow, id: trigger.workflowId });
    expect(env.service.subscriptions).toHaveLength(2);
    env.getTable('Customers').insert({ company: 'For the test' });
    await env.service.waitForDeliveries();
    const [run] = await listener.waitForExecutions(1);
    expect(run!.getJson('Trigger')).toMatchObject([{ _event: 'INSERT', company: 'For the test' }]);
    await trigger.waitForExecutions(1);
    await listener.stopped;
    expect(env.service.subscriptions).toEqual(published);
  });

  test('unpublishing during a test keeps the subscription of the test', async () => {
    const workflow = createTriggerWorkflow(env, ['Customers'], ['INSERT']);
    const trigger = await env.engine.activate(workflow);
    const listener = await env.engine.listenForTest({ ...workflow, id: trigger.workflowId });
    await trigger.deactivate();
    expect(env.service.subscriptions.map(({ hookUrl }) => hookUrl.split('?')[0])).toEqual(listener.urls);
    await listener.stop();
    expect(listSubscriptions(env)).toEqual([]);
  });

  test.each([
    [{ events: [] }, 'No event is chosen'],
    [{ events: ['UPSERT'] }, 'Events cannot be "UPSERT"'],
    [{ tables: '' }, 'No table is chosen'],
  ])('refuses a form without usable values: %j', async (parameters, message) => {
    const workflow = createTriggerWorkflow(env, ['Customers'], ALL_EVENTS, parameters);
    await expect(env.engine.activate(workflow, { attempts: 1 })).rejects.toThrow(message);
    expect(env.listRequests()).not.toContain(SUBSCRIBE);
  });

  test('accepts tables as an expression that returns text with commas', async () => {
    const ids = ['Customers', 'Orders'].map((name) => env.getTable(name).id);
    const workflow = createTriggerWorkflow(env, [], ['INSERT'], { tables: `={{ "${ids.join(', ')}" }}` });
    const trigger = await env.engine.activate(workflow);
    expect(listSubscriptions(env)).toEqual(['INSERT Customers', 'INSERT Orders']);
    await trigger.deactivate();
  });

  test('refuses a filter that does not fit a table at activation, before subscribing', async () => {
    const filter = {
      filterMode: 'manual',
      conditions: { items: [{ field: 'company|text', operator: 'is', value: 'x' }] },
    };
    const workflow = createTriggerWorkflow(env, ['Customers', 'Orders'], ['INSERT'], filter);
    await expect(env.engine.activate(workflow, { attempts: 1 })).rejects.toThrow('no field "company"');
    const options = { options: { columns: ['compny'] } };
    await expect(
      env.engine.activate(createTriggerWorkflow(env, ['Customers'], ['INSERT'], options), { attempts: 1 }),
    ).rejects.toThrow('no field "compny"');
    const nothing = createTriggerWorkflow(env, ['Customers'], ['INSERT'], {
      options: { columns: '={{ null }}' },
    });
    await expect(env.engine.activate(nothing, { attempts: 1 })).rejects.toThrow('Fields to Return cannot be');
    expect(env.listRequests()).not.toContain(SUBSCRIBE);
  });

  test('refuses a table that does not exist at activation', async () => {
    const workflow = createTriggerWorkflow(env, [], ['INSERT'], { tables: ['nowhere'] });
    await expect(env.engine.activate(workflow, { attempts: 1 })).rejects.toThrow(
      'The application has no table "nowhere"',
    );
  });
});
