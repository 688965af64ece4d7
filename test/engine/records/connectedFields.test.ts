import { range } from 'lodash';
import { createNode } from '../../harness/workflowBuilder';
import type { Table } from '../../service';
import { createRecordWorkflow, pollOnce } from '../polling/support';
import { runOperation } from '../support/runOperation';
import { AUTO_MAP, getOutput, TestEnvironment, toLocator, TYPE } from '../support/testEnvironment';
import { createTriggerWorkflow } from '../trigger/support';

/** Fields of connected records in each operation that reads, what they cost, and that they are not written back. */

describe.each(['documented', 'met'] as const)('%s', (profile) => {
  const env = new TestEnvironment();
  let clients: Table;
  let jobs: Table;
  let ids: string[];
  const CLIENTS = [
    { title: 'Ada', email: 'ada@example.com', city: 'Leeds' },
    { title: 'Bo', email: 'bo@example.com', city: 'York' },
  ];
  beforeAll(async () => {
    await env.start({ profile });
    const title = { name: 'Title', type: 'Text' } as const;
    clients = env.service.addTable({
      name: 'Clients',
      fields: [title, { name: 'Email', type: 'Email' }, { name: 'City', type: 'Text' }],
    });
    jobs = env.service.addTable({
      name: 'Jobs',
      fields: [
        title,
        { name: 'Client', type: 'Connection', to: 'Clients', many: false },
        { name: 'Guests', type: 'Connection', to: 'Clients' },
      ],
    });
    ids = CLIENTS.map((values) => clients.insert(values).id);
  });
  afterAll(() => env.stop());
  afterEach(() => expect(env.takeViolations()).toEqual([]));

  const addJob = (values: object = {}) =>
    jobs.insert({ title: 'J', client: [ids[0]], guests: [ids[1], ids[0]], ...values }).id;
  const countClientRequests = (since: number) =>
    env.service.requests.slice(since).filter(({ path }) => path.includes(`${clients.id}/records`)).length;
  const FIELDS = { connectedFields: ['client → email', 'Client → City', 'guests.email'] };
  const ADDED = {
    client_record: { email: 'ada@example.com', city: 'Leeds' },
    guests_record: [{ email: 'bo@example.com' }, { email: 'ada@example.com' }],
  };

  test.each([
    ['get', (recordId: string) => ({ recordId })],
    ['getAll', () => ({ returnAll: true })],
  ])('%s', async (operation, toParameters) => {
    const id = addJob({ title: 'S' });
    const empty = addJob({ title: 'S', client: [], guests: [] });
    const read = async (recordId: string, more: object) =>
      getOutput(await env.runRecordOperation(operation, jobs, { ...toParameters(recordId), ...more })).find(
        (one) => one.id === recordId,
      )!;
    const shown = await read(id, { options: FIELDS });
    expect(shown).toMatchObject({ client: 'Ada', client_id: ids[0], ...ADDED });
    expect(Object.keys(shown).slice(-2)).toEqual(['client_record', 'guests_record']);
    expect(await read(empty, { options: FIELDS })).toMatchObject({ client_record: null, guests_record: [] });
    expect(await read(id, { options: FIELDS, simplify: 'names' })).toMatchObject({
      Client_record: { Email: 'ada@example.com', City: 'Leeds' },
    });
    expect(await read(id, { options: { ...FIELDS, columns: ['title'] }, simplify: 'off' })).toMatchObject(
      ADDED,
    );
    jobs.delete(id);
    jobs.delete(empty);
  });

  test('records of a component', async () => {
    const call = async (resource: string, operation: string, more: object = {}) =>
      getOutput(await runOperation(env, 'RecordDatabasePages', { resource, operation, ...more }));
    const pageId = toLocator(
      String((await call('page', 'getAll')).find(({ name }) => name === 'Customers')!.id),
    );
    const [, child] = await call('page', 'getChildren', { pageId });
    const childPageId = toLocator(String(child!.id));
    const [component] = await call('component', 'getAll', { pageId, childPageId });
    const place = { pageId, childPageId, componentId: toLocator(String(component!.id)) };
    const options = { connectedFields: ['Customer → Email'] };
    const [order] = await call('component', 'getRecords', { ...place, limit: 1, options });
    const customer = env.getTable('Customers').records.get(String(order!.customer_id))!;
    expect(order!.customer_record).toEqual({ email: customer.email });
  });

  test('the polling trigger', async () => {
    const parameters = { triggerOn: 'recordCreatedUpdatedOrDeleted', options: FIELDS };
    const trigger = await env.engine.activate(createRecordWorkflow(jobs, parameters));
    await pollOnce(trigger);
    const id = addJob({ title: 'Polled' });
    const items = await pollOnce(trigger);
    expect(items).toMatchObject([{ id, client: 'Ada', ...ADDED }]);
    await trigger.deactivate();
    jobs.delete(id);
  });

  test('the webhook trigger, and a delivery whose connected records cannot be read', async () => {
    const workflow = createTriggerWorkflow(env, ['Jobs', 'Clients'], ['INSERT'], { options: FIELDS });
    const trigger = await env.engine.activate(workflow);
    const made = [addJob({ title: 'Delivered' })];
    await env.service.waitForDeliveries();
    await trigger.waitForExecutions(1);
    // A new execution has read nothing yet.
    const when = { method: 'GET', pattern: new RegExp(clients.id) };
    env.service.faults.add({ when, times: 100, fault: { type: 'status', status: 403 } });
    made.push(addJob({ title: 'Forbidden' }));
    await env.service.waitForDeliveries();
    await trigger.waitForExecutions(2);
    const items = (await trigger.waitUntilIdle()).flatMap((run) => run.getJson('Trigger'));
    env.service.faults.clear();
    expect(items.map(({ title }) => title)).toEqual(['Delivered', 'Forbidden']);
    expect(items[0]).toMatchObject({ client: 'Ada', ...ADDED });
    expect(items[1]).toMatchObject({ client_id: ids[0], _notChecked: ['connectedFields'] });
    // The table Clients has no connection: the names are of the other table.
    const other = clients.insert({ title: 'Cy' }).id;
    await env.service.waitForDeliveries();
    await trigger.waitForExecutions(3);
    const [last] = (await trigger.waitUntilIdle()).slice(-1).flatMap((run) => run.getJson('Trigger'));
    expect(last).toMatchObject({ id: other, title: 'Cy' });
    await trigger.deactivate();
    for (const id of made) jobs.delete(id);
    clients.delete(other);
  });

  test('1,000 records of 300 connected ones take two requests more', async () => {
    const many = range(298).map((n) => clients.insert({ title: `C ${n}`, email: `${n}@example.com` }).id);
    const all = [...ids, ...many];
    const made = range(1_000).map((n) => addJob({ title: `M ${n}`, client: [all[n % 300]], guests: [] }));
    const since = env.service.requests.length;
    const run = await env.runRecordOperation('getAll', jobs, {
      returnAll: true,
      options: { connectedFields: ['client → email'] },
    });
    expect(getOutput(run)).toHaveLength(1_000);
    const emails = getOutput(run).map((one) => (one.client_record as { email: string }).email);
    expect(emails).toEqual(range(1_000).map((n) => String(clients.records.get(all[n % 300]!)!.email)));
    expect(countClientRequests(since)).toBe(2);
    for (const id of made) jobs.delete(id);
    for (const id of many) clients.delete(id);
  });

  test('a hint names the fields that the service does not show', async () => {
    const id = addJob();
    const options = { connectedFields: ['client → created_at', 'client → city'] };
    const run = await env.runRecordOperation('get', jobs, { recordId: id, options });
    const [{ client_record: shown } = {}] = getOutput(run);
    expect(shown).toMatchObject({ city: 'Leeds' });
    const isShown = Object.hasOwn(shown as object, 'created_at');
    expect(isShown).toBe(profile === 'documented');
    const hints = run.getHints('Node').map(({ message }) => message);
    expect(hints.includes('Connected Fields: "Client" was answered without created_at.')).toBe(!isShown);
    jobs.delete(id);
  });

  test('of a record that does not exist there are none, and of no record there is no hint', async () => {
    const id = addJob({ guests: [] });
    const read = (connectedFields: string[]) =>
      env.runRecordOperation('get', jobs, { recordId: id, simplify: 'off', options: { connectedFields } });
    env.service.faults.add({
      when: { method: 'GET', pattern: new RegExp(`${clients.id}/records/`) },
      fault: { type: 'status', status: 404, body: { type: 'error', msg: 'Record not found' } },
    });
    const missing = await read(['client → city']);
    env.service.faults.clear();
    expect(getOutput(missing)).toMatchObject([{ id, client_record: null }]);
    expect(missing.getHints('Node').map(({ message }) => message)).toContain(
      'Connected Fields: 1 of 1 records of "Client" could not be read. They were deleted, or the user of the credential may not see them.',
    );
    const none = await read(['guests → city']);
    expect(getOutput(none)).toMatchObject([{ id, guests_record: [] }]);
    expect(none.getHints('Node')).toEqual([]);
    jobs.delete(id);
  });

  test('few records of a large table are read alone, and those of several items once', async () => {
    const many = range(900).map((n) => clients.insert({ title: `L ${n}` }).id);
    const made = [addJob({ guests: [] }), addJob({ guests: [] })];
    const since = env.service.requests.length;
    const options = { connectedFields: ['client → city'] };
    const input = made.map((id) => ({ id }));
    const read = await env.runRecordOperation('get', jobs, { recordId: '={{ $json.id }}', options }, input);
    expect(getOutput(read).map((one) => one.client_record)).toEqual([{ city: 'Leeds' }, { city: 'Leeds' }]);
    // The other one is for the text of the connection.
    expect(countClientRequests(since)).toBeLessThanOrEqual(2);
    for (const id of [...made, ...many]) (jobs.records.has(id) ? jobs : clients).delete(id);
  });

  test('records that are read one by one share the pages of a small table', async () => {
    const many = range(40).map((n) => clients.insert({ title: `O ${n}`, city: `City ${n}` }).id);
    const made = many.map((id) => addJob({ client: [id], guests: [] }));
    const since = env.service.requests.length;
    const options = { connectedFields: ['client → city'] };
    const parameters = { recordId: '={{ $json.id }}', options, simplify: 'off' };
    const input = made.map((id) => ({ id }));
    const read = getOutput(await env.runRecordOperation('get', jobs, parameters, input));
    expect(read.map((one) => (one.client_record as { city: string }).city)).toEqual(
      many.map((_, n) => `City ${n}`),
    );
    expect(countClientRequests(since)).toBeLessThanOrEqual(5);
    for (const id of made) jobs.delete(id);
    for (const id of many) clients.delete(id);
  });

  test('they are passed over when the record is written back', async () => {
    const id = addJob();
    const read = getOutput(
      await env.runRecordOperation('get', jobs, { recordId: id, options: FIELDS }),
    ) as object[];
    for (const operation of ['update', 'sync']) {
      const columns = { ...AUTO_MAP, matchingColumns: ['title'] };
      const parameters = { ...(operation === 'update' && { recordId: id }), columns };
      const written = getOutput(await env.runRecordOperation(operation, jobs, parameters, read));
      // Sync returns what it changed.
      expect(written).toMatchObject(operation === 'update' ? [{ _action: 'unchanged' }] : []);
    }
    jobs.delete(id);
  });

  test('a name that is no field of a connected record is an error before records are read', async () => {
    const since = env.service.requests.length;
    for (const [name, message] of [
      ['client → phone', 'Connected Fields: the table has no field "phone"'],
      ['title → phone', 'Connected Fields: the table has no field "title → phone"'],
    ]) {
      const run = await env.runRecordOperation('getAll', jobs, { options: { connectedFields: [name] } });
      expect(run.error?.message).toContain(message);
    }
    expect(countClientRequests(since)).toBe(0);
  });

  test('a field of the table under whose name they would stand is an error', async () => {
    const table = env.service.addTable({
      name: 'Taken',
      fields: [
        { name: 'Client', type: 'Connection', to: 'Clients', many: false },
        { name: 'Client Record', type: 'Text' },
      ],
    });
    table.insert({ client: [ids[0]] });
    const run = await env.runRecordOperation('getAll', table, {
      options: { connectedFields: ['client → email'] },
    });
    expect(run.error?.message).toBe(
      'Connected Fields: the table has a field "client_record", under which the fields of "Client" would stand',
    );
  });

  test('the editor lists the fields of connected tables', async () => {
    const node = createNode('Node', TYPE, {
      resource: 'record',
      operation: 'getAll',
      dataTableId: toLocator(jobs.id),
    });
    const options = await env.engine.loadOptions(node, 'getConnectedFields');
    expect(options).toContainEqual({ name: 'Client → Email', value: 'client → email' });
    expect(options).toContainEqual({ name: 'Guests → City', value: 'guests → city' });
  });
});
