/* eslint-disable no-console -- not shipped: runs on Node */
/**
 * `npx tsx scripts/client-example.ts`: what the client does, without n8n, against the embedded service: find, read all,
 * create, update, upsert, sync, import, wait, download.
 */
import { createClient } from '../nodes/client';
import { exportEndpoints } from '../nodes/client/endpoints/catalogue';
import { MEGABYTE } from '../nodes/client/files/openDownload';
import { parseFilterJson } from '../nodes/client/filter/parseFilterJson';
import { FormBody } from '../nodes/client/http/formBody';
import type { Port } from '../nodes/client/http/port';
import { createExportPlan, importPlan } from '../nodes/client/jobs/runJob';
import { createMatchKey } from '../nodes/client/records/findByValues';
import { encodeRecordValues } from '../nodes/client/records/payload';
import { createSyncKey } from '../nodes/client/sync/syncTable';
import { type Service, startService } from '../test/service';
import { createFetchPort } from '../test/support/fetchPort';

const timeZone = 'UTC';
const WAIT = { limitSeconds: 60, failsAsError: true, timesOutAsError: true };

/** Does everything once. Returns what each step did. */
export async function runExample(service: Service, port: Port = createFetchPort(), settings = {}) {
  const { baseUrl, keys, fileHost } = service;
  const credential = { baseUrl, ...keys, userLogin: 'none', fileHosts: fileHost, ...settings };
  const client = createClient(port, credential);
  const products = (await client.tables.list()).find(({ name }) => name === 'Products');
  const table = await client.tables.get(String(products?.id));
  const tableId = table.id;
  const encode = (values: object) => encodeRecordValues({ ...values }, table, { timeZone });

  const filters = await client.filters.build(parseFilterJson('{"price": {">": 50}}'), table, timeZone);
  const found = await client.records.readAll({ tableId, filters });
  const all = await client.records.readAll({ tableId });

  const entries = encode({ name: 'Lamp', sku: 'L-1', price: 5 });
  const created = await client.records.create({ table, entries });
  const update = { table, recordId: created.id, entries: encode({ price: 7 }), timeZone };
  const { action: updated } = await client.records.update(update);

  const upsert = (values: object) => {
    const given = encode(values);
    return client.records.upsert({
      table,
      key: createMatchKey(['sku'], given, table),
      prepare: async () => given,
      update: async (_, matches) => {
        for (const { id: recordId } of matches)
          await client.records.update({ table, recordId, entries: given, timeZone });
        return 'updated';
      },
      create: (all) => client.records.create({ table, entries: all }),
      finish: async () => 'created',
    });
  };
  const upserted = [await upsert({ sku: 'L-1', price: 8 }), await upsert({ sku: 'C-1', name: 'Chair' })];

  const rows = [
    { sku: 'L-1', price: 9 },
    { sku: 'T-1', name: 'Table', price: 80 },
  ];
  const inputs = rows.map(encode).map((values, index) => {
    return { index, key: createSyncKey(['sku'], values, table), entries: values };
  });
  const plan = await client.records.planSync({
    table,
    matchColumns: ['sku'],
    readInputs: async () => inputs,
  });
  const { counts } = await client.records.applySync({ plan, timeZone });

  const data = Buffer.from('name,sku,price\nDesk,D-1,120\nShelf,S-1,60\n');
  const form = new FormBody([['file', { fileName: 'products.csv', mimeType: 'text/csv', data }]]);
  const job = await client.imports.start(service.addImport(service.getTable('Products')), form);
  const imported = await client.jobs.wait(importPlan, WAIT, job);

  const { body: templates } = await client.call(exportEndpoints.listTemplates);
  const [template] = templates.items as Array<{ id: string }>;
  const path = { templateId: String(template?.id) };
  const exporting = await client.jobs.start(
    createExportPlan(path.templateId),
    async () => (await client.call(exportEndpoints.trigger, { path })).body,
  );
  const exported = await client.jobs.wait(createExportPlan(path.templateId), WAIT, exporting);
  const file = await client.files.open(exported.download_url, MEGABYTE);
  let bytes = 0;
  for await (const chunk of file.stream as unknown as AsyncIterable<Uint8Array>) bytes += chunk.length;

  return {
    find: found.length,
    readAll: all.length,
    create: created.id,
    update: updated,
    upsert: upserted.join(', '),
    sync: `${counts.created} created, ${counts.updated} updated`,
    import: `${String(imported.processed_rows)} rows`,
    download: `${file.fileName}, ${bytes} bytes`,
  };
}

async function main(): Promise<void> {
  const service = await startService();
  console.log(await runExample(service));
  await service.stop();
}

if (require.main === module) void main();
