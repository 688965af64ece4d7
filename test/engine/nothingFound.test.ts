/** If an empty field has a meaning of its own, an expression without a value is an error that names the field. */
import { set } from 'lodash';
import { skipWaits } from '../environment/skipWaits';
import { findSampleIds, runOperation } from './support/runOperation';
import { getOutput, toColumns, toLocator } from './support/testEnvironment';
import { useTestEnvironment } from './support/useTestEnvironment';

skipWaits();

const env = useTestEnvironment();
let ids: Record<string, string>;
beforeAll(async () => {
  ids = await findSampleIds(env);
});

const NOTHING = '={{ $json.no }}';

type NothingFoundCase = [folder: string, parameters: () => object, name: string, message: string];

const CASES: NothingFoundCase[] = [
  [
    'RecordDatabaseImportExport',
    () => ({ resource: 'export', operation: 'run', templateId: toLocator(ids.templateId!) }),
    'options.columns',
    'Fields to Export cannot be',
  ],
  [
    'RecordDatabasePages',
    () => ({ resource: 'page', operation: 'getChildren', pageId: toLocator(ids.pageId!) }),
    'childIds',
    'Child Page cannot be',
  ],
];

describe.each(CASES)('%s', (folder, parameters, name, message) => {
  test.each([NOTHING, '={{ null }}', '={{ [$json.no] }}', "={{ [null, ''] }}"])(
    `${name}: %s`,
    async (value) => {
      const before = env.service.requests.length;
      const run = await runOperation(env, folder, set({ ...parameters() }, name, value));
      expect(run.error?.message).toContain(message);
      expect(env.service.requests).toHaveLength(before);
    },
  );

  test.each([[[]], ['={{ [] }}'], ['']])(`${name}: %j means all`, async (value) => {
    const withValue = getOutput(await runOperation(env, folder, set({ ...parameters() }, name, value)));
    const without = getOutput(await runOperation(env, folder, parameters()));
    expect(withValue.length).toBeGreaterThan(0);
    expect(withValue.map((item) => Object.keys(item))).toEqual(without.map((item) => Object.keys(item)));
    expect(withValue).toHaveLength(without.length);
  });
});

const PICKERS: Array<[folder: string, parameters: object, name: string, message: string]> = [
  ['RecordDatabaseImportExport', { resource: 'import', operation: 'getAll' }, 'dataTableId', 'Table'],
  ['RecordDatabase', { resource: 'webhook', operation: 'getAll' }, 'dataTableId', 'Table'],
];

test.each(PICKERS)('%s %j', async (folder, parameters, name, label) => {
  for (const value of [NOTHING, '={{ null }}', "={{ '' }}"]) {
    const before = env.service.requests.length;
    const run = await runOperation(env, folder, { ...parameters, [name]: toLocator(value) });
    expect(run.error?.message).toBe(`${label}: the expression has found nothing`);
    expect(env.service.requests).toHaveLength(before);
  }
  getOutput(await runOperation(env, folder, { ...parameters, [name]: toLocator('') }));
});

test.each([NOTHING, '={{ null }}', '={{ [$json.no] }}'])('columns to return: %s', async (value) => {
  const customers = env.getTable('Customers');
  const run = await env.runRecordOperation('getAll', customers, { options: { columns: value } });
  expect(run.error?.message).toContain('Fields to Return cannot be');
  const all = await env.runRecordOperation('getAll', customers, { limit: 1, options: { columns: [] } });
  expect(getOutput(all)[0]).toHaveProperty('company');
});

test('refuses an object as an ID', async () => {
  const before = env.service.requests.length;
  const object = {
    resource: 'task',
    operation: 'getRuns',
    which: 'oneRun',
    taskQueueId: '={{ ({ a: 1 }) }}',
  };
  const run = await runOperation(env, 'RecordDatabaseTasks', object);
  expect(run.error?.message).toBe('Run cannot be {"a":1}');
  const component = { pageId: toLocator(ids.pageId!), componentId: toLocator(ids.componentId!) };
  const save = { resource: 'component', operation: 'save', ...component, recordId: '={{ ({ a: 1 }) }}' };
  const saved = await runOperation(env, 'RecordDatabasePages', {
    ...save,
    columns: toColumns({ company: 'x' }),
  });
  expect(saved.error?.message).toBe('Record ID cannot be {"a":1}');
  expect(env.service.requests).toHaveLength(before);
});

test('a table by name whose expression finds nothing: the error lists the tables', async () => {
  const dataTableId = { __rl: true, mode: 'name', value: NOTHING };
  const run = await runOperation(env, 'RecordDatabase', {
    resource: 'record',
    operation: 'getAll',
    dataTableId,
  });
  expect(run.error).toMatchObject({
    message: 'The application has no table ""',
    description: expect.stringContaining('Nothing was sent. The tables are: Users, Customers,') as string,
  });
});
