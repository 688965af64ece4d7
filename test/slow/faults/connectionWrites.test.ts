import { isEqual } from 'lodash';
import { START, toColumns, toLocator, TYPE } from '../../engine/support/testEnvironment';
import { skipWaits } from '../../environment/skipWaits';
import { chainNodes, createNode } from '../../harness';
import type { StoredRecord } from '../../service';
import { createFaultyCases, drawCases, type FaultCase, FAULTS, formatError, runAll } from './faultCases';
import { PAGES, runUnderFault, type Scene, useSceneStore } from './sceneStore';

// Each test injects every fault at every request of a write.
skipWaits();

/**
 * Writes of connections by name, under every fault at every request: the list of connected records is the old one or the wanted one, and success means the wanted one.
 */

/** The products that an order is connected to before and after, and the value and options of the item. */
const CHANGES: Record<
  string,
  { before: string[]; wanted: string[]; value: string | string[]; options: object }
> = {
  replace: { before: ['A', 'B'], wanted: ['C', 'B'], value: ['C', 'B'], options: {} },
  add: { before: ['A', 'B'], wanted: ['A', 'B', 'C'], value: 'C', options: { connectionChange: 'add' } },
  remove: { before: ['A', 'B'], wanted: ['B'], value: 'A', options: { connectionChange: 'remove' } },
  'create missing': {
    before: ['A'],
    wanted: ['New'],
    value: 'New',
    options: { connectedRecords: 'detectOrCreate' },
  },
};

interface Case extends FaultCase {
  change: string;
}

const scenes = useSceneStore();

const ORDERS = { page: 'Customers', childPage: 'Customer Orders', component: 'Orders' };

/** Adds an order with its products, and builds the workflow that changes them. */
async function createOrder(one: Case, scene: Scene) {
  const { service, credential, number } = scene;
  const [products, orders] = [service.getTable('Products')!, service.getTable('Orders')!];
  const { before, value, options } = CHANGES[one.change]!;
  const toName = (letter: string) => `${letter} ${number}`;
  for (const letter of ['A', 'B', 'C']) products.insert({ name: toName(letter) });
  const listNamed = (letter: string) =>
    [...products.records.values()].filter(({ name }) => name === toName(letter));
  const toIds = (letters: string[]) => letters.map((letter) => String(listNamed(letter)[0]?.id));
  const key = { number: toName('N') };
  const order = orders.insert({ ...key, products: toIds(before), quantity: 3, express: 1 });
  const written = Array.isArray(value) ? value.map(toName) : toName(value);
  const columns = { products: `={{ ${JSON.stringify(written)} }}`, quantity: 7 };
  const given = {
    update: { recordId: order.id, columns: toColumns(columns) },
    upsert: { columns: toColumns({ ...columns, ...key }, ['number']) },
    save: { recordId: order.id, columns: toColumns(columns) },
  }[one.operation];
  const target =
    one.operation === 'save'
      ? { resource: 'component', ...(await scenes.findComponent(scene, ORDERS)) }
      : { resource: 'record', dataTableId: toLocator(orders.id) };
  const type = one.operation === 'save' ? PAGES : TYPE;
  const parameters = { ...target, operation: one.operation, ...given };
  const createWorkflow = (used: object = credential) =>
    chainNodes(START, createNode('Node', type, { ...parameters, options }, used));
  const read = (): StoredRecord => structuredClone(orders.records.get(order.id)!);
  return { createWorkflow, read, toIds, countCreated: () => listNamed('New').length };
}

/** Runs a case. @returns what is wrong with its outcome */
const runCase = (one: Case): Promise<string[]> =>
  scenes.use(false, async (scene) => {
    const { createWorkflow, read, toIds, countCreated } = await createOrder(one, scene);
    const { before: oldLetters, wanted: newLetters } = CHANGES[one.change]!;
    const before = read();
    const { run } = await runUnderFault(
      scenes.engine,
      scene.service,
      one,
      createWorkflow(scene.hastyCredential),
    );
    const error = formatError(run);
    const after = read();
    const created = countCreated();
    scene.service.faults.clear();
    const repeated = formatError(await scenes.engine.run(createWorkflow()));
    const healed = read();
    const [oldIds, newIds] = [toIds(oldLetters), toIds(newLetters)];
    const isWanted = ({ products, quantity }: StoredRecord) => isEqual(products, newIds) && quantity === 7;
    const isPlain = ({ express, number }: StoredRecord) =>
      express === before.express && number === before.number;
    const isReported = /Created the record "New|Outcome unknown/.test(error);
    // A cancelled run shows n8n's own error.
    const isCancelled = one.fault === 'cancellation';
    // After a refusal for the day's limit the process sends nothing before the limit resets.
    const isBlocked = one.fault === 'daily limit';
    const problems: Array<[boolean, string]> = [
      [
        !isEqual(after.products, oldIds) && !isEqual(after.products, newIds),
        `connected to ${JSON.stringify(after.products)}`,
      ],
      [
        ![3, 7].includes(Number(after.quantity)) && !isCancelled && !error.includes(before.id),
        'lost the quantity',
      ],
      [!isPlain(after), 'changed another field'],
      [!run.error && !isWanted(after), 'success without the values'],
      [countCreated() > 1, `${countCreated()} records were created`],
      [
        created > 0 && Boolean(run.error) && isEqual(after.products, oldIds) && !isCancelled && !isReported,
        'a created record is not reported',
      ],
      [
        !isBlocked && !(isWanted(healed) && isPlain(healed)),
        `not healed: ${JSON.stringify(healed)} (${repeated})`,
      ],
    ];
    return problems
      .filter(([isWrong]) => isWrong)
      .map(([, what]) => `${JSON.stringify(one)}: ${what} (${error})`);
  });

const createCases = (operation: Case['operation']): Case[] =>
  Object.keys(CHANGES).map((change) => ({ operation, change, position: 0, lasts: false }));

/** The most requests of one write: look-ups of the record and of names, a create, a read, three writes, a read. */
const MAX_REQUESTS = 8;

describe.each(['update', 'upsert', 'save'] as const)('%s', (operation) => {
  test('without a fault stores the wanted connections and nothing else', async () => {
    expect(await runAll(createCases(operation), runCase)).toEqual([]);
  });

  test('loses no connection with a fault at any of its requests', async () => {
    const names = Object.keys(FAULTS);
    const cases = createCases(operation).flatMap((one) => createFaultyCases(one, names, MAX_REQUESTS));
    expect(await runAll(drawCases(cases), runCase)).toEqual([]);
  });
});
