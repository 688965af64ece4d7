import { parse } from 'csv-parse/sync';
import { http, listViolations, ManualClock, openService } from '../client';

type Opened = Awaited<ReturnType<typeof openService>>;
let { service, api, app }: Opened = {} as Opened;
let clock: ManualClock;
beforeEach(async () => {
  clock = new ManualClock();
  ({ service, api, app } = await openService({ clock, jobMs: 10_000 }));
});
afterEach(() => service.stop());

const CSV = `Name,sku,Stock,description
Lamp A,CSV-1,3,"<p>one, two</p>"
Lamp B,CSV-2,x,
,CSV-3,1,
Lamp D,CSV-1,1,
`;

async function upload(csv = CSV) {
  const { items } = (await app.get('/imports', { params: { dataTableId: service.getTable('Products').id } }))
    .data;
  const form = new FormData();
  form.append('file', new Blob([csv], { type: 'text/csv' }), 'products.csv');
  return app.post(`/imports/${items[0].id}/trigger`, form);
}

describe('imports', () => {
  test('templates, paged and by table', async () => {
    const { data } = await app.get('/imports', { params: { limit: 1, page: 2 } });
    expect(data).toMatchObject({ total_items: 2, items: [{ dataTable: { name: 'Products' } }] });
    const { item } = (await app.get(`/imports/${data.items[0].id}`)).data;
    expect(item).toEqual(data.items[0]);
    expect((await app.get('/imports/x')).status).toBe(404);
  });

  test('a CSV becomes records, row by row', async () => {
    const before = service.getTable('Products').records.size;
    const { queue_id } = (await upload()).data;
    const getStatus = async () => (await app.get(`/imports/status/${queue_id}`)).data.items[0];
    expect(await getStatus()).toEqual({
      id: queue_id,
      status: 'Processing',
      total_rows: 4,
      processed_rows: 0,
      error_rows: 0,
      created_at: '2025-06-15 12:00:00',
    });
    clock.advance(2_500);
    expect(await getStatus()).toMatchObject({ processed_rows: 1, error_rows: 0 });
    clock.advance(7_500);
    // Text for a number, a missing required name and a taken SKU.
    expect(await getStatus()).toMatchObject({ status: 'Complete', processed_rows: 4, error_rows: 3 });
    const added = [...service.getTable('Products').records.values()].slice(before);
    expect(added).toMatchObject([{ name: 'Lamp A', sku: 'CSV-1', stock: 3, description: '<p>one, two</p>' }]);
    expect((await app.get(`/imports/queues/${queue_id}`)).data.item).toEqual(await getStatus());
    expect((await app.get('/imports/queues')).data.items).toHaveLength(1);
    expect(listViolations(service)).toEqual([]);
  });

  test('no file, no import; and the key of the queue id is an option', async () => {
    const [{ id }] = (await app.get('/imports')).data.items;
    expect((await app.post(`/imports/${id}/trigger`, new FormData())).status).toBe(422);
    service.options.queueIdKey = 'id';
    expect((await upload()).data.id).toEqual(expect.any(String));
  });

  test.each([
    ['data_source', 200],
    ['source', 422],
  ])('a data source under the part name "%s" answers %i', async (name, status) => {
    const [{ id }] = (await app.get('/imports')).data.items;
    const form = new FormData();
    form.append(name, CSV);
    expect((await app.post(`/imports/${id}/trigger`, form)).status).toBe(status);
    expect((await app.get('/imports/queues')).data.total_items).toBe(status === 200 ? 1 : 0);
  });

  test('other status words, and other keys of what the spec does not show', async () => {
    Object.assign(service.options, { listKey: 'data', itemKey: 'data' });
    Object.assign(service.options.statusWords, { importRunning: 'Waiting', importEnded: 'Done' });
    const { data: items } = (await app.get('/imports')).data;
    const form = new FormData();
    form.append('file', new Blob([CSV]), 'products.csv');
    const { queue_id } = (await app.post(`/imports/${items[0].id}/trigger`, form)).data;
    expect((await app.get(`/imports/queues/${queue_id}`)).data.data.status).toBe('Waiting');
    clock.advance(10_000);
    expect((await app.get('/imports/queues')).data.data).toMatchObject([{ status: 'Done' }]);
  });
});

describe('exports', () => {
  const findTemplate = async (name: string) => {
    const { items } = (await app.get('/exports/templates')).data;
    return items.find((item: { dataTable: { name: string } }) => item.dataTable.name === name);
  };
  const runExport = async (name: string, body: unknown = {}) => {
    const { queue_id } = (await app.post(`/exports/templates/${(await findTemplate(name)).id}/trigger`, body))
      .data;
    const started = (await app.get(`/exports/queues/${queue_id}`)).data.item;
    clock.advance(10_000);
    const ended = (await app.get(`/exports/queues/${queue_id}`)).data.item;
    return { started, ended, rows: parse((await http.get(ended.download_url)).data, { columns: true }) };
  };

  test('two lists of templates, and one of them', async () => {
    expect((await app.get('/exports')).data).toEqual((await app.get('/exports/templates')).data);
    const one = await findTemplate('Orders');
    expect((await app.get(`/exports/templates/${one.id}`)).data.item).toEqual(one);
  });

  test('every record, with the columns of the template', async () => {
    const { started, ended, rows } = await runExport('Customers');
    expect(started).toMatchObject({ status: 'Processing', complete: 0, end_date: null, download_url: '' });
    expect(ended).toMatchObject({
      dataTable: { id: service.getTable('Customers').id, name: 'Customers' },
      exportTemplate: { name: 'Customers list' },
      status: 'Complete',
      complete: 100,
      start_date: '2025-06-15 12:00:00',
      end_date: '2025-06-15 12:00:10',
    });
    expect(rows).toHaveLength(300);
    const [record] = service.getTable('Customers').records.values();
    expect(rows[0]).toMatchObject({ Email: record?.email, Company: record?.company });
    expect((await app.get('/exports/queues')).data.items).toEqual([ended]);
  });

  test('filters and columns of the request', async () => {
    const filters = { condition: 'AND', items: [{ field_id: 'status', operator: 'is', val: 'open' }] };
    const { rows } = await runExport('Orders', { filters, columns: ['number', 'customer'] });
    const open = [...service.getTable('Orders').records.values()].filter(({ status }) => status === 'open');
    const [customer] = open[0]!.customer as string[];
    expect(rows).toHaveLength(open.length);
    expect(rows[0]).toEqual({
      Number: open[0]?.number,
      Customer: service.getTable('Customers').getDisplayText(String(customer)),
    });
    expect(listViolations(service)).toEqual([]);
  });

  test('the file is on another origin, where key headers are a leak', async () => {
    const { ended } = await runExport('Orders');
    expect(new URL(ended.download_url).origin).toBe(service.secondOrigin.baseUrl);
    expect(new URL(ended.download_url).origin).not.toBe(service.baseUrl);
    await api.get(ended.download_url);
    expect(listViolations(service)).toHaveLength(3);
  });

  test('unknown columns and body keys are noted', async () => {
    await runExport('Orders', { columns: ['number', 'nope'], format: 'csv' });
    expect(listViolations(service)).toEqual([
      expect.stringContaining('"format"'),
      expect.stringContaining('"nope"'),
    ]);
  });
});
