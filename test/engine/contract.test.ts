import { formatEndpoint } from '../../nodes/client/endpoints/endpoint';
import type { Operation } from '../../nodes/n8n/operation/operation';
import { listOperations } from '../operations';
import { ENDPOINTS } from '../service/endpoints';
import { createObject, withNeededObject } from './support/neededObjects';
import {
  type ContractCase,
  INPUT_ITEM,
  createContractCases,
  findSampleIds,
  formatCalledEndpoint,
  runOperation,
} from './support/runOperation';
import { TestEnvironment, getOutput, toLocator } from './support/testEnvironment';

const RECORDS = 'POST /api/v1/data-tables/{dataTableId}/records';

/** The 79 endpoints of the specification: it has 78 rows, and plain POST on records counts twice (list and create). */
const SPECIFIED = [
  ...ENDPOINTS.filter((one) => one !== RECORDS),
  `${RECORDS} list`,
  `${RECORDS} create`,
].sort();

let env: TestEnvironment;
let cases: ContractCase[];
/** Cases whose output wrongly contains the `type: "success"` of the response. */
const successTypes: string[] = [];
/** Output items by operation. */
const outputs = new Map<Operation, object[]>();
/** Endpoints by the case that called them. */
const calledEndpoints = new Map<ContractCase, Set<string>>();

beforeAll(async () => {
  env = await TestEnvironment.start();
  cases = createContractCases(env, await findSampleIds(env));
  for (const one of cases) {
    const parameters = await withNeededObject(one.parameters, (name) => createObject(env, name));
    const before = env.service.requests.length;
    const run = await runOperation(env, one.type, parameters, [INPUT_ITEM]);
    if (run.error)
      throw new Error(
        `${one.name}: ${run.error.message} | ${String((run.error as { description?: string }).description)}`,
      );
    calledEndpoints.set(one, new Set(env.service.requests.slice(before).map(formatCalledEndpoint)));
    const items = getOutput(run);
    if (items.some(({ type }) => type === 'success')) successTypes.push(one.name);
    outputs.set(one.operation, [...(outputs.get(one.operation) ?? []), ...items]);
  }
});
afterAll(() => env.stop());

test('all operations together call exactly the 79 endpoints of the specification', () => {
  const wire = new Set([...calledEndpoints.values()].flatMap((endpoints) => [...endpoints]));
  expect([...wire].sort()).toEqual(SPECIFIED);
  expect(SPECIFIED).toHaveLength(79);
});

test('the operations declare exactly the endpoints of the specification', () => {
  const declared = new Set(listOperations().flatMap(({ endpoints }) => endpoints.map(formatEndpoint)));
  expect([...declared].sort()).toEqual([...ENDPOINTS].sort());
});

test('no operation calls an endpoint that it does not declare', () => {
  const strays = cases.flatMap((one) => {
    const declared = new Set(one.operation.endpoints.map(formatEndpoint));
    return [...calledEndpoints.get(one)!]
      .filter((name) => !declared.has(name.replace(/ (list|create)$/, '')))
      .map((name) => `${one.name}: ${name}`);
  });
  expect(strays).toEqual([]);
});

test('the cases cover every operation, and no undocumented request is sent', () => {
  const driven = new Set(cases.map(({ operation }) => operation));
  expect(
    listOperations()
      .filter((one) => !driven.has(one))
      .map(({ action }) => action),
  ).toEqual([]);
  expect(env.takeViolations()).toEqual([]);
});

test('no output contains the success type of the response', () => {
  expect(successTypes).toEqual([]);
});

/** Items of operations that return nothing, or not every key, for the plain parameters. */
async function readMoreItems(): Promise<Array<[action: string, items: object[]]>> {
  const read = async (folder: string, resource: string, operation: string, more: object = {}) =>
    getOutput(await runOperation(env, folder, { resource, operation, ...more }));
  const [tasks, logs] = ['RecordDatabaseTasks', 'RecordDatabaseLogs'];
  await createObject(env, 'subscription');
  env.service.options.jobMs = 600_000;
  const [task] = await read(tasks, 'task', 'getAll');
  await read(tasks, 'task', 'run', { taskId: toLocator(String(task!.task_id)) });
  const orders = { dataTableId: toLocator(env.getTable('Orders').id) };
  const customers = env.getTable('Customers');
  customers.insert({ company: 'To Delete' });
  const toDelete = {
    dataTableId: toLocator(customers.id),
    filterMode: 'manual',
    conditions: { items: [{ field: 'company|text', operator: 'is', value: 'To Delete' }] },
  };
  // Simplify leaves out empty values.
  const whole = { returnAll: true, simplify: false };
  return [
    ['Get many webhook subscriptions', await read('RecordDatabase', 'webhook', 'getAll')],
    ['Delete many records', await read('RecordDatabase', 'record', 'deleteMany', toDelete)],
    ['Get many fields', await read('RecordDatabase', 'field', 'getAll', orders)],
    ['Get active executions of tasks', await read(tasks, 'task', 'getActive')],
    ['Get failed logins', await read(logs, 'log', 'getFailedLogins', whole)],
    ['Get logins', await read(logs, 'log', 'getLogins', whole)],
    ['Get page views', await read(logs, 'log', 'getPageViews', whole)],
  ];
}

/** Keys of the schema that no output has, or that have another type in an output. */
function findSchemaFaults({ action, output }: Operation, items: object[]): string[] {
  return Object.entries(output?.shape ?? {}).flatMap(([key, schema]) => {
    const values = items.flatMap((item) => (key in item ? [item[key as keyof typeof item] as unknown] : []));
    if (values.length === 0) return [`${action}: no output has "${key}"`];
    const other = values.filter((value) => !schema.safeParse(value).success);
    return other.length > 0 ? [`${action}: "${key}" is ${JSON.stringify(other[0])}`] : [];
  });
}

test('the outputs have the keys and the types of their schemas', async () => {
  const more = new Map(await readMoreItems());
  const described = [...outputs].filter(([{ output }]) => output);
  expect(described.length).toBeGreaterThan(40);
  const faults = described.flatMap(([operation, items]) =>
    findSchemaFaults(operation, [...items, ...(more.get(operation.action) ?? [])]),
  );
  expect(faults).toEqual([]);
});
