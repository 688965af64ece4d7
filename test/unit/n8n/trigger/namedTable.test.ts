import { findNamedTable, findNamedTables } from '../../../../nodes/n8n/trigger/namedTable';
import { ClientEnvironment } from '../../../client/support';
import { advanceClock } from '../../../environment/advanceClock';

/** How often the list of tables is read for triggers that name their table. */

const MINUTE = 60_000;
const env = new ClientEnvironment();
beforeEach(async () => {
  // Times of the process that are longer than the list is used.
  advanceClock(120 * MINUTE);
  await env.start();
});
afterEach(() => env.stop());

const addTable = (name: string) => env.service.addTable({ name, fields: [{ name: 'Title', type: 'Text' }] });
/** The ID that a trigger finds in an execution of its own, and the number of requests for it. */
async function find(name: string, knownId?: string) {
  let id = '';
  const requests = await env.record(async () => {
    ({ id } = await findNamedTable(env.createClient(), name, { knownId }));
  });
  return [id, requests.length];
}

test('the list is used for an hour', async () => {
  const { id } = env.service.getTable('Orders');
  expect(await find('orders')).toEqual([id, 1]);
  expect(await find('Orders', id)).toEqual([id, 0]);
  advanceClock(59 * MINUTE);
  expect(await find('Orders')).toEqual([id, 0]);
  advanceClock(2 * MINUTE);
  expect(await find('Orders')).toEqual([id, 1]);
});

test('a name that it lacks is looked for in a list of the last 30 seconds', async () => {
  await find('Orders');
  const { id } = addTable('Added');
  await expect(find('Added')).rejects.toThrow('no table "Added"');
  advanceClock(31_000);
  expect(await find('Added')).toEqual([id, 1]);
});

test('a table that has taken the name of another one meanwhile is found', async () => {
  const [one, other] = [addTable('Bills'), addTable('New Bills')];
  await find('Bills');
  Object.assign(one, { name: 'Old Bills' });
  Object.assign(other, { name: 'Bills' });
  advanceClock(31_000);
  expect(await find('Bills', other.id)).toEqual([other.id, 1]);
});

test('several names take one request when the workflow is published, and none afterwards', async () => {
  const ids = ['Orders', 'Customers'].map((name) => env.service.getTable(name).id);
  await find('Orders');
  const read = (options?: { isFresh: boolean }) =>
    env.record(async () => {
      const found = await findNamedTables(env.createClient(), ['Orders', 'Customers'], {}, options);
      expect(Object.values(found)).toEqual(ids);
    });
  expect(await read({ isFresh: true })).toHaveLength(1);
  expect(await read()).toHaveLength(0);
});
