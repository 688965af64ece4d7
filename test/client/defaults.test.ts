import { addDefaultValues, encodeRecordValues, getTable } from '../../nodes/records';
import { ClientEnvironment } from './support';

/** The defaults of fields, which a new record gets from the nodes: the service does not apply them (spec: Record). */

const env = new ClientEnvironment();
beforeAll(() => env.start({ perMinute: 100_000, sample: 'empty' }));
afterAll(() => env.stop());
beforeEach(() => (env.hints.length = 0));
afterEach(() => expect(env.service.violations).toEqual([]));

let count = 0;

/** A table of which most fields have a default, and a function that adds the defaults to values. */
async function open(settings: object = {}) {
  const owners = env.service.addTable({
    name: `Owners ${++count}`,
    fields: [{ name: 'Title', type: 'Text' }],
  });
  const { id: owner } = owners.insert({ title: 'Ada' });
  const stored = env.service.addTable({
    name: `Tasks ${count}`,
    fields: [
      { name: 'Status', type: 'Select', options: ['lead', 'done'], defaultValue: 'lead' },
      { name: 'Amount', type: 'Number', defaultValue: '5' },
      { name: 'Due', type: 'Date', defaultValue: 'soon' },
      { name: 'Owner', type: 'Connection', to: owners.name, defaultValue: owner },
      { name: 'Code', type: 'Text', defaultValue: 'x', unique: true },
      { name: 'Plain', type: 'Text' },
    ],
  });
  const client = env.createClient(settings);
  const table = await getTable(client, stored.id);
  const add = async (values: Record<string, unknown>) => {
    const entries = encodeRecordValues(values, table, { timeZone: 'UTC' });
    return Object.fromEntries(await addDefaultValues(client, table, entries, 'UTC'));
  };
  return { add, client, owner, owners };
}

test('a field without a value gets its default, but for a unique one and one that its field does not take', async () => {
  const { add, client, owner } = await open();
  const defaults = { status: 'lead', amount: 5, owner: [owner] };
  expect(await add({ plain: 'a' })).toEqual({ ...defaults, plain: 'a' });
  client.notices.showUsageHints();
  expect(env.hints).toEqual([
    expect.stringMatching(/^The default of "Due" was left out\. "Due" cannot take "soon"/),
  ]);
});

test('a given field gets no default, also if its value is empty, and a record without values gets none', async () => {
  const { add } = await open();
  const given = { status: '', amount: null, due: null, owner: [] };
  expect(await add(given)).toEqual(given);
  expect(await add({})).toEqual({});
});

test('a connected record that was deleted is left out, and read once', async () => {
  const { add, client, owner, owners } = await open();
  owners.delete(owner);
  const since = env.service.requests.length;
  for (const due of ['2031-03-02', '2031-03-03'])
    expect(await add({ due })).toEqual({ status: 'lead', amount: 5, due });
  expect(env.service.requests.slice(since).filter(({ path }) => path.endsWith(owner))).toHaveLength(1);
  client.notices.showUsageHints();
  expect(env.hints).toEqual([expect.stringMatching(/^The default of "Owner" was left out\. "Owner"/)]);
});

test('a connected record that the key may not read is sent', async () => {
  const { add, owner } = await open(env.service.addKey({ permissions: { allow_get: false } }));
  expect(await add({ due: null })).toMatchObject({ owner: [owner] });
});
