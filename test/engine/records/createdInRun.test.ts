import { sortBy } from 'lodash';
import { skipWaits } from '../../environment/skipWaits';
import { createSeed, scaleSize } from '../../randomness';
import type { Table } from '../../service';
import type { FieldDefinition } from '../../service/data/field';
import { Random } from '../../service/state/random';
import { AUTO_MAP, getOutput, TestEnvironment, toLocator } from '../support/testEnvironment';

skipWaits();

/** Later items of a run meet records that earlier items, or Create Missing, have created. */

const TEXT = (name: string): FieldDefinition => ({ name, type: 'Text' });
const CREATE_MISSING = { connectedRecords: 'detectOrCreate' };

describe.each(['documented', 'met'] as const)('%s', (profile) => {
  const env = new TestEnvironment();
  let count = 0;
  beforeAll(() => env.start({ profile, sample: 'empty' }));
  afterAll(() => env.stop());
  afterEach(() => {
    env.service.faults.clear();
    expect(env.takeViolations()).toEqual([]);
  });

  /** A table whose records connect to each other. */
  const addPeople = ({ unique = false } = {}): Table => {
    const name = `People ${++count}`;
    const boss: FieldDefinition = { name: 'Boss', type: 'Connection', to: name, many: false };
    return env.service.addTable({ name, fields: [{ ...TEXT('Name'), unique }, TEXT('Title'), boss] });
  };
  const run = (operation: string, table: Table, input: object[], options: object = {}) =>
    env.runRecordOperation(
      operation,
      table,
      { columns: { ...AUTO_MAP, matchingColumns: ['name'] }, options, recordId: '={{ $json.id }}' },
      input,
    );
  const find = (table: Table, name: string) =>
    [...table.records.values()].filter((record) => record.name === name);

  test.each(
    ['create', 'upsert', 'sync'].flatMap((operation) => [1, 2].map((count) => [operation, count] as const)),
  )(
    '%s of %i shows the text of a connected record that it has created, which can be written back',
    async (operation, count) => {
      const people = addPeople();
      const input = ['Ann', 'Ben'].slice(0, count).map((name) => ({ name, boss: 'Zoe' }));
      const output = getOutput(await run(operation, people, input, CREATE_MISSING));
      const [{ id } = { id: '' }, ...others] = find(people, 'Zoe');
      expect(others).toEqual([]);
      expect(output).toMatchObject(input.map((values) => ({ ...values, boss_id: id })));
      expect(getOutput(await run('update', people, output))).toMatchObject(
        input.map(() => ({ _action: 'unchanged' })),
      );
    },
  );

  test('Create or Update connects a record to the one of an earlier item', async () => {
    const people = addPeople();
    const output = getOutput(await run('upsert', people, [{ name: 'Bob' }, { name: 'Zed', boss: 'Bob' }]));
    expect(output).toMatchObject([{ _action: 'created' }, { _action: 'created', boss: 'Bob' }]);
    expect(find(people, 'Zed')[0]!.boss).toEqual([find(people, 'Bob')[0]!.id]);
  });

  const random = new Random(createSeed());
  const PEOPLE = Array.from({ length: scaleSize(21, 60) }, (_, n) => `Person ${n}`);
  /** The bosses of a tree, of random pairs and of a circle. */
  const BOSSES: Array<[shape: string, boss: (n: number) => string]> = [
    ['tree', (n) => (n === 0 ? '' : PEOPLE[Math.floor((n - 1) / 3)]!)],
    ['random', () => random.pick(PEOPLE)],
    ['circle', (n) => PEOPLE[(n + 1) % PEOPLE.length]!],
    ['itself', (n) => PEOPLE[n]!],
  ];

  test.each(
    ['upsert', 'sync'].flatMap((operation) =>
      BOSSES.flatMap(([shape, getBoss]) =>
        [false, true].map((unique) => ({ operation, shape, getBoss, unique })),
      ),
    ),
  )(
    '$operation makes one record for each name: $shape, unique $unique',
    async ({ operation, getBoss, unique }) => {
      const people = addPeople({ unique });
      const input = sortBy(
        PEOPLE.map((name, n) => ({ name, title: `T${n}`, boss: getBoss(n) })),
        () => random.next(),
      );
      getOutput(await run(operation, people, input, CREATE_MISSING));
      const getName = (id: string) => people.records.get(id)?.name;
      const stored = [...people.records.values()].map(({ name, title, boss }) => ({
        name,
        title,
        boss: (boss as string[]).map(getName).join(),
      }));
      expect(sortBy(stored, 'name')).toEqual(sortBy(input, 'name'));
    },
  );

  test('Create finds the records of earlier items', async () => {
    const people = addPeople();
    const input = PEOPLE.map((name, n) => ({ name, boss: n === 0 ? '' : PEOPLE[n - 1] }));
    getOutput(await run('create', people, input, CREATE_MISSING));
    expect([...people.records.values()].map(({ name }) => name)).toEqual(PEOPLE);
  });

  test.each(['upsert', 'sync'])(
    '%s finds its own record although the lists of the service lag',
    async (operation) => {
      const people = addPeople();
      env.service.faults.add({
        when: { pattern: new RegExp(`${people.id}/records($|\\?)`), method: 'GET' },
        fault: {
          type: 'status',
          status: 200,
          body: { type: 'success', items: [], total_items: 0, total_pages: 0 },
        },
        times: 99,
      });
      getOutput(await run(operation, people, [{ name: 'Zoe', boss: 'Zoe' }], CREATE_MISSING));
      expect(find(people, 'Zoe')).toHaveLength(1);
    },
  );

  test.each([
    ['upsert', 'create'],
    ['sync', 'create'],
    ['upsert', 'sync'],
    ['sync', 'sync'],
  ])('%s and %s at the same time make one record for each name', async (one, other) => {
    const people = addPeople();
    const boss: FieldDefinition = { name: 'Boss', type: 'Connection', to: people.name, many: false };
    const jobs = env.service.addTable({ name: `Jobs ${count}`, fields: [TEXT('Name'), boss] });
    const names = PEOPLE.slice(0, 20);
    const runs = await Promise.all([
      run(
        one,
        people,
        names.map((name) => ({ name, boss: '' })),
        CREATE_MISSING,
      ),
      run(
        other,
        jobs,
        names.map((boss, n) => ({ name: `Job ${n}`, boss })),
        CREATE_MISSING,
      ),
    ]);
    runs.forEach(getOutput);
    expect([...people.records.values()].map(({ name }) => name).sort()).toEqual([...names].sort());
  });

  test('two syncs at the same time make one record for each key, also with connections to create', async () => {
    const people = addPeople();
    const boss: FieldDefinition = { name: 'Boss', type: 'Connection', to: people.name, many: false };
    const jobs = env.service.addTable({ name: `Jobs ${count}`, fields: [TEXT('Name'), boss] });
    const input = PEOPLE.slice(0, 20).map((name, n) => ({ name: `Job ${n}`, boss: name }));
    await Promise.all([run('sync', jobs, input, CREATE_MISSING), run('upsert', jobs, input, CREATE_MISSING)]);
    expect(jobs.records.size).toBe(20);
    expect(people.records.size).toBe(20);
  });

  test('a record that Create Missing has created is read before a later item updates it', async () => {
    const people = addPeople();
    const others = Array.from({ length: 60 }, (_, index) => ({ name: `Person ${index}` }));
    const input = [{ name: 'Ada', boss: 'Bob' }, ...others, { name: 'Bob', title: 'Chief' }];
    const last = getOutput(await run('upsert', people, input, CREATE_MISSING)).at(-1)!;
    expect(last).toMatchObject({ _action: 'updated', _before: { title: '' } });
    const undo = { dataTableId: toLocator(people.id), dryRun: false };
    getOutput(await env.runRecordOperation('undo', people, undo, [last]));
    expect(find(people, 'Bob')[0]!.title).toBe('');
  });

  test('extra blanks in the key of a later item do not become those of the record', async () => {
    const people = addPeople();
    await run('upsert', people, [
      { name: 'A-1', title: 'first' },
      { name: 'A-1 ', title: 'second' },
    ]);
    await run('upsert', people, [{ name: 'A-1', title: 'third' }]);
    expect([...people.records.values()]).toMatchObject([{ name: 'A-1', title: 'third' }]);
  });

  test('after a create with an unknown outcome, no later item creates the connected record', async () => {
    const people = addPeople();
    const isCreate = { method: 'POST' as const, pattern: new RegExp(`${people.id}/records$`) };
    // The service carries the create out later.
    env.service.faults.add({ when: isCreate, fault: { type: 'reset', when: 'before' } });
    const input = ['Ann', 'Ben', 'Cid'].map((name) => ({ name, boss: 'Zoe' }));
    const parameters = { columns: AUTO_MAP, options: CREATE_MISSING };
    const extra = { onError: 'continueRegularOutput' } as const;
    const output = getOutput(await env.runRecordOperation('create', people, parameters, input, extra));
    expect(output).toHaveLength(3);
    for (const { error } of output) expect(error).toContain('Outcome unknown');
    expect(people.records.size).toBe(0);
  });

  test('a text beside the ID of a record without a name is one that the record shows', async () => {
    const towns = env.service.addTable({ name: `Towns ${++count}`, fields: [TEXT('Name'), TEXT('Code')] });
    const town: FieldDefinition = { name: 'Town', type: 'Connection', to: towns.name, many: false };
    const visits = env.service.addTable({ name: `Visits ${count}`, fields: [TEXT('Name'), town] });
    const { id } = towns.insert({ name: '', code: 'T-1' });
    const create = (text: string) => run('create', visits, [{ name: 'v', town: text, town_id: id }]);
    expect(getOutput(await create('T-1'))).toMatchObject([{ town_id: id }]);
    expect((await create('Ghost')).error?.message).toContain('"Town" is "Ghost", and its ID is');
    expect(visits.records.size).toBe(1);
  });

  test('a date object is no value of a field with parts', async () => {
    const fields: FieldDefinition[] = [TEXT('Name'), { name: 'When', type: 'Calendar' }];
    const events = env.service.addTable({ name: `Events ${++count}`, fields });
    const { error } = await run('create', events, [{ name: 'a', when: new Date(0) }]);
    expect(error?.message).toContain('"When" cannot take');
    expect(events.records.size).toBe(0);
  });
});
