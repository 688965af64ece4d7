import { range } from 'lodash';
import { createNode } from '../../harness/workflowBuilder';
import { createSeed, scaleRuns } from '../../randomness';
import type { Table } from '../../service';
import { Random } from '../../service/state/random';
import { runOperation } from '../support/runOperation';
import { getOutput, TestEnvironment, toColumns, toLocator, TYPE } from '../support/testEnvironment';

/** Conditions on fields of connected records: what they find in each operation, and the requests that they take. */

const CITIES = ['Leeds', 'York', 'Bath'];

describe.each(['documented', 'met'] as const)('%s', (profile) => {
  const env = new TestEnvironment();
  let clients: Table;
  let jobs: Table;
  let clientIds: string[];
  const random = new Random(createSeed());
  beforeAll(async () => {
    await env.start({ profile });
    const title = { name: 'Title', type: 'Text' } as const;
    env.service.addTable({ name: 'Regions', fields: [title] });
    clients = env.service.addTable({
      name: 'Clients',
      fields: [
        title,
        { name: 'City', type: 'Text' },
        { name: 'Credit', type: 'Number' },
        { name: 'Region', type: 'Connection', to: 'Regions', many: false },
      ],
    });
    jobs = env.service.addTable({
      name: 'Jobs',
      fields: [
        { name: 'Title', type: 'Text', unique: true },
        { name: 'State', type: 'Text' },
        { name: 'Ref. No.', slug: 'ref_no', type: 'Text' },
        { name: 'Client', type: 'Connection', to: 'Clients', many: false },
        { name: 'Guests', type: 'Connection', to: 'Clients' },
      ],
    });
    const regions = ['North', 'South'].map((name) => env.getTable('Regions').insert({ title: name }).id);
    clientIds = range(12).map(
      (n) => clients.insert({ title: `C${n}`, city: CITIES[n % 3], credit: n, region: [regions[n % 2]] }).id,
    );
    range(60).forEach((n) =>
      jobs.insert({
        title: `J${n}`,
        state: n % 2 ? 'open' : 'done',
        ref_no: n % 3 ? 'open' : 'done',
        client: n % 10 === 0 ? [] : [random.pick(clientIds)],
        guests: clientIds.filter(() => random.nextBoolean(0.2)),
      }),
    );
  });
  afterAll(() => env.stop());
  afterEach(() => expect(env.takeViolations()).toEqual([]));

  const clientOf = (id: unknown) =>
    clients.records.get(String(id)) as { city: string; credit: number } | undefined;
  const titles = (found: Iterable<object>) =>
    [...found].map((one) => String((one as { title: unknown }).title)).sort();
  const find = (
    meets: (job: { client: string[]; guests: string[]; state: string; ref_no: string }) => boolean,
  ) => titles([...jobs.records.values()].filter((job) => meets(job as never)));
  const listLeeds = () => find(({ client }) => clientOf(client[0])?.city === 'Leeds');
  const byForm = (field: string, value: unknown, operator = 'is') => ({
    filterMode: 'manual',
    conditions: { items: [{ field, operator, value }] },
  });
  const byJson = (filter: object) => ({ filterMode: 'json', filterJson: JSON.stringify(filter) });
  const getMany = async (parameters: object) =>
    titles(getOutput(await env.runRecordOperation('getAll', jobs, { returnAll: true, ...parameters })));

  test.each<[string, object]>([
    ['a field of the form', byForm('client → city|text', 'Leeds')],
    ['names', byForm('Client → City', 'leeds')],
    ['a JSON filter', byJson({ 'Client → City': 'Leeds' })],
    ['an arrow of two signs', byJson({ 'client->city': { is: 'Leeds' } })],
    ['a dot', byJson({ 'client.city': 'Leeds' })],
  ])('Get Many finds by %s, with one request more', async (_, filter) => {
    expect(listLeeds().length).toBeGreaterThan(3);
    const before = env.service.requests.length;
    expect(await getMany(filter)).toEqual(listLeeds());
    const paths = env.service.requests.slice(before).map(({ path }) => path);
    expect(paths.filter((path) => path.endsWith(`${clients.id}/records`))).toHaveLength(1);
  });

  test('conditions on one connection are met by one record, and groups are kept', async () => {
    const isRich = (id: string) => clientOf(id)!.city === 'York' && clientOf(id)!.credit > 5;
    const both = { 'guests.city': 'York', 'guests.credit': { '>': 5 } };
    expect(await getMany(byJson(both))).toEqual(find(({ guests }) => guests.some(isRich)));
    const either = { or: [{ 'client.city': 'Bath' }, { and: [{ 'guests.credit': 11 }, { state: 'open' }] }] };
    expect(await getMany(byJson(either))).toEqual(
      find(
        ({ client, guests, state }) =>
          clientOf(client[0])?.city === 'Bath' || (state === 'open' && guests.includes(clientIds[11]!)),
      ),
    );
  });

  test('a path may go through two connections, and compare with a name', async () => {
    const north = (id: string) => clientIds.indexOf(id) % 2 === 0;
    const expected = find(({ client }) => client.length > 0 && north(client[0]!));
    expect(await getMany(byJson({ 'client → region → title': 'North' }))).toEqual(expected);
    expect(await getMany(byJson({ 'client → region': 'north' }))).toEqual(expected);
  });

  test('without any connected record, nothing matches', async () => {
    expect(await getMany({ ...byForm('client → city', 'Nowhere'), options: { onEmpty: 'none' } })).toEqual(
      [],
    );
    expect(
      getOutput(await env.runRecordOperation('count', jobs, byForm('client → city', 'Nowhere'))),
    ).toEqual([{ count: 0 }]);
  });

  test('Count, Delete Many and the scope of Sync take them', async () => {
    const filter = byForm('client → city|text', 'Leeds');
    expect(getOutput(await env.runRecordOperation('count', jobs, filter))).toEqual([
      { count: listLeeds().length },
    ]);
    const dry = { ...filter, dryRun: true };
    expect(titles(getOutput(await env.runRecordOperation('deleteMany', jobs, dry)))).toEqual(listLeeds());
    const synced = await env.runRecordOperation('sync', jobs, {
      ...dry,
      columns: toColumns({ title: listLeeds()[0] }, ['title']),
      deleteMissing: true,
      options: { dryRun: true },
      maximumDeletions: 100,
    });
    expect(titles(getOutput(synced))).toEqual(listLeeds().slice(1));
  });

  test('exports and components send the IDs of the connected records', async () => {
    const [customer] = [...env.getTable('Customers').records.values()];
    const filter = byForm('customer → email', customer!.email);
    const listed = async (folder: string, resource: string, operation: string, more: object = {}) =>
      getOutput(await runOperation(env, folder, { resource, operation, ...more }));
    const before = env.service.requests.length;
    const templates = await listed('RecordDatabaseImportExport', 'export', 'getAll');
    const templateId = toLocator(String(templates.find(({ name }) => name === 'Orders list')!.id));
    const dataTableId = toLocator(env.getTable('Orders').id);
    await listed('RecordDatabaseImportExport', 'export', 'run', {
      templateId,
      dataTableId,
      wait: false,
      ...filter,
    });
    const pages = await listed('RecordDatabasePages', 'page', 'getAll');
    const pageId = toLocator(String(pages.find(({ name }) => name === 'Customers')!.id));
    const [, child] = await listed('RecordDatabasePages', 'page', 'getChildren', { pageId });
    const place = { pageId, childPageId: toLocator(String(child!.id)) };
    const [component] = await listed('RecordDatabasePages', 'component', 'getAll', place);
    const componentId = toLocator(String(component!.id));
    const found = await listed('RecordDatabasePages', 'component', 'getRecords', {
      ...place,
      componentId,
      ...filter,
    });
    expect(found.every((one) => one.customer_id === customer!.id)).toBe(true);
    const sent = env.service.requests
      .slice(before)
      .map(({ query, body }) => JSON.stringify([query, body]))
      .filter((text) => text.includes('"customer"'));
    expect(sent).toEqual([
      expect.stringContaining(`"val":"${customer!.id}"`),
      expect.stringContaining(`"val":"${customer!.id}"`),
    ]);
  });

  test('a name that several records have means any of them, and a hint says so', async () => {
    const twin = clients.insert({ title: 'C1' }).id;
    const run = await env.runRecordOperation('getAll', jobs, {
      returnAll: true,
      ...byJson({ client: 'C1' }),
    });
    expect(titles(getOutput(run))).toEqual(find(({ client }) => client[0] === clientIds[1]));
    expect(run.getHints('Node').map(({ message }) => message)).toContain(
      'Filter: 2 records have the name "C1". The filter compares "Client" with any of them.',
    );
    clients.delete(twin);
  });

  test('a condition that reaches more than 200 records is refused with the number, and nothing is read with it', async () => {
    const made = range(201).map((n) => clients.insert({ title: `Many ${n}`, city: 'Hull' }).id);
    const before = env.service.requests.length;
    const run = await env.runRecordOperation('deleteMany', jobs, byForm('client → city', 'Hull'));
    expect(run.error?.message).toBe(
      'Filter: the condition on "Client → city" reaches more than 200 records of Clients',
    );
    const paths = env.service.requests.slice(before).map(({ path }) => path);
    expect(paths.filter((path) => path.includes(`${jobs.id}/records`))).toEqual([]);
    clients.delete(made.pop()!);
    jobs.insert({ title: 'Hull job', client: [made[150]] });
    expect(await getMany(byForm('client → city', 'Hull'))).toEqual(['Hull job']);
    for (const id of made) clients.delete(id);
    jobs.delete([...jobs.records.values()].find((one) => one.title === 'Hull job')!.id);
  });

  test.each<[object, string]>([
    [byForm('client → phone', 'x'), 'Filter: the table has no field "phone"'],
    [byForm('title → city', 'x'), 'Filter: the table has no field "title → city"'],
    [byForm('client → city', ''), 'Filter: "Client → City" needs a value for the operator "is"'],
    [byForm('client → city', 1, 'higher than'), 'Filter: "Client → City" has no operator "higher than"'],
  ])('a wrong condition is an error before records are read: %j', async (filter, message) => {
    const before = env.service.requests.length;
    const run = await env.runRecordOperation('deleteMany', jobs, filter);
    expect(run.error?.message).toContain(message);
    const paths = env.service.requests.slice(before).map(({ path }) => path);
    expect(paths.filter((path) => path.endsWith('/records'))).toEqual([]);
  });

  test('random conditions find what a comparison in the test finds', async () => {
    for (let round = 0; round < scaleRuns(200); round++) {
      const key = random.pick(['client', 'guests'] as const);
      const city = random.pick(CITIES);
      const credit = random.nextInt(0, 12);
      const [filter, meets] = random.pick<[object, (id: string) => boolean]>([
        [{ [`${key}.city`]: city }, (id) => clientOf(id)!.city === city],
        [{ [`${key}.city`]: { 'is not': city } }, (id) => clientOf(id)!.city !== city],
        [{ [`${key}.credit`]: { '>=': credit } }, (id) => clientOf(id)!.credit >= credit],
        [
          { [`${key}.credit`]: { '<': credit }, [`${key}.city`]: city },
          (id) => clientOf(id)!.credit < credit && clientOf(id)!.city === city,
        ],
      ]);
      expect([filter, await getMany({ ...byJson(filter), options: { onEmpty: 'none' } })]).toEqual([
        filter,
        find((job) => job[key].some(meets)),
      ]);
    }
  });

  describe('compared with the records', () => {
    const cityOf = (id: string) => clientOf(id)!.city;

    test('"is not" finds records with a connected record that has another value', async () => {
      expect(await getMany(byForm('guests → city|text', 'Leeds', 'is not'))).toEqual(
        find(({ guests }) => guests.some((id) => cityOf(id) !== 'Leeds')),
      );
    });

    test('random filters find what a comparison in the test finds', async () => {
      type Job = { client: string[]; guests: string[]; state: string; ref_no: string };
      type Filter = [filter: object, meets: (job: Job) => boolean];
      const KEYS = ['client', 'guests'] as const;
      /** Conditions of one object: those on one connection are met by one connected record. */
      const createLeaf = (): Filter => {
        const filter: Record<string, unknown> = {};
        const checks: Array<(job: Job) => boolean> = [];
        for (const key of KEYS) {
          const [city, credit] = [random.pick([...CITIES, 'Nowhere']), random.nextInt(0, 12)];
          const [byCity, byCredit, byList] = [0.4, 0.3, 0.2].map((share) => random.nextBoolean(share));
          if (byCity) filter[`${key}.city`] = city;
          else if (byList) filter[`${key}.city`] = [city, 'York'];
          if (byCredit) filter[`${key}.credit`] = credit;
          if (!byCity && !byList && !byCredit) continue;
          const meets = (id: string) =>
            (!byCity || cityOf(id) === city) &&
            (byCity || !byList || [city, 'York'].includes(cityOf(id))) &&
            (!byCredit || clientOf(id)!.credit === credit);
          checks.push((job) => job[key].some(meets));
        }
        if (checks.length === 0 || random.nextBoolean(0.3)) {
          const value = random.pick(['open', 'done']);
          // The name of a field may look as if it went through a connection.
          const [name, slug] = random.pick([['State', 'state'] as const, ['Ref. No.', 'ref_no'] as const]);
          filter[name] = value;
          checks.push((job) => job[slug] === value);
        }
        return [filter, (job) => checks.every((meets) => meets(job))];
      };
      const create = (depth: number): Filter => {
        const form = depth > 0 ? random.pick(['leaf', 'or', 'and']) : 'leaf';
        if (form === 'leaf') return createLeaf();
        const [filter, meets] = create(depth - 1);
        const [other, meetsOther] = create(depth - 1);
        if (form === 'or') return [{ or: [filter, other] }, (job) => meets(job) || meetsOther(job)];
        // Each object is a group of its own. In one group, a connected record would have to meet both.
        const never = { title: 'nobody' };
        const groups = [filter, other].map((one) => ({ or: [one, never] }));
        return [{ and: groups }, (job) => meets(job) && meetsOther(job)];
      };
      for (let round = 0; round < scaleRuns(200); round++) {
        const [filter, meets] = create(3);
        const found = await getMany({ ...byJson(filter), options: { onEmpty: 'none' } });
        expect([filter, found]).toEqual([filter, find(meets)]);
      }
    });
  });

  test('the editor offers the fields of connected tables, with the operators and inputs of their kinds', async () => {
    const open = (operation: string, field?: string) =>
      createNode('Node', TYPE, {
        resource: 'record',
        operation,
        dataTableId: toLocator(jobs.id),
        conditions: { items: [{ field }] },
      });
    const offered = (await env.engine.loadOptions(open('getAll'), 'getFilterFields')) as Array<{
      name: string;
      value: string;
    }>;
    expect(offered).toContainEqual({ name: 'Client → City (Text)', value: 'client → city|text' });
    expect(offered).toContainEqual({ name: 'Client → Credit (Number)', value: 'client → credit|number' });
    const choices = await env.engine.loadOptions(open('batchUpdate'), 'getFilterFields');
    expect(JSON.stringify(choices)).not.toContain('→');
    const listExplained = async (field: string) => {
      const path = 'parameters.conditions.items[0].operator';
      const operators = await env.engine.loadOptions(open('getAll', field), 'getFilterOperators', { path });
      const isExplained = ({ description }: { description?: string }) =>
        /connected record/.test(description ?? '');
      return operators.filter(isExplained).map(({ value }) => value);
    };
    expect(await listExplained('client → city|text')).toEqual(['is not', 'is not exact', 'does not contain']);
    expect(await listExplained('state|text')).toEqual([]);
  });

  test('an agent filters by them', async () => {
    const node = { resource: 'record', operation: 'getAll', dataTableId: toLocator(jobs.id) };
    const found = await runOperation(env, 'RecordDatabase', {
      ...node,
      returnAll: true,
      ...byJson({ 'Client → City': 'Leeds' }),
    });
    expect(titles(getOutput(found))).toEqual(listLeeds());
  });
});
