/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not shipped: runs on Node */
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Engine } from '..';
import { chainNodes, createNode, startEngine } from '..';
import type { SeenCall } from './fixtureService';
import { startFixtureService } from './fixtureService';

const createTrigger = (parameters = {}) =>
  createNode('Hook', 'n8n-nodes-fixture.fixtureTrigger', parameters, { webhookId: 'w1' });
const next = createNode('Next', 'n8n-nodes-base.set', {
  includeOtherFields: true,
  assignments: { assignments: [{ name: 'got', value: '={{ $json.body.n }}', type: 'number' }] },
});
const workflow = chainNodes(createTrigger(), next);

describe('triggers', () => {
  let engine: Engine;
  let service: Awaited<ReturnType<typeof startFixtureService>>;
  let failNext: (call: SeenCall) => boolean;
  let endWait: () => void;

  beforeAll(async () => {
    let hooks = 0;
    service = await startFixtureService((call) => {
      if (call.path === '/login') return { body: { token: 'fresh' } };
      if (failNext(call)) return { status: 503, body: {} };
      if (call.path === '/wait') return new Promise((resolve) => (endWait = () => resolve({ body: {} })));
      return { body: call.method === 'POST' ? { id: `hook-${++hooks}` } : {} };
    });
  });

  beforeEach(async () => {
    failNext = () => false;
    service.calls.length = 0;
    engine = await startEngine({ packageDir: join(__dirname, 'fixture-package') });
    await engine.setCredential('fixtureApi', { baseUrl: service.baseUrl, session: 'old' });
  });

  afterEach(async () => await engine.stop());
  afterAll(async () => await service.stop());

  it('subscribes on activation, with a URL that reaches the node', async () => {
    const active = await engine.activate(workflow);
    expect(service.paths()).toEqual(['GET /hooks?check=none', 'POST /hooks']);
    const sent = JSON.parse(service.calls[1]?.body ?? '') as { url: string };
    expect(sent).toEqual({ url: active.urls[0], topic: 'any', activation: 'activate' });
    expect(sent.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/webhook\/w1\/hook$/);
    expect(active.getStaticData('Hook')).toEqual({ id: expect.stringMatching(/^hook-/) as string });

    const response = await active.post({ n: 5 }, { headers: { 'x-token': 'abc' }, query: { a: 'b' } });
    expect(response.status).toBe(202);
    const [run] = await active.waitForExecutions(1);
    expect(run?.data.mode).toBe('webhook');
    expect(run?.getJson('Next')).toEqual([
      {
        body: { n: 5 },
        raw: '{"n":5}',
        header: 'abc',
        query: { a: 'b' },
        mode: 'webhook',
        delivery: 1,
        subscription: active.getStaticData('Hook').id,
        got: 5,
      },
    ]);
  });

  it('keeps static data between deliveries and loses it when told to', async () => {
    const active = await engine.activate(workflow);
    await active.post({ n: 1 });
    await active.post({ n: 2 });
    await active.waitForExecutions(2);
    expect(active.executions.map((run) => run.getJson('Hook')[0]?.delivery)).toEqual([1, 2]);
    active.replaceStaticData('Hook', { deliveries: 41 });
    await active.post({ n: 3 });
    expect((await active.waitForExecutions(3))[2]?.getJson('Hook')[0]?.delivery).toBe(42);
    active.replaceStaticData('Hook');
    expect(active.getStaticData('Hook')).toEqual({});
  });

  it('lets the node answer by itself, and starts nothing then', async () => {
    const active = await engine.activate(workflow);
    const refused = await active.post({ forged: true });
    expect([refused.status, await refused.json()]).toEqual([401, { refused: true }]);
    const skipped = await active.post({ ignored: true });
    expect([skipped.status, await skipped.json()]).toEqual([202, { skipped: true }]);
    expect(await active.waitUntilIdle()).toEqual([]);
    expect(active.getStaticData('Hook').refused).toBe(1);
  });

  it('lets the node answer by itself and start the workflow all the same', async () => {
    const active = await engine.activate(workflow);
    expect((await active.post({ quiet: true, n: 6 })).status).toBe(204);
    expect((await active.waitForExecutions(1))[0]?.getJson('Next')[0]?.got).toBe(6);
    expect(active.getStaticData('Hook').deliveries).toBe(1);
    expect(engine.logs.filter(({ text }) => text.includes('Error in handling webhook'))).toEqual([]);
  });

  it('saves the static data of nodes in production executions only', async () => {
    const remember = createNode('Remember', 'n8n-nodes-fixture.fixture', {
      operation: 'remember',
      path: '={{ $json.body.n }}',
    });
    const active = await engine.activate(chainNodes(createTrigger(), remember));
    await active.post({ n: 'here' });
    await active.waitForExecutions(1);
    expect(active.getStaticData('Remember')).toEqual({ path: 'here' });
    const listener = await engine.listenForTest({
      ...chainNodes(createTrigger(), remember),
      id: active.workflowId,
    });
    await listener.post({ n: 'there' });
    expect((await listener.waitForExecutions(1))[0]?.status).toBe('success');
    expect(active.getStaticData('Remember')).toEqual({ path: 'here' });
  });

  it('has published the workflow as it was, whatever becomes of its JSON', async () => {
    const json = chainNodes(createTrigger(), structuredClone(next));
    const active = await engine.activate(json);
    Object.assign(json.nodes[1]?.parameters ?? {}, { includeOtherFields: false });
    await active.post({ n: 1 });
    expect((await active.waitForExecutions(1))[0]?.getJson('Next')[0]?.body).toEqual({ n: 1 });
  });

  it('records a failed execution when webhook() throws', async () => {
    const active = await engine.activate(workflow);
    const response = await active.post({ broken: true });
    expect(response.status).toBe(500);
    const [run] = await active.waitForExecutions(1);
    expect(run?.error?.message).toBe('webhook is broken');
    expect(run?.getItems('Next')).toEqual([]);
  });

  it('answers with the last node where the webhook says so', async () => {
    const active = await engine.activate(chainNodes(createTrigger({ answer: 'lastNode' }), next));
    const response = await active.post({ n: 8 });
    expect(await response.json()).toMatchObject({ got: 8 });
  });

  it('answers unknown paths, bad JSON and unpacks compressed bodies as n8n does', async () => {
    const active = await engine.activate(workflow);
    const [url = ''] = active.localUrls;
    expect((await fetch(`${url}x`, { method: 'POST' })).status).toBe(404);
    expect((await fetch(url)).status).toBe(404);
    const headers = { 'content-type': 'application/json' };
    expect((await active.post('{', { headers })).status).toBe(422);
    const packed = { ...headers, 'content-encoding': 'gzip' };
    await fetch(url, { method: 'POST', headers: packed, body: gzipSync('{"n":3}') });
    expect((await active.waitForExecutions(1))[0]?.getJson('Next')[0]?.got).toBe(3);
    expect(active.executions).toHaveLength(1);
  });

  it('unsubscribes on deactivation and no longer listens', async () => {
    const active = await engine.activate(workflow);
    const { id } = active.getStaticData('Hook');
    await active.deactivate();
    expect(service.paths().at(-1)).toBe(`DELETE /hooks?id=${String(id)}`);
    expect(active.getStaticData('Hook')).toEqual({});
    expect((await active.post({})).status).toBe(404);
  });

  it('tries five times to subscribe, cleaning up each time, then gives up', async () => {
    failNext = ({ method }) => method === 'POST';
    await expect(engine.activate(workflow)).rejects.toThrow();
    expect(service.paths().filter((path) => path === 'POST /hooks')).toHaveLength(5);
    expect(service.paths().filter((path) => path.startsWith('DELETE'))).toHaveLength(5);

    let failures = 2;
    failNext = ({ method }) => method === 'POST' && failures-- > 0;
    const active = await engine.activate(workflow);
    const { id } = active.getStaticData('Hook');
    await active.deactivate();
    expect(service.paths().at(-1)).toBe(`DELETE /hooks?id=${String(id)}`);
    expect(id).not.toBeUndefined();
  });

  it('tries three times to unsubscribe', async () => {
    const active = await engine.activate(workflow);
    failNext = ({ method }) => method === 'DELETE';
    await expect(active.deactivate()).rejects.toThrow();
    expect(service.paths().filter((path) => path.startsWith('DELETE'))).toHaveLength(3);
    expect((await active.post({})).status).toBe(404);
  });

  it('restarts with what was saved, asking the node only where told to', async () => {
    const active = await engine.activate(workflow);
    service.calls.length = 0;
    await active.restart({ callCheckExists: false });
    expect(service.calls).toEqual([]);
    await active.restart({ callCheckExists: true });
    expect(service.paths()).toEqual([`GET /hooks?check=${String(active.getStaticData('Hook').id)}`]);
    await active.post({ n: 1 });
    await active.waitForExecutions(1);
  });

  it('saves nothing that a process does after its end', async () => {
    const active = await engine.activate(workflow);
    const received = new Promise<void>((resolve) => {
      failNext = ({ path }) => {
        if (path === '/wait') setImmediate(resolve);
        return false;
      };
    });
    const delivery = active.post({ waits: true });
    await received;
    await active.kill();
    active.replaceStaticData('Hook', { deliveries: 41 });
    endWait();
    await delivery;
    expect(active.getStaticData('Hook')).toEqual({ deliveries: 41 });
    await active.restart({ callCheckExists: false });
    await active.post({ n: 3 });
    const runs = await active.waitUntilIdle();
    expect(runs.filter(({ error }) => !error).map((run) => run.getJson('Hook')[0]?.delivery)).toEqual([42]);
  });

  it('republishes a changed workflow under a changed address', async () => {
    const active = await engine.activate(workflow);
    service.calls.length = 0;
    engine.instanceUrl = 'https://n8n.example.com';
    await engine.republish(active, chainNodes(createTrigger({ topic: 'some' }), next));
    expect(service.paths().map((path) => path.split(/[ ?]/)[0])).toEqual(['DELETE', 'GET', 'POST']);
    expect(JSON.parse(service.calls[2]?.body ?? '')).toEqual({
      url: 'https://n8n.example.com/webhook/w1/hook',
      topic: 'some',
      activation: 'update',
    });
    expect(active.localUrls[0]).toMatch(/^http:\/\/127/);
  });

  it('listens for one test event beside the published workflow', async () => {
    const active = await engine.activate(workflow);
    const listener = await engine.listenForTest({ ...workflow, id: active.workflowId });
    expect(listener.urls[0]).toContain('/webhook-test/w1/hook');
    expect(service.calls.at(-1)?.body).toContain(`"${listener.urls[0]}"`);
    await listener.post({ forged: true });
    expect(listener.isListening).toBe(true);
    await listener.post({ n: 4 });
    const [run] = await listener.waitForExecutions(1);
    expect(run?.data.mode).toBe('manual');
    expect(run?.getJson('Next')[0]).toMatchObject({ got: 4, mode: 'manual' });
    const { subscription } = run?.getJson('Hook')[0] ?? {};
    expect(subscription).toMatch(/^hook-/);
    expect(subscription).not.toBe(active.getStaticData('Hook').id);
    await listener.stopped;
    expect(service.paths().at(-1)).toBe(`DELETE /hooks?id=${String(subscription)}`);
    expect((await listener.post({})).status).toBe(404);

    await active.post({ n: 1 });
    await active.waitForExecutions(1);
    expect(active.getStaticData('Hook').id).not.toBe(undefined);
  });

  it('stops listening for a test event when told to', async () => {
    const listener = await engine.listenForTest(workflow);
    await listener.stop();
    await listener.stop();
    expect(service.paths().filter((path) => path.startsWith('DELETE'))).toHaveLength(1);
  });

  it('feeds a trigger by hand without any webhook', async () => {
    const run = await engine.run(workflow, { input: [{ json: { body: { n: 9 } } }] });
    expect(run.getJson('Next')).toEqual([{ body: { n: 9 }, got: 9 }]);
    expect(service.calls).toEqual([]);
  });

  it('refuses a path another workflow has', async () => {
    await engine.activate(workflow);
    await expect(engine.activate(workflow)).rejects.toThrow('already');
  });
});
