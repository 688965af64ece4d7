/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not shipped: runs on Node */
import { join } from 'node:path';
import type { Engine } from '..';
import { chainNodes, createNode, startEngine } from '..';
import { startFixtureService } from './fixtureService';

const FIXTURE = 'n8n-nodes-fixture.fixture';
const SERVER_ERROR = 'The service was not able to process your request';
const start = createNode('Start', 'n8n-nodes-base.manualTrigger');

describe('running workflows', () => {
  let engine: Engine;
  let service: Awaited<ReturnType<typeof startFixtureService>>;

  beforeAll(async () => {
    service = await startFixtureService(({ path, headers }) => {
      if (path === '/login') return { body: { token: 'fresh' } };
      if (path === '/file') return { body: 'the content' };
      if (path === '/broken') return { status: 500, body: { reason: 'kaput' } };
      return { body: { path, key: headers['x-key'] } };
    });
    engine = await startEngine({ packageDir: join(__dirname, 'fixture-package') });
    await engine.setCredential('fixtureApi', { baseUrl: service.baseUrl, session: 'old' });
  });

  afterAll(async () => {
    await engine.stop();
    await service.stop();
  });

  it('runs an action node from the start node to its output', async () => {
    const run = await engine.run(chainNodes(start, createNode('Call', FIXTURE, { path: '/a' })));
    expect(run.error).toBeUndefined();
    expect(run.status).toBe('success');
    expect(run.getJson('Call')).toEqual([{ path: '/a', key: 'default-key' }]);
    expect(run.executedNodes).toEqual(['Start', 'Call']);
  });

  it('resolves expressions for each item, also through paired items', async () => {
    const workflow = chainNodes(
      start,
      createNode('Only B', 'n8n-nodes-base.filter', {
        conditions: {
          options: { caseSensitive: true, typeValidation: 'strict', version: 2 },
          combinator: 'and',
          conditions: [
            {
              id: '1',
              leftValue: '={{ $json.name }}',
              rightValue: 'a',
              operator: { type: 'string', operation: 'notEquals' },
            },
          ],
        },
      }),
      createNode('Call', FIXTURE, { path: '=/{{ $json.name }}' }),
      createNode('Edit', 'n8n-nodes-base.set', {
        assignments: {
          assignments: [
            { id: '1', name: 'deep.source', value: "={{ $('Start').item.json.note }}", type: 'string' },
            { id: '2', name: 'number', value: '42', type: 'number' },
          ],
        },
        includeOtherFields: true,
      }),
    );
    const input = ['a', 'b', 'c'].map((name) => ({ json: { name, note: `note ${name}` } }));
    const run = await engine.run(workflow, { input });
    expect(run.getJson('Edit')).toEqual([
      { path: '/b', key: 'default-key', deep: { source: 'note b' }, number: 42 },
      { path: '/c', key: 'default-key', deep: { source: 'note c' }, number: 42 },
    ]);
  });

  it('hands the input to a start node that is no trigger', async () => {
    const run = await engine.run(chainNodes(createNode('Call', FIXTURE, { path: '=/{{ $json.id }}' })), {
      input: [{ json: { id: 7 } }],
    });
    expect(run.getJson('Call')).toEqual([{ path: '/7', key: 'default-key' }]);
  });

  it('resolves what an AI agent fills in when the node is its tool', async () => {
    const tool = createNode('Call', FIXTURE, { path: "=/{{ $fromAI('id', 'Which one', 'string') }}" });
    const run = await engine.run(chainNodes(tool), { input: [{ json: { id: 'chosen' } }] });
    expect(run.getJson('Call')).toEqual([{ path: '/chosen', key: 'default-key' }]);
  });

  it('reports the error of the node that stopped the run', async () => {
    const run = await engine.run(chainNodes(start, createNode('Call', FIXTURE, { path: '/broken' })));
    expect(run.status).toBe('error');
    expect(run.error?.message).toBe(SERVER_ERROR);
    expect(run.getError('Call')?.name).toBe('NodeApiError');
    expect(run.getItems('Call')).toEqual([]);
  });

  it('goes on after an error where the node says so, by the error output too', async () => {
    const regular = await engine.run(
      chainNodes(
        start,
        createNode('Call', FIXTURE, { path: '/broken' }, { onError: 'continueRegularOutput' }),
      ),
    );
    expect(regular.getJson('Call')).toEqual([{ error: SERVER_ERROR }]);

    const split = await engine.run(
      chainNodes(start, createNode('Call', FIXTURE, { path: '/broken' }, { onError: 'continueErrorOutput' })),
    );
    expect(split.getItems('Call', 0)).toEqual([]);
    expect(split.getJson('Call', 1)).toEqual([{ error: SERVER_ERROR }]);
  });

  it('does not start a workflow with an empty required parameter', async () => {
    const run = await engine.run(chainNodes(start, createNode('Call', FIXTURE, { path: '' })));
    expect(run.status).toBe('error');
    expect(run.error?.message).toContain('issues');
    expect(run.executedNodes).toEqual([]);
  });

  it.each(['filesystem', 'default'] as const)('stores binary data in %s mode', async (binaryDataMode) => {
    const other = await startEngine({ packageDir: join(__dirname, 'fixture-package'), binaryDataMode });
    await other.setCredential('fixtureApi', { baseUrl: service.baseUrl });
    const workflow = chainNodes(
      start,
      createNode('Download', FIXTURE, { operation: 'download', path: '/file' }),
      createNode('Read', FIXTURE, { operation: 'readBinary' }),
    );
    const run = await other.run(workflow);
    const [file] = run.getItems('Download');
    expect((await run.readBinary(file)).toString()).toBe('the content');
    expect(run.getJson('Read')).toEqual([
      { text: 'the content', fileName: 'file.txt', stored: binaryDataMode === 'filesystem' },
    ]);
    await other.stop();
  });

  it('collects hints, messages to the editor and log lines', async () => {
    const run = await engine.run(chainNodes(start, createNode('Call', FIXTURE)));
    expect(run.getHints('Call')).toEqual([{ message: '1 items', location: 'outputPane' }]);
    expect(run.uiMessages).toEqual([{ source: '[Node: "Call"]', messages: ['handled 1'] }]);
    expect(engine.logs.at(-1)?.text ?? '').not.toBe('');
    expect(engine.logs.some(({ text }) => text.includes('called /echo') && text.includes('fine'))).toBe(true);

    const production = await engine.run(chainNodes(start, createNode('Call', FIXTURE)), { mode: 'trigger' });
    expect(production.uiMessages).toEqual([]);
  });

  it('starts at the trigger, wherever it stands', async () => {
    const workflow = chainNodes(start, createNode('Call', FIXTURE));
    const note = createNode('Note', 'n8n-nodes-base.stickyNote', { content: 'Read me' });
    const spare = createNode('Spare', 'n8n-nodes-base.noOp');
    const run = await engine.run({ ...workflow, nodes: [note, spare, ...workflow.nodes] });
    expect(run.executedNodes).toEqual(['Start', 'Call']);
  });

  it('obeys the execution timeout of the workflow', async () => {
    const wait = chainNodes(start, createNode('Wait', FIXTURE, { operation: 'wait' }));
    const run = await engine.run({ ...wait, settings: { executionTimeout: 0.02 } });
    expect(run.status).toBe('canceled');
  });

  it('cancels a run', async () => {
    const run = await engine.run(chainNodes(start, createNode('Wait', FIXTURE, { operation: 'wait' })), {
      abortSignal: AbortSignal.timeout(20),
    });
    expect(run.status).toBe('canceled');
    expect(run.error?.name).toContain('Cancelled');

    const before = await engine.run(chainNodes(start, createNode('Wait', FIXTURE, { operation: 'wait' })), {
      abortSignal: AbortSignal.abort(),
    });
    expect(before.status).toBe('canceled');
  });

  it('has the time zone of n8n unless told otherwise', async () => {
    const workflow = chainNodes(start, createNode('Zone', FIXTURE, { operation: 'zone' }));
    expect((await engine.run(workflow)).getJson('Zone')).toEqual([{ zone: 'America/New_York' }]);
    const own = { ...workflow, settings: { timezone: 'Asia/Tokyo' } };
    expect((await engine.run(own)).getJson('Zone')).toEqual([{ zone: 'Asia/Tokyo' }]);
  });

  it('leaves the workflow it was given as it was', async () => {
    const workflow = chainNodes(start, createNode('Call', FIXTURE));
    const before = JSON.stringify(workflow);
    await engine.run(workflow, { input: [{ json: {} }] });
    expect(JSON.stringify(workflow)).toBe(before);
  });

  it('names the nodes there are when asked for one that is not', async () => {
    const run = await engine.run(chainNodes(start));
    expect(() => run.getItems('Strat')).toThrow('only: Start');
  });

  it('pins data as the editor does, in manual runs only', async () => {
    const workflow = {
      ...chainNodes(start, createNode('Call', FIXTURE)),
      pinData: { Call: [{ json: { pinned: true } }] },
    };
    expect((await engine.run(workflow)).getJson('Call')).toEqual([{ pinned: true }]);
    expect((await engine.run(workflow, { mode: 'trigger' })).getJson('Call')).toEqual([
      { path: '/echo', key: 'default-key' },
    ]);
  });
});
