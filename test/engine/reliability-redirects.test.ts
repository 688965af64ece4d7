import { START, TYPE, World } from './support';
import { chain, node } from '../harness';

/** R8: a redirect is an error that names the host; nothing is sent there. */

let world: World;
beforeAll(async () => void (world = await World.start()));
afterAll(() => world.stop());

const targets = {
  'another port': () => world.service.elsewhere.baseUrl,
  'another host': () => world.service.elsewhere.baseUrl.replace('127.0.0.1', 'localhost'),
  'another scheme': () => world.service.elsewhere.baseUrl.replace('http:', 'https:'),
  'the same host, another path': () => `${world.service.baseUrl}/elsewhere`,
};

const cases = [301, 302, 303, 307, 308].flatMap((status) =>
  Object.keys(targets).map((target) => [status, target] as [number, keyof typeof targets]),
);

test.each(cases)('%i to %s', async (status, target) => {
  const { service, engine } = world;
  const location = `${targets[target]()}/collect?from=api`;
  const before = service.requests.length;
  service.faults.add({ times: Infinity, fault: { type: 'redirect', status, location } });
  const table = world.table('Customers').id;
  for (const parameters of [
    { resource: 'dataTable', operation: 'getAll' },
    {
      resource: 'record',
      operation: 'delete',
      dataTableId: { __rl: true, mode: 'id', value: table },
      recordId: 'x1',
    },
  ]) {
    const { error } = await engine.run(chain(START, node('Node', TYPE, parameters)));
    expect(error?.message).toBe(`The service redirects to ${new URL(location).host}, which is not followed`);
    expect(JSON.stringify(error)).not.toContain('from=api');
  }
  service.faults.clear();
  // The one hop that carries keys is the first: no second request reached any of our hosts.
  expect(service.requests.slice(before).map(({ path }) => path)).toHaveLength(2);
  expect(service.elsewhere.requests).toEqual([]);
});
