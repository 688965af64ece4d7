/* eslint-disable @n8n/community-nodes/no-restricted-globals -- not shipped: runs on Node */
import { chainNodes, createNode, type Engine, type Run, startEngine } from '../../harness';
import { scaleRuns } from '../../randomness';
import { type Fault, type Service, startService, type Table } from '../../service';
import { customersTable } from '../../service/sample/companyTables';
import { START, toColumns, toLocator, TYPE } from '../support/testEnvironment';

// Each test injects every fault at every request of a write.
jest.setTimeout(10 * 60_000);

/**
 * An update must lose nothing under either reading of the spec ("body holds the changed field values", or "value
 * when a field is omitted from a create or update payload"), whatever goes wrong at whichever of its requests.
 */

const CONCURRENCY = 40;
const LOST_ANSWER: Fault = { type: 'reset', when: 'after' };

/** @param held settles after the run */
const createFaults = (held: Promise<void>): Record<string, Fault> => ({
  '500': { type: 'status', status: 500 },
  'daily limit': { type: 'rateLimit', scope: 'day', retryAfter: 3600 },
  'key disabled': { type: 'status', status: 401, body: { type: 'error', msg: 'API Disabled', status: 401 } },
  'lost answer': LOST_ANSWER,
  timeout: { type: 'stall', ms: 3_600_000 },
  cancellation: { type: 'stall', ms: 200 },
  'late write': { type: 'hold', until: held },
  'late write after a reset': { type: 'hold', until: held, cut: true },
});

/** Values of the record before the update, and values of the item: one case for each way of detection. */
const CHANGES: Record<string, { before: object; wanted: Record<string, unknown> }> = {
  clear: { before: { notes: 'old notes' }, wanted: { notes: '={{ "" }}' } },
  fill: { before: { notes: '' }, wanted: { notes: 'new notes' } },
  check: { before: { newsletter: 0 }, wanted: { newsletter: true } },
  replace: {
    before: { company: 'Old Works' },
    wanted: { company: 'New Works', 'name[first_name]': 'New' },
  },
};
const STORED: Record<string, unknown> = { 'company New Works': 'New Works' };

interface Case {
  operation: 'update' | 'upsert' | 'save';
  omittedOnUpdate: 'keep' | 'blank';
  change: string;
  userLogin: boolean;
  fault?: string;
  /** Requests of the update that pass before the fault. */
  position: number;
  /** Whether the fault applies to one request or to all requests from then on. */
  lasts: boolean;
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

let engine: Engine;
beforeAll(async () => {
  engine = await startEngine();
});
afterAll(() => engine.stop());

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
      value === true ? 1 : value === '={{ "" }}' ? '' : (STORED[`${key} ${String(value)}`] ?? value),
    ]),
  );

async function findComponent(service: Service, credential: object) {
  const pages = 'n8n-nodes-record-database.recordDatabasePages';
  const run = async (parameters: object) => {
    const node = createNode('Node', pages, parameters, credential);
    return (await engine.run(chainNodes(START, node))).getJson('Node');
  };
  const all = await run({ resource: 'page', operation: 'getAll' });
  const pageId = toLocator(String(all.find(({ name }) => name === 'Customers')!.id));
  const components = await run({ resource: 'component', operation: 'getAll', pageId });
  const table = service.getTable('Customers');
  return { pageId, componentId: toLocator(String(components.find((one) => one.table_id === table.id)!.id)) };
}

/** Seconds. Ends the attempts that a fault stalls; the repeated run has no fault and keeps the default. */
const TIMEOUT = { timeout: 0.3 };

async function createParameters(
  one: Case,
  service: Service,
  table: Table,
  id: string,
  credential: object,
): Promise<{ type: string } & Record<string, unknown>> {
  const { wanted } = CHANGES[one.change]!;
  if (one.operation === 'save') {
    const ids = await findComponent(service, credential);
    const save = { resource: 'component', operation: 'save', recordId: id, columns: toColumns(wanted) };
    return { type: 'n8n-nodes-record-database.recordDatabasePages', ...save, ...ids };
  }
  const isUpsert = one.operation === 'upsert';
  const key = isUpsert ? { email: String(table.records.get(id)!.email) } : {};
  const columns = toColumns({ ...wanted, ...key }, isUpsert ? ['email'] : []);
  const record = { resource: 'record', operation: one.operation, dataTableId: toLocator(table.id) };
  return { type: TYPE, ...record, ...(!isUpsert && { recordId: id }), columns };
}

const formatError = ({ error }: Run): string => {
  const { message = '', description = '' } = (error ?? {}) as { message?: string; description?: string };
  return `${message} ${description}`.trim();
};

let services = 0;
async function runCase(one: Case): Promise<Outcome> {
  const { omittedOnUpdate, userLogin } = one;
  // A component needs the pages of the sample; a table of its own is faster for the others.
  const sample = one.operation === 'save' ? 'company' : 'empty';
  // The process remembers what it learns by address and keys. A later service may get the port of an earlier one.
  const seed = ++services;
  const service = await startService({
    perMinute: 100_000,
    perDay: 10_000_000,
    sample,
    omittedOnUpdate,
    seed,
  });
  try {
    const { email, password, userId } = service.user;
    const login = userLogin && { userLogin, email, password };
    const data = { baseUrl: service.baseUrl, ...service.keys, ...login };
    const reference = await engine.setCredential('recordDatabaseApi', data, {
      id: `case-${seed}`,
      name: `case ${seed}`,
    });
    const credential = { credentials: { recordDatabaseApi: reference } };
    if (sample === 'empty') {
      const users = { name: 'Users', fields: [{ name: 'Name', type: 'Name' as const }] };
      service.addTable(users).insert({ id: service.user.userId });
    }
    const table = sample === 'company' ? service.getTable('Customers') : service.addTable(customersTable);
    const record =
      [...table.records.values()][0] ??
      table.insert({ name: { first_name: 'Ada', last_name: 'Byron' }, email: 'ada@example.com' });
    const { before: values, wanted } = CHANGES[one.change]!;
    // The component shows active customers only.
    const shared = {
      status: 'active',
      account_owner: [userId],
      tags: ['vip'],
      credit_limit: 500,
      notes: 'notes',
    };
    Object.assign(record, shared, values);
    const before = flatten(structuredClone(record));
    const { type, ...parameters } = await createParameters(one, service, table, record.id, credential);
    const createWorkflow = (options: object) =>
      chainNodes(START, createNode('Node', type, { ...parameters, options }, credential));
    const start = service.requests.length;
    const cancel = new AbortController();
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    if (one.fault !== undefined) {
      service.faults.add({
        // Neither the fields, the components nor the login are part of the update.
        when: { pattern: /\/(records|save)/, skip: one.position },
        times: one.lasts ? Infinity : 1,
        fault: createFaults(held)[one.fault]!,
      });
    }
    const countRecordRequests = () =>
      service.requests.slice(start).filter(({ pattern }) => /\/(records|save)/.test(pattern)).length;
    const running = engine.run(createWorkflow(TIMEOUT), { abortSignal: cancel.signal });
    if (one.fault === 'cancellation') {
      let done = false;
      void running.finally(() => (done = true));
      while (!done && countRecordRequests() <= one.position) await new Promise((next) => setTimeout(next, 5));
      cancel.abort();
    }
    const run = await running;
    const requests = service.requests
      .slice(start)
      .map(({ pattern }) => pattern)
      .filter((pattern) => /\/(records|save)/.test(pattern));
    // A write that timed out is carried out after the run.
    release();
    await new Promise((next) => setImmediate(next));
    const after = flatten(structuredClone(table.records.get(record.id)!));
    service.faults.clear();
    const repeated = await engine.run(createWorkflow({}));
    const healed = flatten(structuredClone(table.records.get(record.id)!));
    const repeatedError = formatError(repeated);
    const error = formatError(run);
    return { error, repeatedError, before, wanted: toStored(wanted), after, healed, requests };
  } finally {
    await service.stop();
  }
}

/** Fields whose value is neither the old value nor that of the item. */
const findLost = ({ before, wanted, after }: Outcome) =>
  Object.keys(before)
    .filter((key) => after[key] !== before[key] && after[key] !== wanted[key])
    .filter((key) => JSON.stringify(after[key]) !== JSON.stringify(before[key]));

/** Describes what is wrong with an outcome. Empty if the update is safe. */
function findFault(one: Case, outcome: Outcome): string[] {
  const { error, repeatedError, before, wanted, after, healed } = outcome;
  const lost = findLost(outcome);
  const isNamed = (key: string) =>
    error.includes(String(before.id)) && error.includes(JSON.stringify(before[key]));
  const isReplaced = (key: string) => key in wanted;
  const wrong = [
    // A cancelled run shows n8n's own error: only a value that the item was replacing may be empty.
    ...lost.filter((key) => (one.fault === 'cancellation' ? !isReplaced(key) : !isNamed(key))),
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

async function runAll(cases: Case[]): Promise<string[]> {
  const wrong: string[] = [];
  const left = [...cases];
  const work = async () => {
    for (let one = left.shift(); one; one = left.shift()) wrong.push(...findFault(one, await runCase(one)));
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  return wrong;
}

const READINGS = ['keep', 'blank'] as const;

/** Each operation with the ways of detecting and the logins that its test walks through. */
const WALKS = [
  { operation: 'update', changes: Object.keys(CHANGES), logins: [false, true] },
  { operation: 'upsert', changes: ['fill', 'replace'], logins: [false] },
  { operation: 'save', changes: ['replace'], logins: [false] },
] as const;

const createCases = ({ operation, changes, logins }: (typeof WALKS)[number]): Case[] =>
  READINGS.flatMap((omittedOnUpdate) =>
    changes.flatMap((change) =>
      logins.map((userLogin) => ({
        operation,
        omittedOnUpdate,
        change,
        userLogin,
        position: 0,
        lasts: false,
      })),
    ),
  );

/** The most requests that one update makes: look-up, read, three writes, the read between them. */
const MAX_REQUESTS = 6;

const createFaultyCases = (one: Case): Case[] =>
  Object.keys(createFaults(Promise.resolve())).flatMap((fault) =>
    Array.from({ length: MAX_REQUESTS }).flatMap((_, position) =>
      [false, true].map((lasts) => ({ ...one, fault, position, lasts })),
    ),
  );

describe.each(WALKS)('$operation', (walk) => {
  test('without a fault writes the values of the item and nothing else', async () => {
    expect(await runAll(createCases(walk))).toEqual([]);
  });

  test('loses nothing with a fault at any of its requests', async () => {
    const cases = createCases(walk).flatMap(createFaultyCases);
    // Multiplied by a prime, so that a share of the cases is spread over all of them.
    const isChosen = (_: Case, index: number) => (index * 7919) % cases.length < scaleRuns(cases.length);
    expect(await runAll(cases.filter(isChosen))).toEqual([]);
  });
});

/** Position 1 is the write without the field, after the record was read. */
test.each([
  ['late write', 'blank', 'replace'],
  ['late write', 'keep', 'replace'],
  ['late write after a reset', 'blank', 'replace'],
  ['late write after a reset', 'keep', 'replace'],
] as const)('a %s (%s, %s) is reported with the old value', async (fault, omittedOnUpdate, change) => {
  const one = { operation: 'update', omittedOnUpdate, change, userLogin: false, fault, position: 1 } as const;
  const outcome = await runCase({ ...one, lasts: false });
  const isLost = omittedOnUpdate === 'blank';
  expect(outcome.after.company).toBe(isLost ? '' : 'New Works');
  expect(outcome.error).toEqual(
    isLost
      ? expect.stringMatching(/did not answer a request of the update.*"Old Works".*"New Works"/s)
      : expect.any(String),
  );
  expect(findFault({ ...one, lasts: false }, outcome)).toEqual([]);
});
