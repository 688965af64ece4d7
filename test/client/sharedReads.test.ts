import { listTables, getTable, parseFilterJson, replaceNamesInStoredFilter } from '../../nodes/records';
import { clearMemories, type Client } from '../../nodes/service';
import { ClientEnvironment } from './support';

/** Executions share what the process keeps in memory. Stopping one of them harms no other. */

const env = new ClientEnvironment();
beforeAll(() => env.start({ perMinute: 100_000 }));
afterAll(() => env.stop());
afterEach(() => {
  expect(env.service.violations).toEqual([]);
  env.service.faults.clear();
});

const getId = (name: string) => env.service.getTable(name).id;

const READS: Array<[string, RegExp, (client: Client) => Promise<unknown>]> = [
  ['the fields of a table', /full-fields-info$/, (client) => getTable(client, getId('Products'))],
  ['the list of tables', /data-tables$/, (client) => listTables(client)],
  [
    'the filter of a trigger',
    /records$/,
    async (client) => {
      const { name } = [...env.products.values()][0]!;
      const tree = parseFilterJson(JSON.stringify({ products: name }));
      return replaceNamesInStoredFilter(client, tree, await getTable(client, getId('Orders')));
    },
  ],
];

test.each(READS)(
  '%s: a stopped execution does not fail the others that wait for its request',
  async (_, pattern, read) => {
    clearMemories();
    const stop = new AbortController();
    let release = () => undefined as void;
    const until = new Promise<void>((resolve) => (release = resolve));
    env.service.faults.add({ when: { pattern }, fault: { type: 'hold', until, cut: true } });
    const first = read(env.createClient({}, stop.signal));
    const failed = first.catch((error: unknown) => error);
    stop.abort();
    const others = [read(env.createClient()), read(env.createClient())];
    expect(await failed).toMatchObject({ code: 'cancelled' });
    release();
    const [one, other] = await Promise.all(others);
    expect(other).toBe(one);
    clearMemories();
    expect(one).toEqual(await read(env.createClient()));
  },
);
