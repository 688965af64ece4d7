import {
  deleteMatchingRecords,
  deleteRecord,
  readRecordPage,
  getTable,
  readRecord,
  selectRecords,
  updateRecord,
} from '../../nodes/records';
import type { ServiceOptions } from '../service';
import { ClientEnvironment } from './support';

/** The reading of one record: a record that does not exist, and answers about something else. */

const env = new ClientEnvironment();
beforeAll(() => env.start({ perMinute: 100_000 }));
afterAll(() => env.stop());
afterEach(() => {
  expect(env.service.violations).toEqual([]);
  env.service.faults.clear();
});

const NOT_FOUND = { status: 404, isFromService: true, message: 'The record "gone" does not exist' };

describe.each<ServiceOptions['missingRecord']>([404, 'emptyList', 'emptyObject', 'zero', 'null'])(
  'a record that does not exist, answered with %p',
  (missingRecord) => {
    beforeAll(() => void (env.service.options.missingRecord = missingRecord));

    test('is not found by a read, an update and a deletion', async () => {
      const { client, table, tableId, encode } = await env.openProducts();
      await expect(readRecord(client, tableId, 'gone')).rejects.toMatchObject(NOT_FOUND);
      await expect(readRecord(client, tableId, 'gone', { columns: ['id', 'name'] })).rejects.toMatchObject(
        NOT_FOUND,
      );
      const update = { timeZone: 'UTC', table, recordId: 'gone', entries: encode({ name: 'x' }) };
      await expect(updateRecord(client, update)).rejects.toMatchObject(NOT_FOUND);
      await expect(deleteRecord(client, tableId, 'gone')).rejects.toMatchObject({ status: 404 });
    });

    test('is not found by the check before a deletion', async () => {
      const { client, table } = await env.openProducts();
      const records = ['kept', 'gone'].map((name) =>
        env.service.getTable('Products').insert({ name, sku: name }),
      );
      const tree = {
        match: 'any' as const,
        conditions: records.map(({ name }) => ({ field: 'name', operator: 'is', value: name })),
        groups: [],
      };
      const found = await selectRecords(client, table, { filter: tree, timeZone: 'UTC' });
      expect(found.records).toHaveLength(2);
      env.service.getTable('Products').delete(records[1]!.id);
      // The records were read too long ago to be deleted without a check.
      const results = await deleteMatchingRecords(client, { ...found, readAt: -Infinity });
      expect(results.map(({ action }) => action)).toEqual(['deleted', 'notFound']);
    });
  },
);

/** The service answers the next reading of a record with this one. */
const answerRecord = (item: object) =>
  env.service.faults.add({
    when: { pattern: /records\/\w+$/ },
    fault: { type: 'status', status: 200, body: { type: 'success', item } },
  });

const answerPage = (...items: object[]) =>
  env.service.faults.add({
    when: { pattern: /records$/ },
    fault: { type: 'status', status: 200, body: { type: 'success', items, total_items: items.length } },
  });

describe('an answer about something else', () => {
  test('another record is an error that names both', async () => {
    const { client, table, tableId, encode } = await env.openProducts();
    const [first, second] = [...env.products.values()];
    const another = { message: `The service returned record "${second!.id}" in place of "${first!.id}"` };
    answerRecord({ ...second });
    await expect(readRecord(client, tableId, first!.id)).rejects.toMatchObject(another);
    answerRecord({ ...second });
    const before = { ...first };
    const update = { timeZone: 'UTC', table, recordId: first!.id, entries: encode({ name: 'Renamed' }) };
    await expect(updateRecord(client, update)).rejects.toMatchObject(another);
    expect(env.products.get(first!.id)).toEqual(before);
  });

  test('another record in the answer to a deletion is an error that names both', async () => {
    const { client, tableId } = await env.openProducts();
    const { id } = [...env.products.values()][0]!;
    env.service.faults.add({
      when: { method: 'DELETE' },
      fault: { type: 'status', status: 200, body: { type: 'success', recordId: 'another000' } },
    });
    await expect(deleteRecord(client, tableId, id)).rejects.toMatchObject({
      message: `Record ${id}: the service's answer shows another record, another000`,
    });
  });

  test('a record without any field of the table is an error that says what came', async () => {
    const { client, tableId } = await env.openProducts();
    const { id } = [...env.products.values()][0]!;
    answerRecord({ id, created_at: '2025-01-31 10:00:00', auto_increment: 7, subject: 'Hello' });
    await expect(readRecord(client, tableId, id)).rejects.toMatchObject({
      message: `The service returned a record without any field of the table "${tableId}": it has "id", "created_at", "auto_increment", "subject"`,
    });
    answerPage({ id, subject: 'Hello' });
    await expect(readRecordPage(client, { tableId }, 1, 50)).rejects.toMatchObject({
      message: expect.stringContaining('without any field of the table'),
    });
  });

  test('one field is enough, and the fields that were asked for count', async () => {
    const { client, tableId } = await env.openProducts();
    const { id } = [...env.products.values()][0]!;
    answerRecord({ id, name: '' });
    await expect(readRecord(client, tableId, id)).resolves.toEqual({ id, name: '' });
    answerRecord({ name: 'Lamp' });
    const columns = { columns: ['id', 'name'] };
    await expect(readRecord(client, tableId, id, columns)).resolves.toEqual({ id, name: 'Lamp' });
    answerRecord({ id, sku: 'A1' });
    await expect(readRecord(client, tableId, id, columns)).rejects.toMatchObject({
      message: expect.stringContaining('without any field'),
    });
    answerPage({ id, created_at: '2025-01-31 10:00:00' });
    const page = readRecordPage(client, { tableId, columns: ['id', 'created_at'] }, 1, 50);
    await expect(page).resolves.toMatchObject({ items: [{ id }] });
  });

  test('a field that was renamed since the fields were read is one of the table', async () => {
    const stored = env.service.addTable({ name: 'Memos', fields: [{ name: 'Text', type: 'Text' }] });
    const { id } = stored.insert({ text: 'a' });
    await getTable(env.createClient(), stored.id);
    Object.assign(stored.fields[0]!, { slug: 'body', name: 'Body' });
    Object.assign(stored.records.get(id)!, { body: 'a' });
    await expect(readRecord(env.createClient(), stored.id, id)).resolves.toMatchObject({ id, body: 'a' });
  });
});

test('more chosen columns than an address can name are cut from the whole record', async () => {
  const name = (at: number) => `Column With A Long Name ${at}`;
  const fields = Array.from({ length: 300 }, (_, at) => ({ name: name(at), type: 'Text' as const }));
  const stored = env.service.addTable({ name: 'Wide', fields });
  const key = stored.fields[0]!.key;
  const { id } = stored.insert({ [key]: 'a', [stored.fields[299]!.key]: 'b' });
  const client = env.createClient();
  const table = await getTable(client, stored.id);
  const slugs = table.fields.filter((field) => field.name.startsWith('Column')).map(({ slug }) => slug);
  const read = async (chosen: string[]) => {
    const from = env.service.requests.length;
    const record = await readRecord(client, table.id, id, { columns: ['id', ...chosen] });
    return { record, url: env.service.requests[from]?.url };
  };
  const wide = await read(slugs.slice(0, 299));
  expect(wide.url).not.toContain('columns');
  expect(Object.keys(wide.record).sort()).toEqual([...slugs.slice(0, 299), 'id'].sort());
  expect(wide.record).toMatchObject({ id, [slugs[0]!]: 'a' });
  expect((await read(slugs.slice(0, 2))).url).toContain('columns');
});
