/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not shipped: runs on Node */
import { inspect } from 'node:util';
import { skipWaits } from '../../environment/skipWaits';
import { chainNodes, createNode, type Engine, type Run, startEngine } from '../../harness';
import { mockInvalidHosts, reserveClosedPort } from '../../harness/unreachable';
import { scaleRuns, scaleSize } from '../../randomness';
import { type Fault, type Service, startService } from '../../service';
import { START } from '../support/testEnvironment';
import { listOperationCases, type OperationCase } from './operationCases';

/**
 * No key, token or password appears in any error, item, log or URL, whatever goes wrong. Each fault meets a share
 * of the operations (`RUNS_SHARE`), another one for each fault; with RUNS_SHARE=1 every fault meets every operation.
 */
skipWaits();

const createEchoBody = (canaries: string[]) => ({
  type: 'error',
  msg: `Wrong: ${canaries.join(' ')}`,
  errors: { company: canaries },
});

const createStatusFault =
  (code: number) =>
  (canaries: string[]): Fault => ({
    type: 'status',
    status: code,
    body: createEchoBody(canaries),
  });

const FAULTS: Record<string, (canaries: string[], service: Service) => Fault> = {
  ...Object.fromEntries(
    scaleSize([401, 403, 422, 500], [400, 401, 403, 404, 412, 422, 500]).map((code) => [
      code,
      createStatusFault(code),
    ]),
  ),
  '429 of the minute': (canaries) => ({
    ...(createStatusFault(429)(canaries) as Fault & { type: 'status' }),
    headers: { 'x-ratelimit-limit': '9', 'x-ratelimit-remaining': '0', 'x-retry-after': '0.001' },
  }),
  '429 of the day': (canaries) => ({
    type: 'status',
    status: 429,
    body: { ...createEchoBody(canaries), msg: `Too Many Attempts In Day ${canaries.join(' ')}` },
  }),
  reset: () => ({ type: 'reset', when: 'before' }),
  timeout: () => ({ type: 'stall', ms: 3_600_000 }),
  truncated: () => ({ type: 'truncate' }),
  'web page': () => ({ type: 'html' }),
};

let engine: Engine;
const services: Service[] = [];
beforeAll(async () => {
  engine = await startEngine();
  mockInvalidHosts();
});
afterAll(async () => {
  await engine.stop();
  await Promise.all(services.map((service) => service.stop()));
});

async function startEnvironment(requestTimeout = 120): Promise<{
  service: Service;
  canaries: string[];
  cases: OperationCase[];
  id: string;
}> {
  const service = await startService({ perMinute: 1_000_000, perDay: 10_000_000 });
  services.push(service);
  const { email, password } = service.user;
  const login = { userLogin: 'password', email, password };
  const settings = { advancedSettings: true, parallelRequests: 4, requestTimeout };
  const data = { baseUrl: service.baseUrl, ...service.keys, ...login, ...settings };
  const id = `credential-${services.length}`;
  await engine.setCredential('recordDatabaseApi', data, { id, name: id });
  const all = listOperationCases(engine, service);
  // The first call succeeds: it logs in and reads the rate limit.
  const first = await run(
    all.find(({ name }) => name.endsWith('dataTable getAll'))!,
    id,
  );
  expect(first.error).toBeUndefined();
  const token = String(service.requests.at(-1)!.headers.authorization).replace('Bearer ', '');
  expect(token.length).toBeGreaterThan(8);
  return {
    service,
    canaries: [service.keys.appKey, service.keys.appSecret, password, `Bearer ${token}`],
    cases: takeShare(all, Number(id.split('-')[1])),
    id,
  };
}

/** Operations that reported no failure. For Get Status a refused token is an answer, not a failure. */
const findUnharmed = (cases: OperationCase[], runs: Run[]): string[] =>
  cases
    .filter((_, index) => {
      const { error } = runs[2 * index]!;
      return !error && runs[2 * index]!.getJson('Node')[0]?.valid !== false;
    })
    .map(({ name }) => name);

const run = ({ type, parameters }: OperationCase, id: string, extra: object = {}): Promise<Run> =>
  engine.run(
    chainNodes(
      START,
      createNode('Node', type, parameters, {
        credentials: { recordDatabaseApi: { id, name: id } },
        ...extra,
      }),
    ),
    { input: [{ json: ITEM }] },
  );

/** A row for the operation that imports items. */
const ITEM = { company: 'Canary', email: 'canary@example.com' };

/** Finds the secrets that appear in the printed and the serialised result of a run. */
function findLeaks(runs: Run[], canaries: string[]): string[] {
  const secrets = canaries.map((one) => one.replace('Bearer ', ''));
  const texts = runs.flatMap(({ data }) => [inspect(data, { depth: Infinity }), JSON.stringify(data)]);
  texts.push(inspect(engine.logs, { depth: Infinity, maxArrayLength: Infinity }));
  return texts.flatMap((text) =>
    secrets
      .filter((secret) => text.includes(secret))
      .map((secret) => text.slice(Math.max(0, text.indexOf(secret) - 200))),
  );
}

/** Runs each case twice: with an error that stops the workflow, and with one that becomes an item. */
async function runAll(cases: OperationCase[], id: string): Promise<Run[]> {
  const runs: Run[] = [];
  for (let start = 0; start < cases.length; start += CASES_AT_ONCE) {
    const batch = cases
      .slice(start, start + CASES_AT_ONCE)
      .flatMap((one) => [run(one, id), run(one, id, { onError: 'continueRegularOutput' })]);
    runs.push(...(await Promise.all(batch)));
  }
  return runs;
}

const CASES_AT_ONCE = 8;

/** The cases for the environment with this number. All environments together cover all cases. */
function takeShare(cases: OperationCase[], environment: number): OperationCase[] {
  const size = scaleRuns(cases.length);
  return Array.from({ length: size }, (_, index) => cases[(environment * size + index) % cases.length]!);
}

test.each(Object.keys(FAULTS))('%s: nothing leaks from any operation', async (name) => {
  const { service, canaries, cases, id } = await startEnvironment(name === 'timeout' ? 1 : undefined);
  const before = service.requests.length;
  service.faults.add({ times: Infinity, fault: FAULTS[name]!(canaries, service) });
  const runs = await runAll(cases, id);
  expect(findLeaks(runs, canaries)).toEqual([]);
  expect(findUnharmed(cases, runs)).toEqual([]);
  expect(service.requests.length).toBeGreaterThan(before);
  expect(service.violations.filter(({ message }) => /secret|another origin/.test(message))).toEqual([]);
});

test.each([
  ['a port where nothing listens', async () => `http://127.0.0.1:${await reserveClosedPort()}`],
  ['an unknown host', async () => 'http://no-such-host.invalid'],
])('%s: nothing leaks', async (_, address) => {
  const baseUrl = await address();
  const { service, canaries, cases, id } = await startEnvironment();
  await engine.setCredential(
    'recordDatabaseApi',
    { ...(await engine.getStoredCredential('recordDatabaseApi', id)), baseUrl },
    { id: `${id}-lost`, name: id },
  );
  const runs = await runAll(cases, `${id}-lost`);
  expect(findLeaks(runs, canaries)).toEqual([]);
  expect(findUnharmed(cases, runs)).toEqual([]);
  expect(service.requests.length).toBeGreaterThan(0);
});
