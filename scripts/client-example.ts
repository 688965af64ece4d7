/* eslint-disable no-console -- not shipped: runs on Node */
/**
 * `npx tsx scripts/client-example.ts`: what the client does, without n8n, against the embedded service: find, read all,
 * create, update, upsert, sync, import, wait, download.
 */
import {
  applySync,
  buildRecordFilter,
  createMatchKey,
  createRecord,
  encodeRecordValues,
  listTables,
  getTable,
  parseFilterJson,
  planTableSync,
  readAllRecords,
  updateRecord,
  upsertRecord,
} from '../nodes/records';
import { createClient, exportEndpoints, FormBody, download, type Port, runToEnd } from '../nodes/service';
import { type Service, startService } from '../test/service';
import { createFetchPort } from '../test/support/fetchPort';

const timeZone = 'UTC';
const WAIT = { limitSeconds: 60, throwsOnFailure: true, throwsOnTimeout: true };

/** Does everything once. Returns what each step did. */
export async function runExample(service: Service, port: Port = createFetchPort(), settings = {}) {
  const { baseUrl, keys, fileHost } = service;
  const credential = { baseUrl, ...keys, userLogin: 'none', fileHosts: fileHost, ...settings };
  const client = createClient(port, credential);
  const products = (await listTables(client)).find(({ name }) => name === 'Products');
  const table = await getTable(client, String(products?.id));
  const tableId = table.id;
  const encode = (values: object) => encodeRecordValues({ ...values }, table, { timeZone });

  const filters = await buildRecordFilter(client, parseFilterJson('{"price": {">": 50}}'), table, timeZone);
  const found = await readAllRecords(client, { tableId, filters });
  const all = await readAllRecords(client, { tableId });

  const entries = encode({ name: 'Lamp', sku: 'L-1', price: 5 });
  const { record } = await createRecord(client, { table, entries });
  const update = { table, recordId: record.id, entries: encode({ price: 7 }), timeZone };
  const { action: updated } = await updateRecord(client, update);

  const columns = [table.requireWritableRef('sku', 'Fields to Match On')];
  const upsert = (values: object) => {
    const given = encode(values);
    return upsertRecord(client, async () => ({
      table,
      key: createMatchKey(columns, given),
      prepare: async () => given,
      update: async (recordId, change) => {
        await updateRecord(client, { table, recordId, ...change, timeZone });
        return 'updated';
      },
      create: async (creation) => (await createRecord(client, creation)).action,
    }));
  };
  const upserted = [await upsert({ sku: 'L-1', price: 8 }), await upsert({ sku: 'C-1', name: 'Chair' })];

  const rows = [
    { sku: 'L-1', price: 9 },
    { sku: 'T-1', name: 'Table', price: 80 },
  ];
  const inputs = rows.map((values, index) => ({ index, read: () => ({ entries: encode(values) }) }));
  const plan = await planTableSync(client, { table, columns, inputs });
  const synced = await applySync(client, { plan, timeZone });

  const data = Buffer.from('name,sku,price\nDesk,D-1,120\nShelf,S-1,60\n');
  const form = new FormBody([['file', { fileName: 'products.csv', mimeType: 'text/csv', data }]]);
  const importId = service.addImport(service.getTable('Products'));
  const imported = await runToEnd(client, { kind: 'import', id: importId, body: form }, WAIT);

  const { body: templates } = await client.call(exportEndpoints.listTemplates);
  const [template] = templates.items as Array<{ id: string }>;
  const exported = await runToEnd(client, { kind: 'export', id: String(template?.id) }, WAIT);
  const { download_url: address } = exported.entry;
  const file = await download(client, address, 1, async ({ stream, fileName }) => {
    let bytes = 0;
    for await (const chunk of stream as unknown as AsyncIterable<Uint8Array>) bytes += chunk.length;
    return `${fileName}, ${bytes} bytes`;
  });

  return {
    find: found.length,
    readAll: all.length,
    create: record.id,
    update: updated,
    upsert: upserted.flat().join(', '),
    sync: synced.map(({ action }) => action).join(', '),
    import: `${String(imported.entry.processed_rows)} rows`,
    download: file,
  };
}

async function main(): Promise<void> {
  const service = await startService();
  console.log(await runExample(service));
  await service.stop();
}

if (require.main === module) void main();
