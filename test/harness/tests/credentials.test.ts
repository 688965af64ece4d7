/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not shipped: runs on Node */
import { join } from 'node:path';
import type { Engine } from '..';
import { chainNodes, createNode, startEngine } from '..';
import { reserveClosedPort } from '../unreachable';
import { startFixtureService } from './fixtureService';

const FIXTURE = 'n8n-nodes-fixture.fixture';
const createWorkflow = (extra = {}) =>
  chainNodes(
    createNode('Start', 'n8n-nodes-base.manualTrigger'),
    createNode('Call', FIXTURE, { path: '/a' }, extra),
  );

describe('credentials', () => {
  let engine: Engine;
  let service: Awaited<ReturnType<typeof startFixtureService>>;
  let validSession: string;
  let status: { status?: number; body: unknown };

  beforeAll(async () => {
    service = await startFixtureService(({ path, headers }) => {
      if (path === '/login') return { body: { token: validSession } };
      if (path === '/status') return status;
      if (headers['x-signature']) return { body: { signature: headers['x-signature'] } };
      const authorised = headers['x-session'] === validSession;
      return authorised ? { body: { key: headers['x-key'] } } : { status: 401, body: {} };
    });
  });

  beforeEach(async () => {
    service.calls.length = 0;
    validSession = 'first';
    status = { body: { active: true } };
    engine = await startEngine({ packageDir: join(__dirname, 'fixture-package') });
  });

  afterEach(async () => await engine.stop());
  afterAll(async () => await service.stop());

  const setCredential = async (data: object = {}, details = {}) =>
    await engine.setCredential('fixtureApi', { baseUrl: service.baseUrl, ...data }, details);

  it('fills in the defaults of the credential type and resolves expressions', async () => {
    await setCredential();
    expect((await engine.run(createWorkflow())).getJson('Call')).toEqual([{ key: 'default-key' }]);
    await setCredential({ key: "={{ 'a' + $json.suffix }}", session: 'first' });
    const run = await engine.run(createWorkflow(), { input: [{ json: { suffix: 'b' } }] });
    expect(run.getJson('Call')).toEqual([{ key: 'ab' }]);
  });

  it('logs in when the token is empty and stores the token', async () => {
    await setCredential({ key: 'k' });
    await engine.run(createWorkflow());
    expect(service.paths()).toEqual(['POST /login', 'GET /a']);
    expect(await engine.getStoredCredential('fixtureApi')).toEqual({
      baseUrl: service.baseUrl,
      key: 'k',
      session: 'first',
    });
    await engine.run(createWorkflow());
    expect(service.paths().slice(2)).toEqual(['GET /a']);
  });

  it('logs in again after a 401', async () => {
    await setCredential({ session: 'first' });
    validSession = 'second';
    const run = await engine.run(createWorkflow());
    expect(service.paths()).toEqual(['GET /a', 'POST /login', 'GET /a']);
    expect(run.status).toBe('success');
    expect((await engine.getStoredCredential('fixtureApi')).session).toBe('second');
  });

  it('finds a credential by id, by name, or takes the first of the type', async () => {
    await setCredential({ key: 'one', session: 'first' }, { id: '1', name: 'One' });
    await setCredential({ key: 'two', session: 'first' }, { id: '2', name: 'Two' });
    const readKey = async (credentials?: object) =>
      (await engine.run(createWorkflow({ credentials }))).getJson('Call')[0]?.key;
    expect(await readKey({ fixtureApi: { id: '2', name: 'One' } })).toBe('two');
    expect(await readKey({ fixtureApi: { id: 'of another instance', name: 'Two' } })).toBe('two');
    expect(await readKey()).toBe('one');
  });

  it('fails as n8n does without a credential', async () => {
    const run = await engine.run(createWorkflow());
    expect(run.error?.message).toContain('does not have any credentials set');
    expect(service.calls).toEqual([]);
  });

  it('lets a credential type sign requests in code', async () => {
    await setCredential();
    await engine.setCredential('fixtureSignedApi', { baseUrl: service.baseUrl, user: 'me' });
    const workflow = chainNodes(createNode('Call', FIXTURE, { operation: 'signed' }));
    expect((await engine.run(workflow)).getJson('Call')).toEqual([{ signature: 'me:GET' }]);
  });

  describe('tested from the editor', () => {
    it('sends the test request of the type, logging in first', async () => {
      await setCredential({ session: 'first' });
      expect(await engine.testCredential('fixtureApi')).toEqual({
        status: 'OK',
        message: 'Connection successful!',
      });
      expect(service.paths()).toEqual(['POST /login', 'GET /status']);
    });

    it.each([
      ['a status the type explains', { status: 403, body: {} }, 'The key is wrong'],
      ['another status', { status: 502, body: {} }, 'Bad Gateway'],
      ['an answer the type explains', { body: { active: false } }, 'The account is closed'],
    ])('fails on %s', async (_case, answer, message) => {
      await setCredential();
      status = answer;
      expect(await engine.testCredential('fixtureApi')).toEqual({ status: 'Error', message });
    });

    it('names the network fault', async () => {
      const result = await engine.testCredential('fixtureApi', {
        baseUrl: `http://127.0.0.1:${await reserveClosedPort()}`,
      });
      expect(result).toEqual({ status: 'Error', message: 'ECONNREFUSED' });
    });

    it('asks the node that tests the credential', async () => {
      await engine.setCredential('fixtureSignedApi', { baseUrl: service.baseUrl });
      expect(await engine.testCredential('fixtureSignedApi')).toEqual({ status: 'OK', message: 'Fine' });
      status = { body: { active: false } };
      expect(await engine.testCredential('fixtureSignedApi')).toEqual({
        status: 'Error',
        message: 'No, nobody',
      });
    });
  });
});
