/* eslint-disable @n8n/community-nodes/no-restricted-globals -- not shipped: runs on Node */
import { START, toColumns, toLocator, TYPE } from '../../engine/support/testEnvironment';
import { chainNodes, createNode } from '../../harness';
import type { Fault, Table } from '../../service';
import {
  BARE_ANSWERS,
  createFaultyCases,
  type FaultCase,
  FAULTS,
  formatError,
  MORE_FAULTS,
  runAll,
} from './faultCases';
import { PAGES, runUnderFault, type Scene, type SceneStore } from './sceneStore';

/**
 * Updates under each fault at each of their requests: each value is its old or its wanted one.
 */

/** @param held settles after the run */
const createFaults = (held: Promise<void>): Record<string, Fault> => ({
  ...FAULTS,
  ...MORE_FAULTS,
  ...BARE_ANSWERS,
  'late write': { type: 'hold', until: held },
  'late write after a reset': { type: 'hold', until: held, cut: true },
});

/** Values of the record before the update, and values of the item: one case for each kind of change. */
const CHANGES: Record<string, { before: object; wanted: Record<string, unknown> }> = {
  clear: { before: { notes: 'old notes' }, wanted: { notes: '={{ "" }}' } },
  fill: { before: { notes: '' }, wanted: { notes: 'new notes' } },
  check: { before: { newsletter: 0 }, wanted: { newsletter: 'true' } },
  replace: {
    before: { company: 'Old Works' },
    wanted: { company: 'New Works', 'name[first_name]': 'New' },
  },
};
const STORED: Record<string, unknown> = { 'company New Works': 'New Works' };

interface Case extends FaultCase {
  change: string;
  userLogin: boolean;
}

interface Outcome {
  error: string;
  repeatedError: string;
  before: Record<string, unknown>;
  wanted: Record<string, unknown>;
  after: Record<string, unknown>;
  healed: Record<string, unknown>;
  requests: string[];
}

const flatten = (record: object): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(record).flatMap(([key, value]): Array<[string, unknown]> =>
      value !== null && typeof value === 'object' && !Array.isArray(value)
        ? Object.entries(value as object).map(([part, one]) => [`${key}[${part}]`, one])
        : [[key, value]],
    ),
  );

/** The values that the service stores for the values of an item. */
const toStored = (wanted: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(wanted).map(([key, value]) => [
      key,
      value === 'true' ? 1 : value === '={{ "" }}' ? '' : (STORED[`${key} ${String(value)}`] ?? value),
    ]),
  );

const CUSTOMERS = { page: 'Customers', component: 'Active Customers' };

async function createParameters(
  scenes: SceneStore,
  one: Case,
  table: Table,
  id: string,
  scene: Scene,
): Promise<{ type: string } & Record<string, unknown>> {
  const { wanted } = CHANGES[one.change]!;
  if (one.operation === 'save') {
    const save = { resource: 'component', operation: 'save', recordId: id, columns: toColumns(wanted) };
    return { type: PAGES, ...save, ...(await scenes.findComponent(scene, CUSTOMERS)) };
  }
  const isUpsert = one.operation === 'upsert';
  const key = isUpsert ? { email: String(table.records.get(id)!.email) } : {};
  const columns = toColumns({ ...wanted, ...key }, isUpsert ? ['email'] : []);
  const record = { resource: 'record', operation: one.operation, dataTableId: toLocator(table.id) };
  return { type: TYPE, ...record, ...(!isUpsert && { recordId: id }), columns };
}

const runCase = (scenes: SceneStore, one: Case): Promise<Outcome> =>
  scenes.use(one.userLogin, async (scene) => {
    const { service, credential, hastyCredential, number } = scene;
    const { before: values, wanted } = CHANGES[one.change]!;
    const table = service.getTable('Customers')!;
    const record = table.insert({
      name: { first_name: 'Ada', last_name: 'Byron' },
      email: `ada${number}@example.com`,
      // The component shows active customers only.
      status: 'active',
      account_owner: [service.user.userId],
      tags: ['vip'],
      credit_limit: 500,
      notes: 'notes',
      ...values,
    });
    const read = () => flatten(structuredClone(table.records.get(record.id)!));
    const before = read();
    const { type, ...parameters } = await createParameters(scenes, one, table, record.id, scene);
    const createWorkflow = (used: object) => chainNodes(START, createNode('Node', type, parameters, used));
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    const faults = createFaults(held);
    const { run, requests } = await runUnderFault(
      scenes.engine,
      service,
      one,
      createWorkflow(hastyCredential),
      faults,
    );
    // A write that timed out is carried out after the run.
    release();
    await new Promise((next) => setImmediate(next));
    const after = read();
    service.faults.clear();
    const repeatedError = formatError(await scenes.engine.run(createWorkflow(credential)));
    const error = formatError(run);
    return { error, repeatedError, before, wanted: toStored(wanted), after, healed: read(), requests };
  });

/** Fields whose value is neither the old value nor that of the item. */
const findLost = ({ before, wanted, after }: Outcome) =>
  Object.keys(before)
    .filter((key) => after[key] !== before[key] && after[key] !== wanted[key])
    .filter((key) => JSON.stringify(after[key]) !== JSON.stringify(before[key]));

/** Describes what is wrong with an outcome. Empty if the update is safe. */
function findFault(one: Case, outcome: Outcome): string[] {
  const { error, repeatedError, before, wanted, after, healed } = outcome;
  const lost = findLost(outcome);
  const wrong = [
    ...lost,
    ...(error === '' && Object.entries(wanted).some(([key, value]) => after[key] !== value)
      ? ['success without the wanted values']
      : []),
    // After a refusal for the day's limit the process does not send anything before the limit resets.
    ...Object.keys(one.fault === 'daily limit' ? {} : before)
      .filter((key) => JSON.stringify(healed[key]) !== JSON.stringify(wanted[key] ?? before[key]))
      .map((key) => `not healed: ${key} is ${JSON.stringify(healed[key])} (${repeatedError})`),
  ];
  return wrong.map((what) => `${JSON.stringify(one)}: ${what} (${error})`);
}

/** Each operation with the changes and the logins that its walk has. */
const WALKS = {
  update: { changes: Object.keys(CHANGES), logins: [false, true] },
  upsert: { changes: ['fill', 'replace'], logins: [false] },
  save: { changes: ['replace'], logins: [false] },
};

export type UpdateOperation = keyof typeof WALKS;
export const OPERATIONS = Object.keys(WALKS) as UpdateOperation[];

/** The cases of an operation without a fault. */
export const createCases = (operation: UpdateOperation): Case[] =>
  WALKS[operation].changes.flatMap((change) =>
    WALKS[operation].logins.map((userLogin) => ({ operation, change, userLogin, position: 0, lasts: false })),
  );

/** The most requests that matter for one update: a look-up, then reads and writes in turns. */
const MAX_REQUESTS = 6;

/** The cases of an operation with each fault at each request. */
export function createWalk(operation: UpdateOperation): Case[] {
  const names = Object.keys(createFaults(Promise.resolve()));
  return createCases(operation).flatMap((one) => createFaultyCases(one, names, MAX_REQUESTS));
}

/** @returns what is wrong with the outcomes of the cases */
export const walk = (scenes: SceneStore, cases: Case[]): Promise<string[]> =>
  runAll(cases, async (one) => findFault(one, await runCase(scenes, one)));
