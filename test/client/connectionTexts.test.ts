/* eslint-disable @n8n/community-nodes/no-restricted-globals -- not shipped: runs on Node */
import {
  addConnectedTexts,
  createItemConverter,
  getTable,
  readAllRecords,
  readRecord,
} from '../../nodes/records';
import { ClientEnvironment } from './support';

/** Texts of connected records that the answer about a record does not show (evidence 2): what is read, and how often. */

const env = new ClientEnvironment();
beforeAll(() => env.start({ perMinute: 100_000, sample: 'empty', getDisplayValues: 'hidden' }));
afterAll(() => env.stop());
beforeEach(() => env.service.faults.clear());

let count = 0;
/** A table of towns, one of visits that connect to them, and functions that read visits and count the requests. */
async function open(townCount: number) {
  count++;
  const title = { name: 'Title', type: 'Text' } as const;
  const towns = env.service.addTable({ name: `Towns ${count}`, fields: [title] });
  const visits = env.service.addTable({
    name: `Visits ${count}`,
    fields: [
      title,
      { name: 'Town', type: 'Connection', to: towns.name, many: false },
      { name: 'Stops', type: 'Connection', to: towns.name },
    ],
  });
  const ids = Array.from({ length: townCount }, (_, n) => towns.insert({ title: `Town ${n}` }).id);
  const addVisit = (values: object) => visits.insert({ title: 'A visit', ...values }).id;
  const { appKey, appSecret } = env.service.addKey();
  const openClient = async () => {
    const client = env.createClient({ appKey, appSecret });
    const table = await getTable(client, visits.id);
    const shape = createItemConverter({ simplified: true, client }, table);
    /** Requests for towns. */
    const countReads = async (run: () => Promise<unknown>) =>
      (await env.record(run)).filter(({ path }) => path.includes(`${towns.id}/records`)).length;
    const read = async (id: string) => {
      const [record] = await addConnectedTexts(client, table, [await readRecord(client, table.id, id)]);
      return shape(record!);
    };
    return { client, table, countReads, read, shape };
  };
  return { towns, ids, addVisit, openClient };
}

test('a text is read once in a run', async () => {
  const { ids, addVisit, openClient } = await open(3);
  const id = addVisit({ town: [ids[1]] });
  const { read, countReads } = await openClient();
  const expected = { id, town: 'Town 1', town_id: ids[1], stops: [], stops_id: [] };
  expect(await countReads(async () => expect(await read(id)).toMatchObject(expected))).toBe(1);
  expect(await countReads(() => read(id))).toBe(0);
  const later = await openClient();
  expect(await later.countReads(async () => expect(await later.read(id)).toMatchObject(expected))).toBe(0);
});

test('a list teaches the texts that it shows, and a later text replaces an earlier one', async () => {
  const { towns, ids, addVisit, openClient } = await open(2);
  const id = addVisit({ town: [ids[0]] });
  const { client, table, read, countReads } = await openClient();
  const list = () => readAllRecords(client, { tableId: table.id });
  await list();
  expect(await countReads(async () => expect(await read(id)).toMatchObject({ town: 'Town 0' }))).toBe(0);
  towns.update(ids[0]!, { title: 'Renamed' });
  await list();
  expect(await read(id)).toMatchObject({ town: 'Renamed' });
});

test('a run shows the present text of a record, although an earlier one has shown another', async () => {
  const { towns, ids, addVisit, openClient } = await open(2);
  const id = addVisit({ town: [ids[0]] });
  expect(await (await openClient()).read(id)).toMatchObject({ town: 'Town 0' });
  towns.update(ids[0]!, { title: 'Renamed' });
  // Deliveries at the same time share a text for a second.
  await new Promise((resolve) => setTimeout(resolve, 1_100));
  expect(await (await openClient()).read(id)).toMatchObject({ town: 'Renamed' });
});

test('many texts of a small table cost its pages, and of a large one at most 20 requests', async () => {
  const small = await open(40);
  const all = small.addVisit({ stops: small.ids });
  const { read, countReads } = await small.openClient();
  const texts = small.ids.map((_, n) => `Town ${n}`);
  expect(await countReads(async () => expect(await read(all)).toMatchObject({ stops: texts }))).toBe(1);

  const large = await open(6_000);
  const spread = large.ids.filter((_, n) => n % 200 === 0);
  const visits = spread.map((id) => large.addVisit({ town: [id] }));
  const reader = await large.openClient();
  const read30 = async () => {
    const shown: object[] = [];
    for (const id of visits) shown.push(await reader.read(id));
    return shown;
  };
  let shown: object[] = [];
  expect(await reader.countReads(async () => (shown = await read30()))).toBeLessThanOrEqual(20);
  const known = shown.filter((record) => 'town' in record);
  expect(known.length).toBeGreaterThanOrEqual(19);
  // A text that is not known is left out: an ID is never a text.
  expect(shown.map((record) => 'town_id' in record && record.town_id)).toEqual(spread);
});

test('texts of records that are read one after the other cost the pages of a small table', async () => {
  const { ids, addVisit, openClient } = await open(150);
  const visits = ids.map((id) => addVisit({ town: [id] }));
  const { read, countReads } = await openClient();
  const readAll = async () => {
    for (const [index, id] of visits.entries())
      expect(await read(id)).toMatchObject({ town: `Town ${index}` });
  };
  expect(await countReads(readAll)).toBeLessThanOrEqual(3);
});

test('a text that cannot be read is left out, and the record is read all the same', async () => {
  const { ids, addVisit, openClient, towns } = await open(2);
  const id = addVisit({ town: [ids[0]], stops: ids });
  const { read } = await openClient();
  env.service.faults.add({ when: { pattern: new RegExp(towns.id) }, fault: { type: 'status', status: 403 } });
  expect(await read(id)).toEqual(expect.not.objectContaining({ town: expect.anything() as unknown }));
  expect(await read(id)).toMatchObject({ town_id: ids[0], stops_id: ids });
});
