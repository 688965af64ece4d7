/** What an expression does not find is refused by name, wherever leaving the field empty means something. */
import { runOperation, sampleIds } from './cases';
import { byId, columns, outputOf, World } from './support';

let world: World;
let ids: Record<string, string>;
beforeAll(async () => {
  world = await World.start();
  ids = await sampleIds(world);
});
afterAll(() => world.stop());
afterEach(() => expect(world.violations()).toEqual([]));

const NOTHING = '={{ $json.no }}';

type Case = [folder: string, parameters: () => object, name: string, message: string];

const CASES: Case[] = [
  [
    'RecordDatabaseImportExport',
    () => ({ resource: 'export', operation: 'run', templateId: byId(ids.templateId!) }),
    'columns',
    'Columns cannot be',
  ],
  ['RecordDatabaseUsers', () => ({ resource: 'role', operation: 'getAll' }), 'roles', 'Roles cannot be'],
  [
    'RecordDatabasePages',
    () => ({ resource: 'page', operation: 'getChildren', pageId: byId(ids.pageId!) }),
    'childIds',
    'Child IDs cannot be',
  ],
];

describe.each(CASES)('%s', (folder, parameters, name, message) => {
  test.each([NOTHING, '={{ null }}', '={{ [$json.no] }}', "={{ [null, ''] }}"])(
    `${name}: %s`,
    async (value) => {
      const before = world.service.requests.length;
      const run = await runOperation(world, folder, { ...parameters(), [name]: value });
      expect(run.error?.message).toContain(message);
      expect(world.service.requests).toHaveLength(before);
    },
  );

  test.each([[[]], ['={{ [] }}'], ['']])(`${name}: %j means all`, async (value) => {
    outputOf(await runOperation(world, folder, { ...parameters(), [name]: value }));
  });
});

const PICKERS: Array<[folder: string, parameters: object, name: string, message: string]> = [
  ['RecordDatabasePages', { resource: 'page', operation: 'getAll' }, 'layout', 'Layout'],
  ['RecordDatabaseImportExport', { resource: 'import', operation: 'getAll' }, 'dataTableId', 'Table ID'],
  ['RecordDatabase', { resource: 'webhook', operation: 'getAll' }, 'dataTableId', 'Table ID'],
];

test.each(PICKERS)('%s %j', async (folder, parameters, name, label) => {
  const given = (value: string) => (name === 'layout' ? value : byId(value));
  for (const value of [NOTHING, '={{ null }}', "={{ '' }}"]) {
    const before = world.service.requests.length;
    const run = await runOperation(world, folder, { ...parameters, [name]: given(value) });
    expect(run.error?.message).toBe(`${label}: the expression has found nothing`);
    expect(world.service.requests).toHaveLength(before);
  }
  outputOf(await runOperation(world, folder, { ...parameters, [name]: given('') }));
});

test.each([NOTHING, '={{ null }}', '={{ [$json.no] }}'])('columns to return: %s', async (value) => {
  const customers = world.table('Customers');
  const run = await world.records('getAll', customers, { options: { columns: value } });
  expect(run.error?.message).toContain('Columns to Return cannot be');
  const all = await world.records('getAll', customers, { limit: 1, options: { columns: [] } });
  expect(outputOf(all)[0]).toHaveProperty('company');
});

test('an object is no ID', async () => {
  const before = world.service.requests.length;
  const object = { resource: 'task', operation: 'getExecution', taskQueueId: '={{ ({ a: 1 }) }}' };
  const run = await runOperation(world, 'RecordDatabaseTasks', object);
  expect(run.error?.message).toBe('Task Queue ID cannot be {"a":1}');
  const component = { pageId: byId(ids.pageId!), componentId: byId(ids.componentId!) };
  const save = { resource: 'component', operation: 'save', ...component, recordId: '={{ ({ a: 1 }) }}' };
  const saved = await runOperation(world, 'RecordDatabasePages', {
    ...save,
    columns: columns({ company: 'x' }),
  });
  expect(saved.error?.message).toBe('Record ID cannot be {"a":1}');
  expect(world.service.requests).toHaveLength(before);
});
