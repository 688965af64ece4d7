import { inspect } from 'node:util';
import { chain, node, startEngine, type Engine, type Run } from '../harness';
import { closedPort, withoutInvalidHosts } from '../harness/unreachable';
import { startService, type Fault, type Service } from '../service';
import { everyOperation, type OperationCase } from './operations';
import { START } from './support';

/** R7: no key, token or password in any error, item, log or URL, whatever goes wrong. */

const echo = (canaries: string[]) => ({
  type: 'error',
  msg: `Wrong: ${canaries.join(' ')}`,
  errors: { company: canaries },
});

const status =
  (code: number) =>
  (canaries: string[]): Fault => ({
    type: 'status',
    status: code,
    body: echo(canaries),
  });

const FAULTS: Record<string, (canaries: string[], service: Service) => Fault> = {
  ...Object.fromEntries([400, 401, 403, 404, 412, 422, 500].map((code) => [code, status(code)])),
  '429 of the minute': (canaries) => ({
    ...(status(429)(canaries) as Fault & { type: 'status' }),
    headers: { 'x-ratelimit-limit': '9', 'x-ratelimit-remaining': '0', 'x-retry-after': '0.001' },
  }),
  '429 of the day': (canaries) => ({
    type: 'status',
    status: 429,
    body: { ...echo(canaries), msg: `Too Many Attempts In Day ${canaries.join(' ')}` },
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
  withoutInvalidHosts();
});
afterAll(async () => {
  await engine.stop();
  await Promise.all(services.map((service) => service.stop()));
});

async function world(): Promise<{
  service: Service;
  canaries: string[];
  cases: OperationCase[];
  id: string;
}> {
  const service = await startService({ perMinute: 1_000_000, perDay: 10_000_000, seed: services.length + 1 });
  services.push(service);
  const { email, password } = service.user;
  const data = { baseUrl: service.baseUrl, ...service.keys, userLogin: true, email, password };
  const id = `credential-${services.length}`;
  await engine.setCredential('recordDatabaseApi', data, { id, name: id });
  const cases = everyOperation(engine, service);
  // One call that works: it logs in, and the limit becomes known.
  const first = await run(
    cases.find(({ name }) => name.endsWith('dataTable getAll'))!,
    id,
  );
  expect(first.error).toBeUndefined();
  const { sessionToken } = (await engine.storedCredential('recordDatabaseApi', id)) as {
    sessionToken: string;
  };
  const token = sessionToken.split(':')[1]!;
  expect(token.length).toBeGreaterThan(8);
  return {
    service,
    canaries: [service.keys.appKey, service.keys.appSecret, password, `Bearer ${token}`],
    cases,
    id,
  };
}

/** Operations that told no failure. A token that is refused is none to Get Status, but its answer. */
const unharmed = (cases: OperationCase[], runs: Run[]): string[] =>
  cases
    .filter((_, index) => {
      const { error } = runs[2 * index]!;
      return !error && runs[2 * index]!.jsonOf('Node')[0]?.valid !== false;
    })
    .map(({ name }) => name);

const run = (
  { type, parameters }: OperationCase,
  id: string,
  timeout = 120,
  extra: object = {},
): Promise<Run> =>
  engine.run(
    chain(
      START,
      node(
        'Node',
        type,
        { ...parameters, requests: { timeout, parallel: 4 } },
        {
          credentials: { recordDatabaseApi: { id, name: id } },
          ...extra,
        },
      ),
    ),
  );

/** Where a canary shows; the whole run as people and machines print it. */
function leaks(runs: Run[], canaries: string[]): string[] {
  const secrets = canaries.map((one) => one.replace('Bearer ', ''));
  const texts = runs.flatMap(({ data }) => [inspect(data, { depth: Infinity }), JSON.stringify(data)]);
  texts.push(inspect(engine.logs, { depth: Infinity, maxArrayLength: Infinity }));
  return texts.flatMap((text) =>
    secrets
      .filter((secret) => text.includes(secret))
      .map((secret) => text.slice(Math.max(0, text.indexOf(secret) - 200))),
  );
}

async function runAll(cases: OperationCase[], id: string, timeout?: number): Promise<Run[]> {
  const runs = cases.flatMap((one) => [
    run(one, id, timeout),
    run(one, id, timeout, { onError: 'continueRegularOutput' }),
  ]);
  return Promise.all(runs);
}

test.concurrent.each(Object.keys(FAULTS))('%s: nothing leaks from any operation', async (name) => {
  const { service, canaries, cases, id } = await world();
  const before = service.requests.length;
  service.faults.add({ times: Infinity, fault: FAULTS[name]!(canaries, service) });
  const runs = await runAll(cases, id, name === 'timeout' ? 0.2 : undefined);
  expect(leaks(runs, canaries)).toEqual([]);
  expect(unharmed(cases, runs)).toEqual([]);
  expect(service.requests.length).toBeGreaterThan(before + cases.length / 2);
  expect(service.violations.filter(({ message }) => /secret|another origin/.test(message))).toEqual([]);
});

test.concurrent.each([
  ['a port where nothing listens', async () => `http://127.0.0.1:${await closedPort()}`],
  ['an unknown host', async () => 'http://no-such-host.invalid'],
])('%s: nothing leaks', async (_, address) => {
  const baseUrl = await address();
  const { service, canaries, cases, id } = await world();
  await engine.setCredential(
    'recordDatabaseApi',
    { ...(await engine.storedCredential('recordDatabaseApi', id)), baseUrl },
    { id: `${id}-lost`, name: id },
  );
  const runs = await runAll(cases, `${id}-lost`);
  expect(leaks(runs, canaries)).toEqual([]);
  expect(unharmed(cases, runs)).toEqual([]);
  expect(service.requests.length).toBeGreaterThan(0);
});
