import type { RequestListener } from 'node:http';
import { gzipSync } from 'node:zlib';
import { runOperation } from './cases';
import { stranger } from './stranger';
import { byId, outputOf, World } from './support';

const [FILES, PDF] = ['RecordDatabaseImportExport', 'RecordDatabasePdf'] as const;
const ENTRY = 'GET /api/v1.1/{appId}/exports/queues/{queueId}';
const MEGABYTE = 1024 * 1024;

let world: World;
beforeAll(async () => {
  world = await World.start({ jobMs: 50 });
});
afterAll(() => world.stop());
afterEach(() => {
  world.service.faults.clear();
  expect(world.violations()).toEqual([]);
});

async function exportOf(table: string) {
  const templates = outputOf(
    await runOperation(world, FILES, { resource: 'export', operation: 'getAllTemplates' }),
  );
  const template = templates.find(({ name }) => name === `${table} list`)!;
  return {
    resource: 'export',
    operation: 'run',
    templateId: byId(String(template.id)),
    wait: true,
    download: true,
  };
}

const details = (run: { error?: unknown }) => String((run.error as { description?: string }).description);

describe('an export', () => {
  test('is waited for and downloaded, without any credential', async () => {
    const run = await runOperation(world, FILES, await exportOf('Customers'));
    const [entry] = outputOf(run);
    expect(entry).toMatchObject({
      status: 'Complete',
      _completion: 'finished',
      download_url: expect.any(String),
    });
    const [item] = run.itemsOf('Node');
    expect(item!.binary!.data).toMatchObject({
      mimeType: 'text/csv',
      fileName: expect.stringMatching(/\.csv$/),
    });
    const lines = (await run.binaryOf(item)).toString().trim().split('\r\n');
    expect(lines).toHaveLength(world.table('Customers').records.size + 1);
    const [fetched] = world.service.elsewhere.requests.splice(0);
    expect(Object.keys(fetched!.headers).filter((name) => /^x-|authorization|cookie/.test(name))).toEqual([]);
  });

  test('is filtered, with the columns asked for, under the name asked for', async () => {
    const customers = world.table('Customers');
    const active = [...customers.records.values()].filter(({ status }) => status === 'active').length;
    const run = await runOperation(world, FILES, {
      ...(await exportOf('Customers')),
      dataTableId: byId(customers.id),
      filterMode: 'manual',
      conditions: { items: [{ field: 'status|choice', operator: 'is', choiceValue: 'active' }] },
      columns: ['company', 'status'],
      options: { outputField: 'customers' },
    });
    outputOf(run);
    const text = (await run.binaryOf(run.itemsOf('Node')[0], 'customers')).toString();
    expect(text.split('\r\n')[0]!.split(',')).toHaveLength(2);
    expect(text.trim().split('\r\n')).toHaveLength(active + 1);
  });

  test('with an unknown column or a filter without a table is not started', async () => {
    const before = world.seen().filter((one) => one.endsWith('/trigger')).length;
    const dataTableId = byId(world.table('Customers').id);
    const unknown = await runOperation(world, FILES, {
      ...(await exportOf('Customers')),
      dataTableId,
      columns: ['compny'],
    });
    expect(unknown.error?.message).toBe('Columns: the table has no field "compny"');
    const homeless = await runOperation(world, FILES, {
      ...(await exportOf('Customers')),
      columns: ['company'],
    });
    expect(homeless.error?.message).toBe('A filter or a list of columns needs the table of the export');
    expect(world.seen().filter((one) => one.endsWith('/trigger'))).toHaveLength(before);
  });

  test('its queue entry brings the file as well', async () => {
    const { wait: _, ...parameters } = await exportOf('Orders');
    const [{ queue_id: queueId }] = outputOf(await runOperation(world, FILES, parameters)) as [
      { queue_id: string },
    ];
    await new Promise((resolve) => setTimeout(resolve, 100));
    const entry = { resource: 'export', operation: 'getQueueEntry', queueId: byId(queueId), download: true };
    const run = await runOperation(world, FILES, entry);
    expect(outputOf(run)).toMatchObject([{ id: queueId, status: 'Complete' }]);
    expect((await run.binaryOf(run.itemsOf('Node')[0])).length).toBeGreaterThan(100);
    world.service.faults.add(entryWith(''));
    expect((await runOperation(world, FILES, entry)).error?.message).toBe('The export has no file yet');
  });
});

test('an answer without a known list is handed on as it is', async () => {
  const body = { type: 'success', data: { items: [{ id: 'i1' }] } };
  const LIST = 'GET /api/v1.1/{appId}/imports';
  world.service.faults.add({ when: { pattern: LIST }, fault: { type: 'status', status: 200, body } });
  const getAll = { resource: 'import', operation: 'getAll', returnAll: true };
  expect(outputOf(await runOperation(world, FILES, getAll))).toEqual([body]);
});

test.each([
  [FILES, 'import', 'get', 'importId', 'getAll'],
  [FILES, 'export', 'getTemplate', 'templateId', 'getAllTemplates'],
  [PDF, 'pdfPage', 'get', 'pdfPageId', 'getAll'],
  [PDF, 'pdfForm', 'get', 'pdfFormId', 'getAll'],
])('%s %s %s puts out the thing itself', async (folder, resource, operation, name, list) => {
  const [first] = outputOf(await runOperation(world, folder, { resource, operation: list }));
  const get = { resource, operation, [name]: byId(String(first!.id)) };
  expect(outputOf(await runOperation(world, folder, get))).toEqual([first]);
});

test.each<[string, (entry: object) => unknown]>([
  ['the only item of a list', (entry) => ({ type: 'success', items: [entry] })],
  ['a bare list', (entry) => [entry]],
])('the entry of a run may come as %s, and with its file', async (_, shown) => {
  const { port } = await stranger((_request, response) => response.end('a,b'));
  const entry = { id: 'q1', status: 'Complete', download_url: `http://127.0.0.1:${port}/a.csv` };
  const body = shown(entry);
  world.service.faults.add({ when: { pattern: ENTRY }, fault: { type: 'status', status: 200, body } });
  const get = { resource: 'export', operation: 'getQueueEntry', queueId: byId('q1'), download: true };
  const run = await runOperation(world, FILES, get);
  expect(outputOf(run)).toEqual([entry]);
  expect((await run.binaryOf(run.itemsOf('Node')[0])).toString()).toBe('a,b');
});

/** An entry whose file is said to lie at this address. */
const entryWith = (address: unknown) => ({
  when: { pattern: ENTRY },
  fault: {
    type: 'status' as const,
    status: 200,
    body: { type: 'success', item: { id: 'q1', status: 'Complete', download_url: address } },
  },
});

const fetchFrom = async (address: unknown, options: object = {}) => {
  world.service.faults.add(entryWith(address));
  const entry = {
    resource: 'export',
    operation: 'getQueueEntry',
    queueId: byId('q1'),
    download: true,
    options,
  };
  return runOperation(world, FILES, entry);
};

describe('addresses that are not fetched', () => {
  test('60 hostile addresses, 0 requests', async () => {
    const { port, count } = await stranger((_, response) => response.end('taken'));
    const at = `127.0.0.1:${port}`;
    const hosts = [
      'localhost',
      'LOCALHOST',
      'localhost.',
      'foo.localhost',
      '127.2',
      '127.0.0.2',
      '2130706434',
      '0x7f000002',
      '0177.0.0.2',
      '0.0.0.0',
      '0',
      '[::1]',
      '[::]',
      '[::ffff:127.0.0.1]',
      '[::ffff:7f00:1]',
      '10.0.0.1',
      '172.16.0.1',
      '172.31.255.254',
      '192.168.0.1',
      '169.254.169.254',
      '100.64.0.1',
      '198.18.0.1',
      '224.0.0.1',
      '255.255.255.255',
      '[fd00::1]',
      '[fe80::1]',
      '[64:ff9b::7f00:1]',
      'printer.local',
      'db.internal',
      '１２７.0.0.2',
    ];
    const hostile: unknown[] = [
      ...hosts.map((host) => `http://${host}:${port}/file`),
      `http://user:pass@${at}/file`,
      `http://user@${at}/file`,
      `http://@${at}/file`,
      `http://:@${at}/file`,
      `https://key:secret@${at}/`,
      `ftp://${at}/file`,
      `file://${at}/file`,
      'file:///etc/passwd',
      `//${at}/file`,
      `/\\${at}/file`,
      'file',
      `javascript:fetch('http://${at}')`,
      'data:text/csv,a',
      `blob:http://${at}/1`,
      `gopher://${at}/1`,
      `ws://${at}/`,
      `http:${at}/file`,
      `http:/${at}/file`,
      `http:///${at}/file`,
      `http:\\\\${at}\\file`,
      `http://\\${at}/file`,
      `ht\ntp://${at}/file`,
      `http://${at}/\u0000file`,
      ` http://${at}/ file`,
      `http://${at}\\@example.com/`,
      `jar:http://${at}!/x`,
      `http://[${at}]/file`,
      'http://',
      { href: `http://${at}` },
      [`http://${at}`],
    ];
    expect(hostile.length).toBeGreaterThanOrEqual(60);
    const elsewhere = world.service.elsewhere.requests.length;
    for (const address of hostile) {
      const run = await fetchFrom(address);
      expect([address, run.error?.message]).toEqual([
        address,
        expect.stringMatching(/^The download address was not fetched/),
      ]);
    }
    expect(count()).toBe(0);
    expect(world.service.elsewhere.requests).toHaveLength(elsewhere);
  });

  test('redirects: to a good address they are followed, to a hostile one they are not', async () => {
    const target = await stranger((request, response) =>
      response.end(`file, ${Object.keys(request.headers).join()}`),
    );
    let location = '';
    const first = await stranger((_, response) => response.writeHead(302, { location }).end());
    const from = `http://127.0.0.1:${first.port}/start`;
    for (location of [
      `http://localhost:${target.port}/`,
      'file:///etc/passwd',
      `http://a:b@127.0.0.1:${target.port}/`,
      `//[::1]:${target.port}/`,
      `ftp://127.0.0.1:${target.port}/`,
    ]) {
      expect((await fetchFrom(from)).error?.message).toMatch(/^The download address was not fetched/);
    }
    expect(target.count()).toBe(0);
    location = from;
    expect((await fetchFrom(from)).error?.message).toMatch(/redirects too often/);
    location = `http://127.0.0.1:${target.port}/there/report.csv`;
    const run = await fetchFrom(from);
    outputOf(run);
    const text = (await run.binaryOf(run.itemsOf('Node')[0])).toString();
    expect(text).toMatch(/^file, /);
    expect(text).not.toMatch(/x-service|authorization|cookie/i);
    expect(run.itemsOf('Node')[0]!.binary!.data!.fileName).toBe('report.csv');
  });
});

describe('sizes', () => {
  /** The default. */
  const LIMIT = 100 * MEGABYTE;
  const CHUNK = Buffer.alloc(64 * 1024);
  /** 200 MB of nothing in 200 KB: gzip members in a row are one stream. */
  const bomb = Buffer.concat(Array<Buffer>(50).fill(gzipSync(Buffer.alloc(4 * MEGABYTE))));

  test.each([
    [
      'a length that is too large',
      (response: Parameters<RequestListener>[1]) =>
        response.writeHead(200, { 'content-length': 2 * LIMIT }).flushHeaders(),
    ],
    [
      'an endless answer without a length',
      (response: Parameters<RequestListener>[1]) => {
        const more = () => {
          while (!response.destroyed && response.write(CHUNK));
        };
        response.on('drain', more);
        more();
      },
    ],
    [
      'a small answer that unpacks to a large one',
      (response: Parameters<RequestListener>[1]) =>
        response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb),
    ],
  ])('%s is stopped', async (_, handle) => {
    const { port } = await stranger((_request, response) => void handle(response));
    global.gc?.();
    const before = process.memoryUsage().arrayBuffers;
    let most = 0;
    const watch = setInterval(() => (most = Math.max(most, process.memoryUsage().arrayBuffers - before)), 5);
    const run = await fetchFrom(`http://127.0.0.1:${port}/file`);
    clearInterval(watch);
    expect(run.error?.message).toBe('The file is larger than 100 MB, so it was not downloaded');
    expect(details(run)).toMatch(/Maximum File Size/);
    // The server's own buffers are in the same process.
    expect(most).toBeLessThan(1.5 * LIMIT);
  });

  test('a file just below the limit arrives whole, one that breaks off does not arrive', async () => {
    const whole = Buffer.alloc(2 * MEGABYTE, 'x');
    const { port } = await stranger((request, response) => {
      if (request.url === '/whole') return void response.end(whole);
      response.writeHead(200, { 'content-length': whole.length });
      response.write(whole.subarray(0, 1000), () => response.destroy());
    });
    const run = await fetchFrom(`http://127.0.0.1:${port}/whole`, { maximumSize: 2 });
    expect((await run.binaryOf(run.itemsOf('Node')[0])).equals(whole)).toBe(true);
    const broken = await fetchFrom(`http://127.0.0.1:${port}/broken`, { maximumSize: 2 });
    expect(broken.error?.message).toBe('The download broke off');
  });

  test('an address that has expired is told as such', async () => {
    const run = await fetchFrom(`${world.service.elsewhere.baseUrl}/files/gone`);
    expect(run.error?.message).toBe('The file could not be fetched (404)');
  });
});

describe('a PDF', () => {
  const create = async (options: object = {}) => {
    const [page] = outputOf(await runOperation(world, PDF, { resource: 'pdfPage', operation: 'getAll' }));
    const [recordId] = [...world.table('Invoices').records.keys()];
    return runOperation(world, PDF, {
      resource: 'pdfPage',
      operation: 'create',
      pdfPageId: byId(String(page!.id)),
      recordId,
      options,
    });
  };

  test.each(['url', 'binary', 'base64'] as const)(
    'comes as binary data when the answer holds it as %s',
    async (pdfResponse) => {
      world.service.options.pdfResponse = pdfResponse;
      const run = await create({ outputField: 'invoice' });
      const [json] = outputOf(run);
      expect(JSON.stringify(json).length).toBeLessThan(300);
      const [item] = run.itemsOf('Node');
      expect(item!.binary!.invoice).toMatchObject({
        mimeType: 'application/pdf',
        fileName: expect.stringMatching(/\.pdf$/),
      });
      const bytes = await run.binaryOf(item, 'invoice');
      expect(bytes.subarray(0, 5).toString()).toBe('%PDF-');
      expect(bytes.toString('latin1')).toContain('%%EOF');
    },
  );

  test('has the name of its record where the service gives none', async () => {
    world.service.options.pdfResponse = 'base64';
    const [recordId] = [...world.table('Invoices').records.keys()];
    const [item] = (await create()).itemsOf('Node');
    expect(item!.binary!.data!.fileName).toBe(`${recordId}.pdf`);
  });

  const CREATE = 'POST /api/v1.1/{appId}/pdf-pages/{pdfPageId}/create/{recordId}';
  const answered = (body: unknown) =>
    world.service.faults.add({ when: { pattern: CREATE }, fault: { type: 'status', status: 200, body } });

  test("may be named by an address without a host: it is looked for at the service's own, without a key", async () => {
    answered({ type: 'success', pdf_url: '/files/a.pdf' });
    const run = await create();
    expect(run.error?.message).toMatch(/^The PDF was created, but could not be fetched/);
    const { path, headers } = world.service.requests.at(-1)!;
    expect([path, headers['x-service-app-key']]).toEqual(['/files/a.pdf', undefined]);
    expect(world.violations()).toHaveLength(3);
  });

  test('any other answer is handed on as it is', async () => {
    const body = { type: 'success', msg: 'Queued', job: { id: 'j1', url: 'mailto:a@example.com' } };
    answered(body);
    const run = await create();
    expect(outputOf(run)).toEqual([body]);
    expect(run.itemsOf('Node')[0]!.binary).toBeUndefined();
  });

  test('one that cannot be fetched is told as created', async () => {
    answered({ type: 'success', download_url: 'http://10.0.0.1/x.pdf' });
    const run = await create();
    expect(run.error?.message).toMatch(/^The PDF was created, but could not be fetched/);
    expect(details(run)).toMatch(/^The service said that it lies at http:\/\/10\.0\.0\.1\/x\.pdf\. /);
  });

  test("a storage's refusal of the file is not taken for one of the service", async () => {
    const { port } = await stranger((_, response) => response.writeHead(403).end());
    answered({ type: 'success', download_url: `http://127.0.0.1:${port}/x.pdf` });
    const run = await create();
    expect(run.error?.message).toBe(
      'The PDF was created, but could not be fetched. The file could not be fetched (403)',
    );
  });

  test('a PDF counts under any type that a server has for downloads', async () => {
    const { port } = await stranger((_, response) =>
      response.writeHead(200, { 'content-type': 'application/force-download' }).end('%PDF-1.7'),
    );
    answered({ type: 'success', download_url: `http://127.0.0.1:${port}/a.pdf` });
    const run = await create({ maximumSize: '={{ "abc" }}' });
    expect((await run.binaryOf(run.itemsOf('Node')[0])).toString()).toBe('%PDF-1.7');
  });

  test('what an address leads to counts only if it is a PDF', async () => {
    const { port } = await stranger((_, response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end('<p>a viewer</p>'),
    );
    const body = { type: 'success', link: `http://127.0.0.1:${port}/view` };
    answered(body);
    const run = await create();
    expect(outputOf(run)).toEqual([body]);
    expect(run.itemsOf('Node')[0]!.binary).toBeUndefined();
  });

  test('a web page in place of an answer is no PDF, and nothing is sent twice', async () => {
    world.service.faults.add({ when: { pattern: CREATE }, fault: { type: 'html' } });
    const before = world.seen().filter((one) => one === CREATE).length;
    expect((await create()).error?.message).toMatch(/^Outcome unknown/);
    expect(world.seen().filter((one) => one === CREATE)).toHaveLength(before + 1);
  });

  test('from a form, with the values of the input or of JSON', async () => {
    const [form] = outputOf(await runOperation(world, PDF, { resource: 'pdfForm', operation: 'getAll' }));
    const parameters = { resource: 'pdfForm', operation: 'create', pdfFormId: byId(String(form!.id)) };
    const run = await runOperation(world, PDF, parameters, [{ json: { company: 'From Input' } }]);
    expect((await run.binaryOf(run.itemsOf('Node')[0])).subarray(0, 5).toString()).toBe('%PDF-');
    expect(world.service.requests.at(-1)!.body).toEqual({ company: 'From Input' });
    const empty = await runOperation(world, PDF, { ...parameters, dataMode: 'json', dataJson: '{}' });
    expect(empty.error?.message).toMatch(/^The data for the PDF cannot be/);
  });
});
