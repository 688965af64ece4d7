/* eslint-disable @n8n/community-nodes/no-restricted-globals -- not shipped: runs on Node */
import { pick } from 'lodash';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import { pollChanges } from '../../../nodes/RecordDatabasePollingTrigger/poll';
import { clearMemories } from '../../../nodes/service';
import { skipWaits } from '../../environment/skipWaits';
import { type Service, type Table, startService } from '../../service';
import { TriggerContext } from '../../support/triggerContext';

skipWaits();

/** A poll from its parameters to its items, over HTTP and without n8n. */
const SNAPSHOT = 'recordCreatedUpdatedOrDeleted';
const LIST = /\/records$/;
const HOUR = 3_600_000;

type Item = Record<string, unknown>;

class PollingNode extends TriggerContext {
  /** @param context n8n hands the one of the first poll to all polls until it starts again */
  async poll(context = this.context): Promise<Item[] | null> {
    const result = await pollChanges(context);
    return result && result.flat().map(({ json }) => json);
  }
}

let service: Service;
let tasks: Table;

beforeEach(async () => {
  clearMemories();
  service = await startService({ sample: 'empty', perMinute: 1e6, perDay: 1e7 });
  tasks = service.addTable({
    name: 'Tasks',
    fields: [
      { name: 'Title', type: 'Text' },
      { name: 'Changed At', type: 'Date-Time' },
    ],
  });
});
afterEach(async () => {
  jest.restoreAllMocks();
  const violations = service.violations.map(({ message }) => message);
  await service.stop();
  expect(violations).toEqual([]);
});

const POLL_TIMES = { item: [{ mode: 'everyHour', minute: 0 }] };

const createNode = (parameters: object = {}): PollingNode =>
  new PollingNode(service, {
    triggerOn: SNAPSHOT,
    dataTableId: { value: tasks.id },
    pollTimes: POLL_TIMES,
    ...parameters,
  });

/** A node whose first poll has remembered what exists. */
async function start(parameters: object = {}): Promise<PollingNode> {
  const node = createNode(parameters);
  expect(await node.poll()).toBeNull();
  return node;
}

const listTitles = (items: Item[] | null) => items?.map(({ title }) => title);

async function countRequests(action: () => Promise<unknown>): Promise<number> {
  const before = service.requests.length;
  await action();
  return service.requests.length - before;
}

/** Holds the answer to the next reading of records until `release` is called. */
function holdReading(): () => void {
  let release: () => void = () => undefined;
  const until = new Promise<void>((resolve) => (release = resolve));
  service.faults.add({ when: { pattern: LIST }, fault: { type: 'hold', until } });
  return release;
}

describe('the items', () => {
  test('are a record with its event, or the event with its record', async () => {
    const [flat, whole] = [await start(), await start({ output: 'event' })];
    whole.node.id = 'other';
    const { id } = tasks.insert({ title: 'a' });
    expect(await flat.poll()).toEqual([
      expect.objectContaining({
        _event: 'INSERT',
        _table: 'Tasks',
        id,
        title: 'a',
        _changedFields: null,
        _eventId: expect.stringMatching(/^[\w-]{16}$/) as string,
      }),
    ]);
    expect(await flat.poll()).toBeNull();
    const item = { event: 'INSERT', tableId: tasks.id, tableName: 'Tasks', record: { id, title: 'a' } };
    clearMemories();
    // The fields, the records and the name of the table.
    expect(await countRequests(async () => expect(await whole.poll()).toMatchObject([item]))).toBe(3);
  });

  test('have the texts of connected records, or their IDs as the service returns them', async () => {
    const people = service.addTable({ name: 'People', fields: [{ name: 'Full', type: 'Text' }] });
    const fields = [{ name: 'Person', type: 'Connection' as const, to: 'People', many: false }];
    const owned = service.addTable({ name: 'Owned', fields });
    const dataTableId = { value: owned.id };
    const [flat, whole] = [await start({ dataTableId }), await start({ dataTableId, output: 'event' })];
    whole.node.id = 'other';
    const { id } = people.insert({ full: 'Ada' });
    owned.insert({ person: [id] });
    expect(await flat.poll()).toMatchObject([{ person: 'Ada' }]);
    expect(await whole.poll()).toMatchObject([{ record: { person: [id] } }]);
  });

  test('name a table that was added after the tables were listed', async () => {
    const node = await start();
    tasks.insert({ title: 'a' });
    await node.poll();
    const later = service.addTable({ name: 'Later', fields: [{ name: 'Title', type: 'Text' }] });
    const other = await start({ dataTableId: { value: later.id } });
    later.insert({ title: 'b' });
    expect(await other.poll()).toMatchObject([{ _table: 'Later' }]);
  });

  test('have an ID of their table, event, record, values and poll', async () => {
    const other = service.addTable({ name: 'Other', fields: [{ name: 'Title', type: 'Text' }] });
    const [node, second] = [await start(), await start({ dataTableId: { value: other.id } })];
    second.node.id = 'other';
    const { id } = tasks.insert({ title: 'a' });
    other.records.set(id, { ...tasks.records.get(id)! });
    const changes = [await node.poll(), await second.poll()];
    for (const title of ['b', 'a', 'b']) {
      tasks.update(id, { title });
      changes.push(await node.poll());
    }
    tasks.insert({ title: 'a' });
    tasks.insert({ title: 'a' });
    changes.push(await node.poll());
    const ids = changes.flatMap((items) => items!.map(({ _eventId }) => _eventId));
    expect(new Set(ids).size).toBe(7);
  });

  test('of a log are its entries', async () => {
    const node = createNode({ triggerOn: 'logEntryAdded', log: 'emails' });
    expect(await node.poll()).toBeNull();
    service.addLogEntries('emails', { subject: 'Hello', created_at: '2026-06-01 00:00:00' });
    expect(await node.poll()).toMatchObject([
      { subject: 'Hello', _eventId: expect.stringMatching(/^[\w-]{16}$/) as string },
    ]);
  });
});

describe('the ID of an event', () => {
  // The same poll number and time, so that only one part differs.
  test.each<[string, () => Promise<Item[][]>]>([
    [
      'of two records with equal values',
      async () => {
        const node = await start();
        for (const id of ['r1', 'r2'])
          tasks.records.set(id, { id, title: 'a', created_at: '2026-06-01 00:00:00' });
        return [(await node.poll())!];
      },
    ],
    [
      'of one record in two tables',
      async () => {
        const other = service.addTable({ name: 'Other', fields: [{ name: 'Title', type: 'Text' }] });
        const nodes = [await start(), await start({ dataTableId: { value: other.id } })];
        const record = { id: 'r1', title: 'a', created_at: '2026-06-01 00:00:00' };
        for (const table of [tasks, other]) table.records.set('r1', { ...record });
        return [(await nodes[0]!.poll())!, (await nodes[1]!.poll())!];
      },
    ],
    [
      'of a created and an updated record',
      async () => {
        const { id } = tasks.insert({ title: 'a' });
        const [all, later] = [createNode({ options: { returnExisting: true } }), await start()];
        all.node.id = 'other';
        tasks.update(id, { title: 'b' });
        return [(await all.poll())!, (await later.poll())!];
      },
    ],
  ])('is another one %s', async (_what, poll) => {
    const ids = (await poll()).flat().map(({ _eventId }) => _eventId);
    expect(new Set(ids).size).toBe(2);
  });
});

describe('the state', () => {
  test('is not written when nothing has changed', async () => {
    tasks.insert({ title: 'a' });
    const node = await start();
    await node.poll();
    Object.freeze(node.data);
    Object.freeze(node.globalData);
    expect(await node.poll()).toBeNull();
  });

  test('stays as it was if the items cannot be created', async () => {
    const node = await start();
    tasks.insert({ title: 'a' });
    const before = node.data.state;
    service.faults.add({
      when: { pattern: 'GET /api/v1/data-tables' },
      fault: { type: 'status', status: 403 },
    });
    await expect(node.poll()).rejects.toBeInstanceOf(NodeApiError);
    expect(node.data.state).toBe(before);
    expect(listTitles(await node.poll())).toEqual(['a']);
  });

  test.each<[string, (node: PollingNode) => void]>([
    ['under another name of the node', (node) => (node.data = {})],
    ['that was cut', ({ data }) => (data.state = String(data.state).slice(0, -9))],
    ['that is empty', ({ data }) => (data.state = '')],
    [
      'of another table',
      ({ data }) => (data.state = JSON.stringify({ ...JSON.parse(String(data.state)), scope: 'other' })),
    ],
  ])('%s is replaced by its copy', async (_what, change) => {
    tasks.insert({ title: 'old' });
    const node = await start();
    change(node);
    tasks.insert({ title: 'a' });
    expect(listTitles(await node.poll())).toEqual(['a']);
    expect(await node.poll()).toBeNull();
  });

  test('is used before its copy, which may be older', async () => {
    const node = await start();
    const copies = { ...node.globalData };
    tasks.insert({ title: 'a' });
    await node.poll();
    node.globalData = copies;
    expect(await node.poll()).toBeNull();
  });

  test.each<[string, (node: PollingNode) => void]>([
    [
      'another table',
      ({ parameters }) =>
        (parameters.dataTableId = { value: service.addTable({ name: 'New', fields: [] }).id }),
    ],
    ['another node', (node) => (node.node = { ...node.node, id: 'copy' })],
  ])('is not the copy for %s, which has none yet', async (_what, change) => {
    const node = await start();
    tasks.insert({ title: 'a' });
    node.data = {};
    change(node);
    expect(await node.poll()).toBeNull();
  });

  test('that n8n has not saved: the changes come again, with the same IDs', async () => {
    const node = await start();
    tasks.insert({ title: 'a' });
    const saved = { data: { ...node.data }, globalData: { ...node.globalData } };
    const first = await node.poll();
    Object.assign(node, saved);
    expect(await node.poll()).toEqual(first);
    expect(await node.poll()).toBeNull();
  });

  test.each<[string, (node: PollingNode) => void]>([
    ['another application', ({ credential }) => Object.assign(credential, { appId: 'other' })],
    ['another service', ({ credential }) => Object.assign(credential, { baseUrl: 'http://127.0.0.1:1' })],
    ['another table', ({ parameters }) => (parameters.dataTableId = { value: 'other' })],
  ])('of %s is not used, and stays as it is after a failure', async (_what, change) => {
    const node = await start();
    tasks.insert({ title: 'a' });
    const { credential, parameters } = node;
    Object.assign(node, { credential: { ...credential }, parameters: { ...parameters } });
    const before = node.data.state;
    change(node);
    await expect(node.poll()).rejects.toThrow();
    expect(node.data.state).toBe(before);
    Object.assign(node, { credential, parameters });
    expect(listTitles(await node.poll())).toEqual(['a']);
  });
});

describe('polls at once', () => {
  test('of one node: the second returns nothing, and a failed one does not keep it busy', async () => {
    const node = await start();
    tasks.insert({ title: 'a' });
    service.faults.add({ when: { pattern: LIST }, fault: { type: 'status', status: 403 } });
    await expect(node.poll()).rejects.toThrow();
    expect((await Promise.all([node.poll(), node.poll()])).map(listTitles)).toEqual([['a'], undefined]);
  });

  test.each([
    ['two nodes of a workflow', { node: { id: 'other', name: 'Other', type: '', webhookId: '' } }],
    ['nodes of two workflows with one ID', { workflowId: 'copy' }],
  ])('of %s do not wait for each other', async (_what, change) => {
    const node = await start();
    const other = Object.assign(await start(), change);
    tasks.insert({ title: 'a' });
    expect((await Promise.all([node.poll(), other.poll()])).map(listTitles)).toEqual([['a'], ['a']]);
  });
});

describe('a reading that lasts longer than its poll', () => {
  test.each([
    [20_000, 16_000],
    [100_000, 36_000],
    [undefined, 36_000],
  ])('continues before n8n ends the poll: of %p ms, it waits %d ms', async (budget, wait) => {
    const node = await start();
    const timeout = jest.spyOn(AbortSignal, 'timeout');
    node.budget = budget;
    await node.poll();
    expect(timeout.mock.calls).toContainEqual([wait]);
  });

  test('continues, and is returned once', async () => {
    const node = await start();
    tasks.insert({ title: 'a' });
    const release = holdReading();
    node.budget = 20;
    expect(await node.poll()).toBeNull();
    expect(await node.poll()).toBeNull();
    release();
    node.budget = 10_000;
    // The fields, which are read again before a change is passed on, and the name of the table.
    expect(await countRequests(async () => expect(listTitles(await node.poll())).toEqual(['a']))).toBe(2);
    expect(await node.poll()).toBeNull();
  });

  test('and fails is the error of the next poll, and the one after reads again', async () => {
    const node = await start();
    tasks.insert({ title: 'a' });
    let cut: () => void = () => undefined;
    const until = new Promise<void>((resolve) => (cut = resolve));
    // The request is repeated, and then refused.
    service.faults.add({ when: { pattern: LIST }, fault: { type: 'hold', until, cut: true } });
    node.budget = 20;
    expect(await node.poll()).toBeNull();
    service.faults.add({ when: { pattern: LIST }, fault: { type: 'status', status: 403 } });
    cut();
    node.budget = 10_000;
    await expect(node.poll()).rejects.toBeInstanceOf(NodeApiError);
    expect(listTitles(await node.poll())).toEqual(['a']);
  });

  test.each<[string, (node: PollingNode) => void]>([
    ['parameters', ({ parameters }) => (parameters.changedFields = ['title'])],
    ['state', ({ data }) => (data.state = String(data.state).replace('"pollCount":0', '"pollCount":1'))],
  ])('is not used for other %s', async (_what, change) => {
    const node = await start();
    const release = holdReading();
    node.budget = 20;
    await node.poll();
    change(node);
    node.budget = 10_000;
    expect(await countRequests(() => node.poll())).toBeGreaterThan(0);
    release();
  });
});

describe('a test in the editor', () => {
  const createTest = (parameters: object = {}) => Object.assign(createNode(parameters), { mode: 'manual' });

  test('returns the newest five records that match the filter, and leaves the state alone', async () => {
    for (let index = 0; index < 8; index++)
      tasks.insert({
        title: index === 7 ? 'other' : 'same',
        changed_at: `2026-06-01 00:00:0${7 - index}`,
        created_at: `2026-06-01 00:00:0${index}`,
      });
    const filter = { filterMode: 'json', filterJson: '{"title": "same"}' };
    const byDate = { triggerOn: 'recordCreatedOrUpdated', dateField: 'changed_at' };
    for (const [parameters, seconds, notes] of [
      [{}, '12345', { _event: 'INSERT', _changedFields: null }],
      [byDate, '76543', { _event: 'UPSERT' }],
    ] as const) {
      const node = createTest({ ...filter, ...parameters });
      const items = (await node.poll())!;
      expect(items.map(({ changed_at }) => String(changed_at).slice(-1)).join('')).toBe(seconds);
      expect(pick(items[0], '_event', '_changedFields')).toEqual(notes);
      expect([node.data, node.globalData]).toEqual([{}, {}]);
    }
  });

  test('leaves out records for which the service ignores the filter', async () => {
    const items = ['a', 'b'].map((title) => ({ id: title, title, created_at: '2026-06-01 00:00:00' }));
    const body = { type: 'success', items, total_items: 2, total_pages: 1, current_page: 1, limit: 50 };
    service.faults.add({ when: { pattern: LIST }, fault: { type: 'status', status: 200, body } });
    const node = createTest({ filterMode: 'json', filterJson: '{"title": "a"}' });
    expect(listTitles(await node.poll())).toEqual(['a']);
  });

  test('is an error if there is nothing', async () => {
    await expect(createTest().poll()).rejects.toThrow('Nothing was found that the trigger could return');
    await expect(createTest({ triggerOn: 'logEntryAdded', log: 'emails' }).poll()).rejects.toMatchObject({
      description: 'The log is empty.',
    });
  });

  test('returns five entries of a log', async () => {
    for (let index = 0; index < 6; index++)
      service.addLogEntries('emails', { subject: `${index}`, created_at: '2026-06-01 00:00:00' });
    expect(await createTest({ triggerOn: 'logEntryAdded', log: 'emails' }).poll()).toHaveLength(5);
  });
});

describe('errors', () => {
  test.each([
    [{ events: ['MOVED'] }, 'Changes cannot be "MOVED"'],
    [{ triggerOn: 'recordCreatedOrUpdated', dateField: '' }, 'Date Field is missing'],
    [{ triggerOn: 'recordCreatedOrUpdated', dateField: 'created_at' }, 'Date Field cannot be "created_at"'],
    [{ triggerOn: 'logEntryAdded', log: 'visits' }, 'Log cannot be "visits"'],
    [{ triggerOn: 'recordMoved' }, 'Trigger On cannot be "recordMoved"'],
    [{ options: { overlap: 1 } }, 'Overlap (Seconds) cannot be 1'],
  ])('%j is refused before a request', async (parameters, message) => {
    const failure = await createNode(parameters)
      .poll()
      .catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(NodeOperationError);
    expect(failure).toHaveProperty('message', expect.stringContaining(message));
    expect(service.requests).toHaveLength(0);
  });

  test('name the permission that the key lacks', async () => {
    const node = createNode({ triggerOn: 'logEntryAdded', log: 'emails' });
    Object.assign(node.credential, service.addKey({ permissions: { allow_log: false } }));
    const failure = await node.poll().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(NodeApiError);
    expect(failure).toHaveProperty('message', expect.stringContaining('lacks the permission allow_log'));
  });

  test('name the setting of the credential that a poll does use', async () => {
    const node = createNode();
    node.credential = { ...node.credential, advancedSettings: true, requestTimeout: 1 };
    service.faults.add({ when: {}, times: 99, fault: { type: 'stall', ms: HOUR } });
    const failure = await node.poll().catch((error: unknown) => error);
    expect(failure).toHaveProperty(
      'message',
      expect.stringMatching(/did not answer in time.* raise "Request Timeout/),
    );
    service.faults.clear();
  });

  test('name the table as the form does', async () => {
    const node = createNode({ dataTableId: { value: 'gone', cachedResultName: 'Old Tasks' } });
    await expect(node.poll()).rejects.toThrow('"Old Tasks"');
  });
});

describe('a list that changes while a poll reads it', () => {
  test('shows what was found, and only records that were read by ID count as deleted', async () => {
    const ids = Array.from({ length: 650 }, (_, index) => tasks.insert({ title: `${index}` }).id);
    const node = await start();
    for (const id of ids.splice(0, 30)) tasks.delete(id);
    const { id: added } = tasks.insert({ title: 'new' });
    // Each list lacks a record that the one before had, so one that is still there is skipped at the end of a page.
    let lists = 0;
    const until = {
      then(resolve: () => void) {
        lists++;
        tasks.delete(ids.shift()!);
        resolve();
      },
    };
    service.faults.add({
      when: { method: 'GET', pattern: /records$/ },
      times: Infinity,
      fault: { type: 'hold', until: until as unknown as Promise<void> },
    });
    const found = await node.poll();
    expect(lists).toBeGreaterThan(2);
    expect(found?.filter(({ _event }) => _event === 'INSERT')).toMatchObject([{ id: added }]);
    const deleted = found?.filter(({ _event }) => _event === 'DELETE').map(({ id }) => String(id));
    expect(deleted?.length).toBeGreaterThanOrEqual(30);
    expect(deleted?.filter((id) => tasks.records.has(id))).toEqual([]);
  });
});

describe('a table that is given by its name', () => {
  const byName = (name: string) => ({ dataTableId: { mode: 'name', value: name } });
  const rename = (name: string) => Object.assign(tasks, { name });
  /** Starts a node, and returns the function that polls as n8n does until it starts again. */
  async function startPolls(name: string): Promise<[node: PollingNode, poll: () => Promise<Item[] | null>]> {
    const node = createNode(byName(name));
    const { context } = node;
    expect(await node.poll(context)).toBeNull();
    return [node, () => node.poll(context)];
  }

  test('is found at the first poll, and costs no further request', async () => {
    const [, poll] = await startPolls('tasks');
    tasks.insert({ title: 'a' });
    expect(listTitles(await poll())).toEqual(['a']);
    expect(await countRequests(poll)).toBe(1);
  });

  test('that is renamed is an error, and with the new name the trigger continues where it was', async () => {
    const [node] = await startPolls('Tasks');
    rename('Old Tasks');
    tasks.insert({ title: 'meanwhile' });
    clearMemories();
    await expect(node.poll()).rejects.toThrow('The application has no table "Tasks"');
    node.parameters.dataTableId = byName('Old Tasks').dataTableId;
    expect(listTitles(await node.poll())).toEqual(['meanwhile']);
  });

  test('is an error if there is none, which lists the tables', async () => {
    await expect(createNode(byName('Task')).poll()).rejects.toMatchObject({
      message: expect.stringMatching(/^The application has no table "Task"\. .*The tables are: /) as string,
    });
  });
});

describe('the values before a change', () => {
  const listBefore = (items: Item[] | null) => items?.map(({ _event, _before }) => [_event, _before]);

  test('are those of the changed fields that are watched, and of a record that is gone', async () => {
    service.options.missingRecord = 404;
    const [id, gone] = ['a', 'b'].map((title) => tasks.insert({ title, changed_at: null }).id);
    const node = await start({ changedFields: ['Title', 'changed_at'] });
    tasks.update(id!, { title: 'A' });
    tasks.delete(gone!);
    tasks.insert({ title: 'new' });
    expect(listBefore(await node.poll())).toEqual([
      ['UPDATE', { title: 'a' }],
      ['INSERT', { title: null, changed_at: null }],
      ['DELETE', { title: 'b', changed_at: null }],
    ]);
    tasks.update(id!, { title: 'Z', changed_at: '2026-01-01 10:00:00' });
    expect(await node.poll()).toMatchObject([{ title: 'Z', _before: { title: 'A', changed_at: null } }]);
  });

  test('have the names of the fields, as the record has', async () => {
    const { id } = tasks.insert({ title: 'a' });
    const node = await start({ changedFields: ['title'], output: 'namedRecord' });
    tasks.update(id, { title: 'b' });
    expect(await node.poll()).toMatchObject([{ Title: 'b', _before: { Title: 'a' } }]);
  });

  test('are not returned without Watched Fields', async () => {
    const { id } = tasks.insert({ title: 'a' });
    const node = await start();
    tasks.update(id, { title: 'b' });
    expect(Object.keys((await node.poll())![0]!)).not.toContain('_before');
  });

  test('stay in the bound of the state, with those that were stored last', async () => {
    const ids = Array.from(
      { length: 3_000 },
      (_, n) => tasks.insert({ title: `${n} ${'"é\''.repeat(20)}` }).id,
    );
    const node = await start({ changedFields: ['title'] });
    expect(Buffer.byteLength(String(node.data.state))).toBeLessThan(230_000);
    for (const id of [ids[0]!, ids.at(-1)!]) tasks.update(id, { title: 'new' });
    expect(listBefore(await node.poll())).toEqual([
      ['UPDATE', { title: null }],
      ['UPDATE', { title: expect.stringMatching(/^2999 /) as string }],
    ]);
    // What has changed once is known from then on.
    tasks.update(ids[0]!, { title: 'newer' });
    expect(listBefore(await node.poll())).toEqual([['UPDATE', { title: 'new' }]]);
  });
});
