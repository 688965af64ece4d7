/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not shipped: runs on Node */
import { join } from 'node:path';
import type { Engine } from '..';
import { chainNodes, createNode, startEngine } from '..';
import { startFixtureService } from './fixtureService';

const pollTimes = { item: [{ mode: 'everyHour', minute: 5 }] };
const poller = createNode('Poll', 'n8n-nodes-fixture.fixturePoller', { pollTimes });
const workflow = chainNodes(
  poller,
  createNode('Next', 'n8n-nodes-base.set', {
    includeOtherFields: true,
    assignments: { assignments: [{ name: 'got', value: '={{ $json.text }}', type: 'string' }] },
  }),
);

describe('polling triggers', () => {
  let engine: Engine;
  let service: Awaited<ReturnType<typeof startFixtureService>>;
  /** What the API sends to each poll, by its number in the static data. */
  let news: Record<number, string[]>;
  let failing: number[];

  beforeAll(async () => {
    service = await startFixtureService(({ path }) => {
      if (path === '/login') return { body: { token: 'fresh' } };
      const poll = Number(path.split('/').at(-1));
      return failing.includes(poll) ? { status: 503, body: {} } : { body: news[poll] ?? [] };
    });
  });

  beforeEach(async () => {
    [news, failing] = [{}, []];
    service.calls.length = 0;
    engine = await startEngine({ packageDir: join(__dirname, 'fixture-package') });
    await engine.setCredential('fixtureApi', { baseUrl: service.baseUrl, session: 'old' });
  });

  afterEach(async () => await engine.stop());
  afterAll(async () => await service.stop());

  it('polls at activation and at each poll time, and runs the workflow on what a poll returns', async () => {
    news = { 1: ['first'], 3: ['a', 'b'] };
    engine.pollBudgetMs = 1234;
    const active = await engine.activate(workflow);
    await active.poll();
    await active.poll();
    const runs = await active.waitForExecutions(2);
    expect(runs.map((run) => run.getJson('Next').map(({ got }) => got))).toEqual([['first'], ['a', 'b']]);
    expect(runs.map(({ data }) => data.mode)).toEqual(['trigger', 'trigger']);
    const about = { mode: 'trigger', budget: 1234, pollTimes };
    expect(runs[0]?.getJson('Poll')).toEqual([{ text: 'first', activation: 'activate', ...about }]);
    expect(service.paths().filter((path) => path !== 'POST /login')).toEqual([
      'GET /news/1',
      'GET /news/2',
      'GET /news/3',
    ]);
  });

  it('saves the static data at activation and when a poll returns items, not after an empty poll', async () => {
    news = { 3: ['a'] };
    const active = await engine.activate(workflow);
    expect(active.getStaticData('Poll')).toEqual({ polls: 1 });
    await active.poll();
    expect(active.getStaticData('Poll')).toEqual({ polls: 1 });
    await active.poll();
    await active.waitForExecutions(1);
    expect(active.getStaticData('Poll')).toEqual({ polls: 3 });
  });

  it('loses what was not saved when the process ends, and polls at its start', async () => {
    const active = await engine.activate(workflow);
    await active.poll();
    await active.poll();
    await active.kill();
    await active.poll();
    service.calls.length = 0;
    await active.restart({ callCheckExists: false });
    expect(service.paths()).toEqual(['GET /news/2']);
  });

  it('records a failed poll as a failed execution, and polls again', async () => {
    failing = [2];
    news = { 3: ['a'] };
    const active = await engine.activate(workflow);
    await active.poll();
    await active.poll();
    const [failed, run] = await active.waitForExecutions(2);
    expect(failed?.error?.message).toContain('Service unavailable');
    expect(failed?.executedNodes).not.toContain('Next');
    expect(run?.getJson('Next')).toMatchObject([{ got: 'a' }]);
  });

  it('does not activate a workflow whose first poll fails', async () => {
    failing = [1];
    await expect(engine.activate(workflow)).rejects.toThrow();
  });

  it('no longer polls after deactivation', async () => {
    const active = await engine.activate(workflow);
    service.calls.length = 0;
    await active.deactivate();
    await active.poll();
    expect(service.calls).toEqual([]);
  });
});
