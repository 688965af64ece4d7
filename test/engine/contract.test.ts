/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not shipped: runs on Node */
import { readFileSync } from 'node:fs';
import { CALLS_FILE, CATALOGUE, SPECIFIED_ENDPOINTS } from '../calledEndpoints';
import { skipWaits } from '../environment/skipWaits';
import { listOperations } from '../operations';
import { OUTPUTS, type OutputSchema } from '../outputs';
import { chosenProfile } from '../service/profiles';
import { type ContractRun, listCalls, runContractCases } from './support/contractRuns';
import { createObject } from './support/neededObjects';
import { runOperation } from './support/runOperation';
import { TestEnvironment, getOutput, toLocator } from './support/testEnvironment';

skipWaits();

let env: TestEnvironment;
let runs: ContractRun[];

beforeAll(async () => {
  env = await TestEnvironment.start();
  runs = await runContractCases(env);
});
afterAll(() => env.stop());

test('all operations together call exactly the endpoints of the specification', () => {
  const called = new Set(runs.flatMap((run) => run.called));
  expect([...called].sort()).toEqual([...SPECIFIED_ENDPOINTS].sort());
});

test('the recorded calls are current (run `npm run docs`)', () => {
  expect(listCalls(runs)).toEqual(JSON.parse(readFileSync(CALLS_FILE, 'utf8')));
});

test('an operation says that it writes if it sends a request that changes something, and only then', () => {
  const effects = new Map(CATALOGUE.map(({ name, endpoint }) => [name, endpoint.effect]));
  const isWriting = (name: string) => effects.get(name) !== 'read';
  const writing = new Set(runs.flatMap(({ one, called }) => (called.some(isWriting) ? [one.operation] : [])));
  const wrong = listOperations().filter((one) => (one.writes ?? false) !== writing.has(one));
  expect(wrong.map(({ action, writes = false }) => `${action}: set writes to ${!writes}`)).toEqual([]);
});

test('the cases cover every operation, and no undocumented request is sent', () => {
  const driven = new Set(runs.map(({ one }) => one.operation));
  expect(
    listOperations()
      .filter((one) => !driven.has(one))
      .map(({ action }) => action),
  ).toEqual([]);
  expect(env.takeViolations()).toEqual([]);
});

test('no output contains the success type of the response', () => {
  const isSuccess = (item: object) => 'type' in item && item.type === 'success';
  expect(runs.filter(({ items }) => items.some(isSuccess)).map(({ one }) => one.name)).toEqual([]);
});

/** Items of operations that return nothing, or not every key, for the plain parameters. */
async function readMoreItems(): Promise<Array<[action: string, items: object[]]>> {
  const read = async (folder: string, resource: string, operation: string, more: object = {}) =>
    getOutput(await runOperation(env, folder, { resource, operation, ...more }));
  const tasks = 'RecordDatabaseTasks';
  await createObject(env, 'subscription');
  env.service.options.jobMs = 600_000;
  const [task] = await read(tasks, 'task', 'getAll');
  await read(tasks, 'task', 'run', { taskId: toLocator(String(task!.task_id)), wait: false });
  const orders = { dataTableId: toLocator(env.getTable('Orders').id) };
  const customers = env.getTable('Customers');
  customers.insert({ company: 'To Delete' });
  const toDelete = {
    dataTableId: toLocator(customers.id),
    filterMode: 'manual',
    conditions: { items: [{ field: 'company|text', operator: 'is', value: 'To Delete' }] },
  };
  return [
    ['Get many webhook subscriptions', await read('RecordDatabase', 'webhook', 'getAll')],
    ['Delete many records', await read('RecordDatabase', 'record', 'deleteMany', toDelete)],
    ['Get many fields', await read('RecordDatabase', 'field', 'getAll', orders)],
    ['Get runs of tasks', await read(tasks, 'task', 'getRuns')],
  ];
}

/** Keys of the schema that no output has, or that have another type in an output. */
function findSchemaFaults(action: string, output: OutputSchema, items: object[]): string[] {
  return Object.entries(output.shape).flatMap(([key, schema]) => {
    const values = items.flatMap((item) => (key in item ? [item[key as keyof typeof item] as unknown] : []));
    if (values.length === 0) return [`${action}: no output has "${key}"`];
    const other = values.filter((value) => !schema.safeParse(value).success);
    return other.length > 0 ? [`${action}: "${key}" is ${JSON.stringify(other[0])}`] : [];
  });
}

/** Keys that the answers of the profile `met` lack. */
const LACKING = {
  documented: [],
  met: ['Get record: no output has "created_at"', 'Get status of session: no output has "time_remaining"'],
};

test('the outputs have the keys and the types of their schemas', async () => {
  const more = new Map(await readMoreItems());
  const faults = Object.entries(OUTPUTS).flatMap(([name, output]) => {
    const described = runs.filter(({ one }) => `${one.type} ${one.resource} ${one.operation.name}` === name);
    const action = described[0]?.one.operation.action ?? `no operation ${name}`;
    const items = described.flatMap((run) => run.items);
    return findSchemaFaults(action, output, [...items, ...(more.get(action) ?? [])]);
  });
  expect(faults).toEqual(LACKING[chosenProfile]);
});
