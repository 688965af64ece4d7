import { chainNodes, createNode } from '../../harness';
import { START, TestEnvironment, TYPE } from '../support/testEnvironment';

/** A redirect is an error that names the target host; no request is sent to that host. */

let env: TestEnvironment;
beforeAll(async () => void (env = await TestEnvironment.start()));
afterAll(() => env.stop());

const targets = {
  'another port': () => env.service.secondOrigin.baseUrl,
  'another host': () => env.service.secondOrigin.baseUrl.replace('127.0.0.1', 'localhost'),
  'another scheme': () => env.service.secondOrigin.baseUrl.replace('http:', 'https:'),
  'the same host, another path': () => `${env.service.baseUrl}/elsewhere`,
};

const cases = [301, 302, 303, 307, 308].flatMap((status) =>
  Object.keys(targets).map((target) => [status, target] as [number, keyof typeof targets]),
);

test.each(cases)('%i to %s', async (status, target) => {
  const { service, engine } = env;
  const location = `${targets[target]()}/collect?from=api`;
  const before = service.requests.length;
  service.faults.add({ times: Infinity, fault: { type: 'redirect', status, location } });
  const table = env.getTable('Customers').id;
  for (const parameters of [
    { resource: 'dataTable', operation: 'getAll' },
    {
      resource: 'record',
      operation: 'delete',
      dataTableId: { __rl: true, mode: 'id', value: table },
      recordId: 'x1',
    },
  ]) {
    const { error } = await engine.run(chainNodes(START, createNode('Node', TYPE, parameters)));
    expect(error?.message).toBe(`The service redirects to ${new URL(location).host}, which is not followed`);
    expect(JSON.stringify(error)).not.toContain('from=api');
  }
  service.faults.clear();
  // Only the first request carries keys: none of the test servers received a second request.
  expect(service.requests.slice(before).map(({ path }) => path)).toHaveLength(2);
  expect(service.secondOrigin.requests).toEqual([]);
});
