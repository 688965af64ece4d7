/* eslint-disable @n8n/community-nodes/no-restricted-globals -- not shipped: runs on Node */
import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import { clearMemories, listMemories } from '../../../nodes/service';
import { skipWaits } from '../../environment/skipWaits';
import type { Service, Table } from '../../service';
import { PublishedTrigger, useTasks } from './publishing';

/** A delivery from its request to its answer, over HTTP and without n8n. */
skipWaits();

const GET_RECORD = /\/records\/\w+$/;

let service: Service;
let tasks: Table;
let people: Table;
let trigger: PublishedTrigger;

const env = useTasks();
beforeEach(() => ({ service, tasks, people } = env));

const createTrigger = (parameters: object = {}) =>
  new PublishedTrigger(service, { tables: [tasks.id], ...parameters });

async function publish(parameters: object = {}): Promise<void> {
  trigger = createTrigger(parameters);
  await trigger.publish();
}

const filterBy = (field_id: string, operator: string, val?: unknown) => ({
  filterMode: 'json',
  filterJson: JSON.stringify([{ field_id, operator, val }]),
});

const deliver: PublishedTrigger['deliver'] = (...given) => trigger.deliver(...given);

async function listRequests(action: () => Promise<unknown>): Promise<string[]> {
  const before = service.requests.length;
  await action();
  return service.requests.slice(before).map(({ path }) => path.replace(/^.*\//, ''));
}

describe('the answer', () => {
  test('to an event of the service', async () => {
    await publish();
    expect(await deliver(tasks.id, { id: 'r', title: 'a' })).toMatchObject({
      status: 200,
      body: { type: 'success', msg: 'Received' },
      items: [{ event: 'UPDATE', tableId: tasks.id, record: { id: 'r', title: 'a' } }],
      // n8n would answer once more.
      noWebhookResponse: true,
    });
    expect(trigger.warnings).toEqual([]);
  });

  test.each([
    ['a wrong token', () => 'wrong', 401],
    ['no token', () => null, 401],
    ['the token of a table that is not chosen', () => trigger.computeToken(people.id), 401],
  ])('to one with %s', async (_what, getToken, status) => {
    await publish();
    const answer = await deliver(tasks.id, { id: 'r' }, { token: getToken() });
    expect(answer).toMatchObject({ status, body: { type: 'error' }, items: [], noWebhookResponse: true });
    expect(trigger.warnings).toEqual([
      'Record Database Trigger: a delivery was refused: the token of the address is missing or wrong',
    ]);
  });

  test.each([[new Error('deleted')], [{ appSecret: '' }], [{ userLogin: 'unknown' }]])(
    'is an error while the credential cannot be used: %p',
    async (credential) => {
      await publish();
      const token = trigger.computeToken(tasks.id);
      trigger.credential =
        credential instanceof Error ? credential : { ...(trigger.credential as object), ...credential };
      await expect(deliver(tasks.id, { id: 'r' }, { token })).rejects.toThrow();
    },
  );

  test('to more than 10 MB', async () => {
    await publish();
    const fill = (length: number) => ({ id: 'r', title: 'x'.repeat(length) });
    expect(await deliver(tasks.id, fill(10 * 1024 * 1024 - 1_000))).toMatchObject({ status: 200 });
    expect(await deliver(tasks.id, fill(10 * 1024 * 1024))).toMatchObject({ status: 413, items: [] });
  });

  test('to one with the token of an earlier App Secret, with which the trigger has subscribed', async () => {
    await publish();
    const token = trigger.computeToken(tasks.id);
    trigger.credential = { ...(trigger.credential as object), ...service.addKey() };
    expect(trigger.computeToken(tasks.id)).not.toBe(token);
    const requests = await listRequests(async () => {
      const record = { id: 'r', title: 'a' };
      expect(await deliver(tasks.id, record, { token })).toMatchObject({ status: 200, items: [{ record }] });
      expect(await deliver(tasks.id, { id: 'r' }, { token: 'other' })).toMatchObject({ status: 401 });
    });
    // The fields, as the new key sees them. No list of subscriptions.
    expect(requests).toEqual(['full-fields-info']);
  });

  test('is an error while the form cannot be read', async () => {
    await publish();
    trigger.parameters.events = new Error('no such node');
    await expect(deliver(tasks.id, { id: 'r' })).rejects.toThrow('no such node');
  });

  test('while a needed record cannot be read, is an error that names the event', async () => {
    await publish(filterBy('title', 'is', 'a'));
    const { id } = tasks.insert({ title: 'a' });
    const failRead = (status: number, times: number) =>
      service.faults.add({
        when: { pattern: GET_RECORD },
        times,
        fault: { type: 'status', status, body: { type: 'error', msg: 'No', status } },
      });
    for (const status of [500, 403]) {
      failRead(status, 99);
      const failure = await deliver(tasks.id, { id }).catch((error: unknown) => error);
      service.faults.clear();
      expect(failure).toBeInstanceOf(NodeApiError);
      expect(failure).toHaveProperty(
        'description',
        expect.stringContaining(`The event was UPDATE of record ${id} in table "Tasks".`),
      );
    }
    // Neither is remembered as received.
    expect((await deliver(tasks.id, { id })).items).toHaveLength(1);
  });

  test('to a refused event is not remembered either', async () => {
    await publish({ startBy: 'address' });
    const { id, created_at } = tasks.insert({ title: 'a' });
    const record = { id, created_at, title: 'forged' };
    service.faults.add({
      when: { pattern: GET_RECORD },
      fault: { type: 'status', status: 404, body: { type: 'error', msg: 'Record Not Found', status: 404 } },
    });
    expect(await deliver(tasks.id, record, { token: null })).toMatchObject({ status: 410, items: [] });
    expect(await deliver(tasks.id, record, { token: null })).toMatchObject({
      status: 200,
      items: [{ record: { title: 'a' } }],
    });
  });

  test('to a pasted address is an error while the record cannot be read, or the form', async () => {
    await publish({ startBy: 'address' });
    const { id } = tasks.insert({ title: 'a' });
    service.faults.add({ when: { pattern: GET_RECORD }, times: 99, fault: { type: 'status', status: 500 } });
    await expect(deliver(tasks.id, { id }, { token: null })).rejects.toBeInstanceOf(NodeApiError);
    service.faults.clear();
    expect(await deliver(people.id, { id }, { token: null })).toMatchObject({ status: 401, items: [] });
    trigger.parameters.events = new Error('no such node');
    await expect(deliver(tasks.id, { id }, { token: null })).rejects.toThrow('no such node');
  });
});

describe('repeated deliveries', () => {
  const record = { id: 'r', title: 'a' };

  test('start the workflow once', async () => {
    await publish();
    expect((await deliver(tasks.id, record)).items).toHaveLength(1);
    const again = { status: 200, body: { msg: 'Received before' }, items: [] };
    expect(await deliver(tasks.id, record)).toMatchObject(again);
  });

  test('are answered so while the names of the filter cannot be looked up', async () => {
    const { id: owner } = people.insert({ full: 'Ada' });
    await publish(filterBy('owner', 'is', 'Ada'));
    expect((await deliver(tasks.id, { id: 'r', owner })).items).toHaveLength(1);
    listMemories()
      .find(({ name }) => name === 'resolvedFilters')!
      .clear();
    service.faults.add({ when: { pattern: /\/records/ }, times: 99, fault: { type: 'status', status: 503 } });
    expect(await deliver(tasks.id, { id: 'r', owner })).toMatchObject({ body: { msg: 'Received before' } });
  });

  test('start it each time if the form says so', async () => {
    await publish({ options: { ignoreDuplicates: false } });
    for (let count = 0; count < 2; count++) expect((await deliver(tasks.id, record)).items).toHaveLength(1);
  });

  test.each([false, true])('that arrive at once start it once (full record: %s)', async (fullRecord) => {
    await publish({ options: { fullRecord } });
    const { id } = tasks.insert({ title: 'a' });
    const answers = await Promise.all([1, 2, 3].map(() => deliver(tasks.id, { id })));
    expect(answers.flatMap(({ items }) => items)).toHaveLength(1);
  });

  test('without a timestamp are those that equal the last one of their record within a minute', async () => {
    await publish();
    const count = async (title: string) =>
      (await deliver(tasks.id, { id: 'r', title }, { timestamp: '' })).items.length;
    expect([await count('a'), await count('a'), await count('b'), await count('a')]).toEqual([1, 0, 1, 1]);
    jest.advanceTimersByTime(60_001);
    expect(await count('a')).toBe(1);
    trigger.parameters.options = { ignoreDuplicates: false };
    expect([await count('a'), await count('a')]).toEqual([1, 1]);
  });

  test('another node, another n8n and a test in the editor have their own', async () => {
    await publish();
    await deliver(tasks.id, record);
    const others: Array<Partial<PublishedTrigger>> = [
      { node: { ...trigger.node, webhookId: 'hook2' } },
      { instanceId: 'other-n8n' },
      { mode: 'manual', data: {} },
    ];
    for (const other of others) {
      // An imported workflow has the static data of its origin.
      const copy = Object.assign(createTrigger(), { data: structuredClone(trigger.data) }, other);
      expect((await copy.deliver(tasks.id, record)).items).toHaveLength(1);
    }
  });
});

describe('fields', () => {
  test('are read once in an hour', async () => {
    await publish({ output: 'record', ...filterBy('title', 'is', 'a') });
    clearMemories();
    const next = async (id: string) =>
      expect((await deliver(tasks.id, { id, title: 'a' })).items).toHaveLength(1);
    expect(await listRequests(() => next('r'))).toEqual(['full-fields-info']);
    jest.advanceTimersByTime(3_500_000);
    expect(await listRequests(() => next('s'))).toEqual([]);
    jest.advanceTimersByTime(200_000);
    expect(await listRequests(() => next('t'))).toEqual(['full-fields-info']);
  });

  test('that the service no longer has are an error when a delivery lacks them', async () => {
    await publish(filterBy('title', 'is', 'a'));
    const { id } = tasks.insert({ title: 'a' });
    tasks.fields.splice(0, 1);
    jest.advanceTimersByTime(31_000);
    const failure = await deliver(tasks.id, { id }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(NodeOperationError);
    expect(failure).toHaveProperty('message', expect.stringContaining('no field "title"'));
  });

  test('are read again for a pasted address if the record has none of the known ones', async () => {
    await publish({ startBy: 'address' });
    const { id } = tasks.insert({ title: 'a' });
    jest.advanceTimersByTime(31_000);
    const post = (record: object) => listRequests(() => deliver(tasks.id, record, { token: null }));
    expect(await post({ id, title: 'a' })).toEqual([id]);
    expect(await post({ id, full: 'a' })).toEqual(['full-fields-info']);
    expect(await post({ id, full: 'b' })).toEqual([]);
  });

  test('that the known ones lack are read', async () => {
    await publish();
    tasks.fields.push({ ...tasks.fields[0]!, fieldId: 'f9', slug: 'state', name: 'State' });
    jest.advanceTimersByTime(31_000);
    Object.assign(trigger.parameters, filterBy('State', 'is', 'open'));
    expect((await deliver(tasks.id, { id: 'r', state: 'open' })).items).toHaveLength(1);
    expect((await deliver(tasks.id, { id: 's', state: 'done' })).items).toHaveLength(0);
  });

  test('are not read again for a condition on Created At, which an answer about one record may lack', async () => {
    service.options.systemKeys = 'met';
    await publish(filterBy('created_at', 'is before', '2999-01-01'));
    const { id } = tasks.insert({ title: 'a' });
    expect(await listRequests(() => deliver(tasks.id, { id, title: 'a' }))).toEqual([id]);
  });

  test('leave the record of the output Event as the service has it', async () => {
    await publish({ options: { columns: ['owner'] } });
    const record = { id: 'r', owner: ['p'], owner_val: [{ id: 'p', val: 'Ada' }] };
    expect((await deliver(tasks.id, record)).items).toMatchObject([{ record }]);
  });

  test('that cannot be read are those that were read last', async () => {
    await publish(filterBy('title', 'is', 'a'));
    const deliverOne = async () => (await deliver(tasks.id, { id: 'r', title: 'a' })).items;
    expect(await deliverOne()).toHaveLength(1);
    jest.advanceTimersByTime(3_700_000);
    service.faults.add({ when: { pattern: /full-fields-info$/ }, fault: { type: 'status', status: 403 } });
    expect((await deliver(tasks.id, { id: 's', title: 'a' })).items).toHaveLength(1);
  });
});

describe('the filter', () => {
  test('takes the names of connected records, and leaves IDs unread', async () => {
    const { id: ada } = people.insert({ full: 'Ada' });
    const { id: gone } = people.insert({ full: 'Bob' });
    await publish(filterBy('owner', 'is any of', ['Ada', gone]));
    people.delete(gone);
    clearMemories();
    const results = [ada, gone, 'another'].map(
      async (owner) => (await deliver(tasks.id, { id: `of ${owner}`, owner })).items.length,
    );
    expect(await Promise.all(results)).toEqual([1, 1, 0]);
  });

  test('finds the names for a field that has become a connection within a minute', async () => {
    const { id: ada } = people.insert({ full: 'Ada' });
    const conditions = ['owner', 'title'].map((field_id) => ({ field_id, operator: 'is', val: 'Ada' }));
    await publish({ filterMode: 'json', filterJson: JSON.stringify(conditions) });
    const [title, , owner] = tasks.fields;
    tasks.fields[0] = { ...owner!, slug: title!.slug, name: title!.name };
    // The IDs of the names are still known.
    listMemories()
      .find(({ name }) => name === 'tables')!
      .clear();
    expect((await deliver(tasks.id, { id: 'r', owner: ada, title: ada })).items).toHaveLength(1);
  });

  test('has the day of the Service Time Zone', async () => {
    await publish(filterBy('due', 'is after today'));
    const offsets = ['Pacific/Kiritimati', 'Etc/GMT+12'].map(async (serviceTimeZone) => {
      const day = new Intl.DateTimeFormat('sv-SE', { timeZone: serviceTimeZone }).format(Date.now());
      trigger.credential = { ...(trigger.credential as object), serviceTimeZone };
      const { items } = await deliver(tasks.id, { id: serviceTimeZone, due: `${day} 23:59:59` });
      return items.length;
    });
    expect(await Promise.all(offsets)).toEqual([0, 0]);
  });
});

describe('Watched Fields', () => {
  const watching = { changedFields: ['title'], options: { startWithoutEarlierValues: false } };

  test('are compared with the last values, after a restart too', async () => {
    await publish(watching);
    expect(
      (await deliver(tasks.id, { id: 'r', title: 'a' }, { timestamp: '2026-06-01T00:00:00Z' })).items,
    ).toEqual([]);
    clearMemories();
    const [same, other] = [
      await deliver(tasks.id, { id: 'r', title: 'a', due: 'x' }, { timestamp: '2026-06-01T00:00:01Z' }),
      await deliver(tasks.id, { id: 'r', title: 'b' }, { timestamp: '2026-06-01T00:00:02Z' }),
    ];
    expect(same.items).toEqual([]);
    expect(other.items).toMatchObject([{ _changedFields: ['title'] }]);
  });

  test('that were saved by another process are compared', async () => {
    await publish(watching);
    await deliver(tasks.id, { id: 'r', title: 'a' });
    clearMemories();
    const { items } = await deliver(tasks.id, { id: 'r', title: 'b' }, { timestamp: '2026-06-01T00:00:01Z' });
    expect(items).toMatchObject([{ _changedFields: ['title'] }]);
  });

  test('those of two tables and two records are kept apart', async () => {
    await publish({
      ...watching,
      tables: [tasks.id, people.id],
      changedFields: ['title', 'full'],
    });
    for (const [tableId, id] of [
      [tasks.id, 'r'],
      [people.id, 'r'],
      [tasks.id, 's'],
    ] as const)
      expect((await deliver(tableId, { id, title: 'a', full: tableId })).items).toEqual([]);
    const next = { timestamp: '2026-06-01T00:00:01Z' };
    expect((await deliver(tasks.id, { id: 'r', title: 'b' }, next)).items).toHaveLength(1);
    expect((await deliver(tasks.id, { id: 's', title: 'a' }, next)).items).toEqual([]);
  });
});

describe('the deadline of a delivery', () => {
  /** A deadline that the test sets off, in place of the first timer. No other timer ends. */
  function createDeadline(): AbortController {
    const deadline = new AbortController();
    const never = new AbortController().signal;
    jest.spyOn(AbortSignal, 'timeout').mockReturnValue(never).mockReturnValueOnce(deadline.signal);
    return deadline;
  }
  afterEach(() => jest.restoreAllMocks());

  /** Holds the responses to requests back until `release` is called. */
  function hold(...patterns: RegExp[]): { release: () => void } {
    const held = { release: () => undefined as void };
    const until = new Promise<void>((resolve) => (held.release = resolve));
    for (const pattern of patterns) service.faults.add({ when: { pattern }, fault: { type: 'hold', until } });
    return held;
  }

  async function waitForRequest(pattern: RegExp): Promise<void> {
    const before = service.requests.length;
    const hasArrived = () => service.requests.slice(before).some(({ path }) => pattern.test(path));
    while (!hasArrived()) await new Promise((resolve) => setImmediate(resolve));
  }

  const FIELDS = /full-fields-info$/;

  test('is one for all its reads: none is sent after it', async () => {
    await publish(filterBy('title', 'is', 'a'));
    const { id } = tasks.insert({ title: 'a' });
    trigger.data.fields = '';
    clearMemories();
    const deadline = createDeadline();
    const held = hold(FIELDS);
    const since = service.requests.length;
    const answer = deliver(tasks.id, { id });
    await waitForRequest(FIELDS);
    deadline.abort();
    held.release();
    await expect(answer).rejects.toThrow('could not be read within 8 seconds');
    expect(service.requests.slice(since).map(({ path }) => FIELDS.test(path))).toEqual([true]);
  });

  test('ends the retries of a read', async () => {
    await publish(filterBy('title', 'is', 'a'));
    trigger.data.fields = '';
    clearMemories();
    const deadline = createDeadline();
    service.faults.add({ when: { pattern: FIELDS }, times: 9, fault: { type: 'status', status: 503 } });
    const since = service.requests.length;
    const answer = deliver(tasks.id, { id: 'r' });
    await waitForRequest(FIELDS);
    deadline.abort();
    await expect(answer).rejects.toThrow('could not be read within 8 seconds');
    // Longer than the pauses between the tries of a request.
    jest.advanceTimersByTime(120_000);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect(service.requests).toHaveLength(since + 1);
  });

  test('ends the wait for responses: the known fields and the delivered record are used', async () => {
    await publish({ ...filterBy('title', 'is', 'a'), options: { fullRecord: true } });
    const { id } = tasks.insert({ title: 'a' });
    const deadline = createDeadline();
    const held = hold(FIELDS, GET_RECORD);
    const answer = deliver(tasks.id, { id, title: 'a' });
    await waitForRequest(GET_RECORD);
    deadline.abort();
    expect(await answer).toMatchObject({
      status: 200,
      items: [{ record: { id }, _notChecked: ['fullRecord'] }],
    });
    held.release();
  });
});
