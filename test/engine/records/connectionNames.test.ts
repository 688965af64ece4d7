import type { Run } from '../../harness';
import { createRecordWorkflow } from '../polling/support';
import { runOperation } from '../support/runOperation';
import { AUTO_MAP, getOutput, toColumns, toLocator } from '../support/testEnvironment';
import { useTestEnvironment } from '../support/useTestEnvironment';
import { createTriggerWorkflow } from '../trigger/support';

/** Every form in which the name of a record can stand for its ID leads to the request with the ID. */

const LIST = 'GET /api/v1/data-tables/{dataTableId}/records';
const RECORDS = 'POST /api/v1/data-tables/{dataTableId}/records';
const COMPONENT = '/api/v1.1/{appId}/pages/{pageId}/components/{componentId}';
const UNKNOWN = 'No such product';

const env = useTestEnvironment();
let product: { id: string; name: string };
let order: { id: string };
let component: object;
let templateId: object;

const toFilter = (value: unknown) => ({
  filterMode: 'manual',
  conditions: { items: [{ field: 'products|connection', operator: 'is', value }] },
});
const toSymbolic = (value: unknown) => ({
  conditions: { items: [{ field: 'products|connection', operator: 'is', value }] },
});
const byNumber = {
  conditions: { items: [{ field: 'number|text', operator: 'is', value: 'N' }] },
};

const runRecords = (operation: string, parameters: object, input?: object[]) =>
  env.runRecordOperation(operation, env.getTable('Orders'), parameters, input);
const runPages = (operation: string, parameters: object) =>
  runOperation(env, 'RecordDatabasePages', { resource: 'component', operation, ...component, ...parameters });

/** The first entry of a list with this name, as a locator. */
async function findByName(folder: string, parameters: object, name: string) {
  const entries = getOutput(await runOperation(env, folder, parameters));
  return toLocator(String(entries.find((entry) => entry.name === name)!.id));
}

beforeAll(async () => {
  const made = env.getTable('Products').insert({ name: 'Wiring product' });
  product = { id: made.id, name: String(made.name) };
  order = env.getTable('Orders').insert({ number: 'N', products: [product.id] });
  const pages = 'RecordDatabasePages';
  const pageId = await findByName(pages, { resource: 'page', operation: 'getAll' }, 'Customers');
  const children = { resource: 'page', operation: 'getChildren', pageId };
  const childPageId = await findByName(pages, children, 'Customer Orders');
  const components = { resource: 'component', operation: 'getAll', pageId, childPageId };
  component = { pageId, childPageId, componentId: await findByName(pages, components, 'Orders') };
  const templates = { resource: 'export', operation: 'getAll' };
  templateId = await findByName('RecordDatabaseImportExport', templates, 'Orders list');
});

interface Place {
  name: string;
  /** The request that must hold the ID. */
  pattern: string;
  intent?: 'create';
  run: (value: string) => Promise<Run>;
}

const sync = (value: string, more: object = {}) => {
  const columns = toColumns({ number: 'N', products: value, quantity: 5 }, ['number']);
  return runRecords('sync', { columns, ...more });
};

const FILTERS: Place[] = [
  ...['getAll', 'count', 'deleteMany'].map((operation): Place => ({
    name: `the filter of ${operation}`,
    pattern: LIST,
    run: (value) => runRecords(operation, { ...toFilter(value), dryRun: true }),
  })),
  {
    name: 'the filter of batchUpdate',
    pattern: `${RECORDS}/batch-update`,
    run: (value) => runRecords('batchUpdate', { ...toSymbolic(value), columns: toColumns({ quantity: 4 }) }),
  },
  {
    name: 'the filter of sync',
    pattern: LIST,
    run: (value) => sync(product.id, { deleteMissing: true, ...toFilter(value), options: { dryRun: true } }),
  },
  {
    name: 'the filter of an export',
    pattern: 'POST /api/v1.1/{appId}/exports/templates/{templateId}/trigger',
    run: (value) => {
      const dataTableId = toLocator(env.getTable('Orders').id);
      const parameters = { resource: 'export', operation: 'run', templateId, wait: false, dataTableId };
      return runOperation(env, 'RecordDatabaseImportExport', { ...parameters, ...toFilter(value) });
    },
  },
  {
    name: 'the filter of a component',
    pattern: `GET ${COMPONENT}/records`,
    run: (value) => runPages('getRecords', toFilter(value)),
  },
];

/** Another quantity for each update: one that changes nothing is not sent. */
let writes = 1_000;

const COLUMNS: Place[] = [
  {
    name: 'the fields of create',
    pattern: RECORDS,
    intent: 'create',
    run: (products) =>
      runRecords('create', { columns: toColumns({ number: `C ${products.length}`, products }) }),
  },
  {
    name: 'the fields of update',
    pattern: `${RECORDS}/{recordId}`,
    run: (products) =>
      runRecords('update', { recordId: order.id, columns: toColumns({ products, quantity: ++writes }) }),
  },
  {
    name: 'the fields of update, by the keys of the input',
    pattern: `${RECORDS}/{recordId}`,
    run: (products) =>
      runRecords('update', { recordId: order.id, columns: AUTO_MAP }, [
        { Products: products, Quantity: ++writes },
      ]),
  },
  {
    name: 'the fields of upsert',
    pattern: `${RECORDS}/{recordId}`,
    run: (products) =>
      runRecords('upsert', {
        columns: toColumns({ number: 'N', products }, ['number']),
        options: { formulas: ['runFormulasOn'] },
      }),
  },
  {
    name: 'the fields of batchUpdate',
    pattern: `${RECORDS}/batch-update`,
    run: (products) => runRecords('batchUpdate', { ...byNumber, columns: toColumns({ products }) }),
  },
  {
    name: 'the fields of sync',
    pattern: `${RECORDS}/{recordId}`,
    run: (products) => sync(products),
  },
  {
    name: 'the fields of a component that creates',
    pattern: `POST ${COMPONENT}/save`,
    run: (products) => runPages('save', { columns: toColumns({ number: `S ${products.length}`, products }) }),
  },
  {
    name: 'the fields of a component that updates',
    pattern: `POST ${COMPONENT}/save`,
    run: (products) =>
      runPages('save', { recordId: order.id, columns: toColumns({ products, quantity: ++writes }) }),
  },
];

describe.each([...FILTERS, ...COLUMNS])('$name', ({ name, pattern, intent, run }) => {
  /** The sent values, without those of the requests that look the name up. */
  const listSent = (since: number) =>
    env.service.requests
      .slice(since)
      .filter((request) => !request.path.includes(env.getTable('Products').id))
      .filter((request) => request.pattern === pattern && (!intent || request.intent === intent))
      .map(({ query, body }) => JSON.stringify([query, body]));

  test('sends the ID of the named record', async () => {
    // An update sends what differs.
    if (name.startsWith('the fields')) env.getTable('Orders').update(order.id, { products: [] });
    const since = env.service.requests.length;
    const { error } = await run(product.name);
    expect(error?.message).toBeUndefined();
    const sent = listSent(since);
    expect(sent.some((text) => text.includes(`"${product.id}"`))).toBe(true);
    expect(sent.filter((text) => text.includes(product.name))).toEqual([]);
  });

  test('refuses a name that no record has, and sends nothing', async () => {
    const since = env.service.requests.length;
    const { error } = await run(UNKNOWN);
    expect(error?.message).toContain(`"Products": Products has no record "${UNKNOWN}"`);
    expect(error).toMatchObject({
      description: expect.stringMatching(/Nothing was sent\. Give the ID or the "/),
    });
    expect(listSent(since)).toEqual([]);
  });
});

describe('the polling trigger', () => {
  const choices = [{ triggerOn: 'recordCreatedUpdatedOrDeleted' }, { triggerOn: 'recordCreated' }];
  const activate = (parameters: object, value: string) =>
    env.engine.activate(createRecordWorkflow(env.getTable('Orders'), { ...parameters, ...toFilter(value) }));

  test.each(choices)('sends the ID of the named record ($triggerOn)', async (parameters) => {
    const trigger = await activate(parameters, product.name);
    const made = env
      .getTable('Orders')
      .insert({ number: `P ${parameters.triggerOn}`, products: [product.id] });
    env.getTable('Orders').insert({ number: `other ${parameters.triggerOn}` });
    await trigger.poll();
    const runs = await trigger.waitUntilIdle();
    const found = runs.flatMap((run) => run.getJson('Poll')).map(({ id }) => String(id));
    expect(found).toEqual([made.id]);
    await trigger.deactivate();
  });

  test.each(choices)('refuses a name that no record has ($triggerOn)', async (parameters) => {
    const message = `"Products": Products has no record "${UNKNOWN}"`;
    await expect(activate(parameters, UNKNOWN)).rejects.toThrow(message);
  });
});

test('the filter of the webhook trigger compares with the ID of the named record', async () => {
  const activate = (value: string) =>
    env.engine.activate(createTriggerWorkflow(env, ['Orders'], ['INSERT'], toFilter(value)));
  await expect(activate(UNKNOWN)).rejects.toThrow(`"Products": Products has no record "${UNKNOWN}"`);
  const trigger = await activate(product.name);
  const made = env.getTable('Orders').insert({ number: 'W', products: [product.id] });
  env.getTable('Orders').insert({ number: 'W other' });
  await env.service.waitForDeliveries();
  const runs = await trigger.waitUntilIdle();
  const started = runs.flatMap((run) => run.getJson('Trigger'));
  expect(started.map(({ id }) => String(id))).toEqual([made.id]);
  await trigger.deactivate();
});
