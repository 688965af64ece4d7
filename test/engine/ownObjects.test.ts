import { skipWaits } from '../environment/skipWaits';
import type { Run } from '../harness';
import { createSeed, scaleSize } from '../randomness';
import { createRecordWorkflow, pollOnce } from './polling/support';
import { createObject, withNeededObject } from './support/neededObjects';
import { createContractCases, findSampleIds, runOperation } from './support/runOperation';
import { AUTO_MAP, toColumns } from './support/testEnvironment';
import { useTestEnvironment } from './support/useTestEnvironment';

/**
 * n8n hands items to the next node by reference: a node that changes an object in one item must not change another item,
 * an item of a later run, or what the package keeps in memory.
 */

skipWaits();
const env = useTestEnvironment();

type Output = [name: string, json: object];

/** Lists the objects and lists of a value, with their paths. */
function listObjects(value: unknown, path: string): Array<[object: object, path: string]> {
  if (typeof value !== 'object' || value === null) return [];
  return [
    [value, path],
    ...Object.entries(value).flatMap(([key, one]) => listObjects(one, `${path}.${key}`)),
  ];
}

/** Lists the objects that stand in several places of items. */
function listShared(outputs: Output[]): string[] {
  const places = new Map<object, string>();
  return outputs.flatMap(([name, json]) =>
    listObjects(json, name).flatMap(([object, path]) => {
      const other = places.get(object);
      places.set(object, path);
      return other === undefined ? [] : `${other} is ${path}`;
    }),
  );
}

const listOutputs = (name: string, run: Run): Output[] => {
  if (run.error) throw new Error(`${name}: ${run.error.message}`);
  return run
    .getItems('Node')
    .map(({ json, binary = {} }, index) => [`${name} [${index}]`, { ...json, ...binary }]);
};

let number = 0;
const INPUT = [{ json: {} }, { json: {} }];

test('two runs of each operation that reads share no object, with two items each', async () => {
  const cases = createContractCases(env, await findSampleIds(env));
  const shared: string[] = [];
  let count = 0;
  const isDrawn = (index: number) => index % 3 === createSeed() % 3;
  for (const [index, { name, type, operation, parameters }] of cases.entries()) {
    if (operation.writes || scaleSize(!isDrawn(index), false)) continue;
    const given = await withNeededObject(parameters, (kind) => createObject(env, kind));
    const hasForms = JSON.stringify(operation.parameters ?? []).includes('"value":"slugs"');
    const forms = ['slugs', 'names', 'off'];
    const drawn = scaleSize([forms[number++ % 3]], forms);
    for (const simplify of hasForms ? drawn : [undefined]) {
      const outputs: Output[] = [];
      for (let n = 0; n < 2; n++) {
        const run = await runOperation(env, type, { ...given, ...(simplify && { simplify }) }, INPUT);
        outputs.push(...listOutputs(`${name} ${simplify} ${n}`, run));
      }
      count += outputs.length;
      shared.push(...listShared(outputs).slice(0, 3));
    }
  }
  expect(shared).toEqual([]);
  expect(count).toBeGreaterThan(scaleSize(50, 500));
});

const TITLE = { name: 'Title', type: 'Text' } as const;
const NESTED = [
  { name: 'Person', type: 'Name' },
  { name: 'Home', type: 'Address' },
  { name: 'Tags', type: 'Multi-select', options: ['a', 'b'] },
  { name: 'Scan', type: 'File' },
  { name: 'Stay', type: 'Date Range' },
] as const;
const values = (title: string) => ({
  title,
  person: { title: '', first_name: 'Ada', middle_name: '', last_name: 'Byron' },
  home: { address: '', address2: '', city: 'Leeds', state: '', zip: '', country: '' },
  tags: ['a', 'b'],
  scan: { name: 'a.txt', url: 'https://files.example.com/a.txt' },
  stay: { start: '2025-03-01 09:00:00', end: '2025-03-01 10:00:00' },
});
/** Adds two jobs of one client. */
function addTables() {
  number++;
  const clients = env.service.addTable({ name: `Clients ${number}`, fields: [TITLE, ...NESTED] });
  const to = clients.name;
  const jobs = env.service.addTable({
    name: `Jobs ${number}`,
    fields: [
      TITLE,
      ...NESTED,
      { name: 'Client', type: 'Connection', to, many: false },
      { name: 'Guests', type: 'Connection', to },
    ],
  });
  const client = clients.insert(values('Ada')).id;
  const ids = ['J', 'J'].map(
    (title) => jobs.insert({ ...values(title), client: [client], guests: [client] }).id,
  );
  return { clients, jobs, client, ids };
}

const connectedFields = ['person', 'home', 'tags', 'scan', 'stay'].flatMap((field) => [
  `client → ${field}`,
  `guests → ${field}`,
]);

describe.each(scaleSize(['slugs', 'off'], ['slugs', 'names', 'off']))(
  'records share no object, with Simplify %s',
  (simplify) => {
    const FILTER = { filterMode: 'json', filterJson: '{"title": "J"}' };
    const KEY = { columns: toColumns({ title: 'J' }, ['title']) };
    const nested = { list: [{ a: 1 }] };
    const createBinary = () => ({ data: { data: 'YQ==', mimeType: 'text/plain', fileName: 'a.txt' } });
    const deletion = { deleteMissing: true, maximumDeletions: '100%', ...FILTER };

    test.each<[string, object, Array<{ json: object; binary?: object }>]>([
      ['get', { options: { connectedFields } }, INPUT],
      ['getAll', { returnAll: true, options: { connectedFields } }, INPUT],
      [
        'lookUp',
        { ...KEY, options: { onSeveral: 'all' } },
        [
          { json: { nested }, binary: createBinary() },
          { json: {}, binary: createBinary() },
        ],
      ],
      ['create', { columns: AUTO_MAP }, [{ json: values('C') }, { json: values('C') }]],
      ['update', { columns: toColumns({ title: 'J' }) }, INPUT],
      ['update', { columns: AUTO_MAP }, ['Leeds', 'York'].map((city) => ({ json: { home: { city } } }))],
      [
        'undo',
        { dryRun: true },
        ['A1b2C3d4E5', 'B1b2C3d4E5'].map((id) => ({ json: { _action: 'deleted', id, ...values('U') } })),
      ],
      [
        'undo',
        { dryRun: false },
        ['A1b2C3d4E5', 'B1b2C3d4E5'].map((id) => ({ json: { _action: 'deleted', id, ...values('U') } })),
      ],
      ['upsert', { ...KEY, options: { onSeveral: 'all' } }, INPUT],
      [
        'batchUpdate',
        { ...FILTER, columns: toColumns({ title: 'K' }), options: { returnOldRecords: true } },
        INPUT,
      ],
      ['deleteMany', { ...FILTER, options: { dryRun: true } }, INPUT],
      [
        'sync',
        { columns: { ...AUTO_MAP, matchingColumns: ['title'] }, options: { dryRun: true } },
        [{ json: values('L') }, { json: values('M') }],
      ],
      [
        'sync',
        { columns: { ...AUTO_MAP, matchingColumns: ['title'] }, options: { dryRun: false }, ...deletion },
        [{ json: values('L') }, { json: values('M') }],
      ],
    ])('%s %j', async (operation, parameters, input) => {
      const { jobs, ids } = addTables();
      const outputs: Output[] = [];
      for (let n = 0; n < 2; n++) {
        const run = await env.runRecordOperation(
          operation,
          jobs,
          { recordId: ids[0], simplify, ...parameters },
          structuredClone(input),
        );
        outputs.push(...listOutputs(`run ${n}`, run));
      }
      expect(outputs.length).toBeGreaterThan(1);
      expect(listShared(outputs)).toEqual([]);
    });
  },
);

describe.each(['record', 'namedRecord'])('records that are polled share no object, as %s', (output) => {
  test('with their connected records', async () => {
    const { clients, jobs, client } = addTables();
    const trigger = await env.engine.activate(
      createRecordWorkflow(jobs, {
        triggerOn: 'recordCreatedUpdatedOrDeleted',
        output,
        options: { connectedFields },
      }),
    );
    await pollOnce(trigger);
    const outputs: Output[] = [];
    for (let n = 0; n < 2; n++) {
      for (const record of jobs.records.values()) jobs.update(record.id, { title: `T ${n}` });
      for (const title of ['N', 'N']) jobs.insert({ ...values(title), client: [client], guests: [client] });
      const items = (await pollOnce(trigger)) ?? [];
      outputs.push(...items.map((json, index): Output => [`poll ${n} [${index}]`, json]));
    }
    await trigger.deactivate();
    expect(clients.records.size).toBe(1);
    expect(outputs.length).toBeGreaterThan(5);
    expect(listShared(outputs)).toEqual([]);
  });
});

test('items of one error share no object', async () => {
  const cases = createContractCases(env, await findSampleIds(env));
  const { type, parameters } = cases.find(({ name }) => name.includes('import runItems'))!;
  const outputs: Output[] = [];
  for (let n = 0; n < 2; n++) {
    // The second upload is refused as a whole: both of its rows have the e-mail address of the first one.
    const run = await runOperation(env, type, parameters, INPUT, { onError: 'continueRegularOutput' });
    outputs.push(...listOutputs(`run ${n}`, run));
  }
  expect(outputs.filter(([, json]) => 'details' in json).length).toBeGreaterThan(1);
  expect(listShared(outputs)).toEqual([]);
});
