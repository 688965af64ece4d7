import { isEqual, omit, range } from 'lodash';
import { chainNodes, createNode } from '../../harness';
import { createSeed, scaleRuns, scaleSize } from '../../randomness';
import type { Table } from '../../service';
import { Random } from '../../service/state/random';
import { AUTO_MAP, getOutput, START, TestEnvironment, toLocator, TYPE } from '../support/testEnvironment';

/**
 * A record has the text and the ID of a connection. An item may hold both, edited or from another system: they agree, or
 * nothing is written and an error says so. IDs of the service as it is met exist in every table (evidence 7).
 */

type Item = Record<string, unknown>;

describe.each(['documented', 'met'] as const)('%s', (profile) => {
  const env = new TestEnvironment();
  let towns: Table;
  let visits: Table;
  let townIds: string[];
  beforeAll(async () => {
    await env.start({ profile, sample: 'empty' });
    const title = { name: 'Title', type: 'Text' } as const;
    towns = env.service.addTable({ name: 'Towns', fields: [title] });
    visits = env.service.addTable({
      name: 'Visits',
      fields: [
        title,
        { name: 'Town', type: 'Connection', to: 'Towns', many: false },
        { name: 'Stops', type: 'Connection', to: 'Towns' },
      ],
    });
    townIds = ['Bath', 'Wells', 'Ely', ''].map((name) => towns.insert({ title: name }).id);
    await useNewKey();
  });
  afterAll(() => env.stop());
  afterEach(() => {
    env.service.faults.clear();
    expect(env.takeViolations()).toEqual([]);
  });

  /** Uses another key, for which no answer is known. */
  const useNewKey = async () => {
    const { appKey, appSecret } = env.service.addKey();
    await env.setCredentialFields({ appKey, appSecret });
  };
  const addVisit = (values: Item = {}) =>
    visits.insert({ title: 'V', town: [townIds[0]], stops: [townIds[0], townIds[1]], ...values }).id;
  const stored = (id: string) => visits.records.get(id)!;
  const readAll = async () =>
    getOutput(await env.runRecordOperation('getAll', visits, { returnAll: true })) as Item[];
  const readVisit = async (id: string) => (await readAll()).find((one) => one.id === id)!;
  const write = (operation: string, items: Item[], options: object = {}) =>
    env.runRecordOperation(
      operation,
      visits,
      { ...(operation === 'update' && { recordId: '={{ $json.id }}' }), columns: AUTO_MAP, options },
      items,
    );
  /** Requests for towns since `before`. */
  const countTownRequests = (before: number) =>
    env.service.requests.slice(before).filter(({ path }) => path.includes(`${towns.id}/records`)).length;
  /** Writes since `before`. */
  const countWrites = (before: number) =>
    env.service.requests
      .slice(before)
      .filter(
        ({ method, intent, path }) => method === 'POST' && intent !== 'list' && path.includes(visits.id),
      ).length;

  test.each<[string, Item]>([
    ['another name', { town: 'Wells' }],
    ['an empty text', { town: '' }],
    ['null', { town: null }],
    ['an empty list', { stops: [] }],
    ['one less', { stops: ['Bath'] }],
    ['one replaced', { stops: ['Bath', 'Ely'] }],
    ['a name that no record has', { town: 'Nowhere' }],
  ])('an edit of the text alone is an error before anything is sent: %s', async (_, edit) => {
    const id = addVisit();
    const read = await readVisit(id);
    const before = env.service.requests.length;
    const { error } = await write('update', [{ ...read, ...edit }]);
    const [[key, text]] = Object.entries(edit) as [[string, unknown]];
    expect(error?.message).toContain(`"${key === 'town' ? 'Town' : 'Stops'}" is `);
    expect(error?.message).toContain(', and its ID is ');
    expect(error?.message).toContain(`is ${typeof text === 'string' ? JSON.stringify(text) : ''}`);
    expect(error).toMatchObject({ description: expect.stringContaining(`remove "${key}_id"`) as string });
    expect(countWrites(before)).toBe(0);
  });

  test.each<[string, (read: Item) => Item, Item]>([
    ['the text without the ID', (read) => ({ ...omit(read, 'town_id'), town: 'wells' }), { town: 1 }],
    ['the ID without the text', (read) => ({ ...omit(read, 'town'), town_id: townIds[2] }), { town: 2 }],
    ['both', (read) => ({ ...read, town: 'Wells', town_id: townIds[1] }), { town: 1 }],
    ['both emptied', (read) => ({ ...read, town: null, town_id: null }), {}],
    ['a record without a text', (read) => ({ ...read, town: '', town_id: townIds[3] }), { town: 3 }],
  ])('an edit takes effect: %s', async (_, edit, { town }) => {
    const id = addVisit();
    const read = await readVisit(id);
    expect(getOutput(await write('update', [edit(read)]))).toMatchObject([{ _action: 'updated' }]);
    expect(stored(id).town).toEqual(town === undefined ? [] : [townIds[town as number]]);
  });

  test('records that were read cost no request for connected records when they are written back', async () => {
    range(20).forEach((index) => addVisit({ title: `R ${index}` }));
    const { length } = await readAll();
    for (const operation of ['update', 'create']) {
      const before = env.service.requests.length;
      const parameters = { resource: 'record', dataTableId: toLocator(visits.id) };
      const read = createNode('Read', TYPE, { ...parameters, operation: 'getAll', returnAll: true });
      const toWrite = { ...parameters, operation, recordId: '={{ $json.id }}', columns: AUTO_MAP };
      const written = createNode('Node', TYPE, toWrite);
      const run = await env.engine.run(chainNodes(START, read, written));
      expect([operation, getOutput(run).length, countTownRequests(before)]).toEqual([operation, length, 0]);
      expect(countWrites(before)).toBe(operation === 'update' ? 0 : length);
    }
  });

  test('many items with pairs that no answer showed take at most 10 requests', async () => {
    const count = scaleSize(70, 400);
    const pairs = scaleSize(55, 300);
    const made = range(pairs).map((index) => towns.insert({ title: `Town ${index}` }));
    const items = range(count).map((index) => {
      const { id, title } = made[index % pairs]!;
      return { title: `New ${index}`, town: title, town_id: id };
    });
    await useNewKey();
    const before = env.service.requests.length;
    const written = getOutput(await write('create', items));
    expect(written).toHaveLength(count);
    expect(countTownRequests(before)).toBeLessThanOrEqual(10);
    expect(new Set(written.map(({ town_id: id }) => id)).size).toBe(pairs);
    for (const { id } of written) visits.delete(String(id));
    for (const { id } of made) towns.delete(id);
  }, 120_000);

  test('a value without the form of an ID is none: the text is tried', async () => {
    await useNewKey();
    const before = env.service.requests.length;
    const [created] = getOutput(await write('create', [{ title: 'A', town: 'Wells', town_id: 4711 }]));
    expect(created).toMatchObject({ town: 'Wells', town_id: townIds[1] });
    expect(JSON.stringify(env.service.requests.slice(before).map(({ path }) => path))).not.toContain('4711');
    for (const item of [{ town: 'Nowhere', town_id: 4711 }, { town: '', town_id: 4711 }, { town_id: 4711 }]) {
      const { error } = await write('create', [{ title: 'A', ...item }]);
      expect(error?.message).toContain('Towns has no record');
    }
  });

  test('a text that cannot be looked up is not compared: the ID counts, and a hint says so', async () => {
    await useNewKey();
    const pattern = new RegExp(towns.id);
    env.service.faults.add({ when: { pattern }, times: 100, fault: { type: 'status', status: 403 } });
    const run = await write('create', [{ title: 'A', town: 'Whatever', town_id: townIds[1] }]);
    expect(getOutput(run)).toMatchObject([{ town_id: townIds[1] }]);
    expect(run.getHints('Node')[0]?.message).toBe(
      '"Town": texts could not be looked up, so they were not compared with their IDs. The records with these IDs are used.',
    );
  });

  test('a text that was emptied is an error also if no answer showed the record', async () => {
    await useNewKey();
    const { error } = await write('create', [{ title: 'A', town: '', town_id: townIds[1] }]);
    expect(error?.message).toContain(`"Town" is "", and its ID is "${townIds[1]}", which is "Wells"`);
  });

  test('Names Only takes the text, IDs Only the ID, and neither compares', async () => {
    const wrong = { title: 'A', town: 'Wells', town_id: townIds[2], stops: ['Ely'], stops_id: townIds };
    const [byName] = getOutput(await write('create', [wrong], { connectedRecords: 'names' }));
    expect(byName).toMatchObject({ town_id: townIds[1], stops_id: [townIds[2]] });
    const before = env.service.requests.length;
    const [byId] = getOutput(await write('create', [wrong], { connectedRecords: 'ids' }));
    expect(byId).toMatchObject({ town_id: townIds[2], stops_id: townIds });
    // Only whether records have the IDs is asked.
    expect(countTownRequests(before)).toBe(2);
  });

  test('random edits take effect or are errors', async () => {
    const random = new Random(createSeed());
    const pick = <T>(values: readonly T[]): T => random.pick(values);
    const nameOf = (id: string) => String(towns.records.get(id)!.title);
    const EDITS: Array<(read: Item) => Item> = [
      (read) => read,
      (read) => ({ ...read, town: pick(['Bath', 'Wells', 'Ely', 'Nowhere', '', null, 4711]) }),
      (read) => ({
        ...read,
        stops: pick([[], ['Bath'], ['Wells', 'Bath'], ['Bath', 'Ely'], 'Bath, Wells', null]),
      }),
      (read) => ({ ...read, town_id: pick([...townIds, '', null, 4711]) }),
      (read) => ({
        ...read,
        stops_id: pick([[], townIds.slice(0, 1), townIds.slice(1, 3), townIds.join(', ')]),
      }),
      (read) => omit(read, 'town'),
      (read) => omit(read, 'town_id'),
      (read) => omit(read, 'stops'),
      (read) => omit(read, 'stops_id'),
    ];
    const listIds = (value: unknown) =>
      (Array.isArray(value) ? (value as unknown[]) : String(value ?? '').split(','))
        .map((one) => String(one).trim())
        .filter(Boolean);
    /** Whether a record is connected as the item says, in each notation that it uses. */
    const agrees = (item: Item, key: string, ids: string[]): boolean => {
      const texts = ids.map(nameOf);
      const given =
        key in item
          ? Array.isArray(item[key])
            ? (item[key] as unknown[])
            : key === 'town'
              ? [item[key]]
              : listIds(item[key])
          : undefined;
      const wanted = given?.map((one) => String(one ?? '').trim());
      // The order of connected records means nothing: a list in another order is unchanged.
      const isSame = (some: string[], others: string[]) =>
        isEqual(some.filter(Boolean).sort(), others.filter(Boolean).sort());
      const sameText = !wanted || isSame(wanted, texts);
      const givenIds =
        `${key}_id` in item ? listIds(item[`${key}_id`]).filter((one) => one !== '4711') : undefined;
      return sameText && (!givenIds?.length || isSame(givenIds, ids));
    };
    for (let round = 0; round < scaleRuns(400); round++) {
      if (pick([true, false, false])) await useNewKey();
      const id = addVisit({ town: pick([[], ...townIds.map((one) => [one])]), title: `P ${round}` });
      const read = await readVisit(id);
      const edited = { ...pick(EDITS)(pick(EDITS)(read)), title: `Q ${round}` };
      if (pick([true, false])) await useNewKey();
      const before = structuredClone(stored(id));
      const { error } = await write('update', [edited]);
      const { town, stops, title } = stored(id) as unknown as {
        town: string[];
        stops: string[];
        title: string;
      };
      const isEdited = ['town', 'town_id', 'stops', 'stops_id'].some(
        (key) => (edited as Item)[key] !== read[key],
      );
      const takesEffect =
        title === `Q ${round}` && agrees(edited, 'town', town) && agrees(edited, 'stops', stops);
      const isRefused = isEdited && error !== undefined && isEqual(stored(id), before);
      expect({
        edited,
        read,
        error: error?.message,
        town,
        stops,
        isRight: error ? isRefused : takesEffect,
      }).toMatchObject({
        isRight: true,
      });
    }
  });
});
