/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not shipped: runs on Node */
import type { RequestListener } from 'node:http';
import { gzipSync } from 'node:zlib';
import { skipWaits } from '../../environment/skipWaits';
import { scaleSize } from '../../randomness';
import { startCountingServer } from '../support/countingServer';
import { runOperation } from '../support/runOperation';
import { getOutput, toLocator } from '../support/testEnvironment';
import { useTestEnvironment } from '../support/useTestEnvironment';

skipWaits();

const [FILES, PDF] = ['RecordDatabaseImportExport', 'RecordDatabasePdf'] as const;
const ENTRY = 'GET /api/v1.1/{appId}/exports/queues/{queueId}';
const MEGABYTE = 1024 * 1024;

const env = useTestEnvironment({ jobMs: 50 });

async function runExport(table: string) {
  const templates = getOutput(await runOperation(env, FILES, { resource: 'export', operation: 'getAll' }));
  const template = templates.find(({ name }) => name === `${table} list`)!;
  return {
    resource: 'export',
    operation: 'run',
    templateId: toLocator(String(template.id)),
    wait: true,
    download: true,
  };
}

const getDescription = (run: { error?: unknown }) =>
  String((run.error as { description?: string }).description);

describe('an export', () => {
  test('is waited for and downloaded, without any credential', async () => {
    const run = await runOperation(env, FILES, await runExport('Customers'));
    const [entry] = getOutput(run);
    expect(entry).toMatchObject({
      status: 'Complete',
      _completion: 'finished',
      download_url: expect.any(String),
    });
    const [item] = run.getItems('Node');
    expect(item!.binary!.data).toMatchObject({
      mimeType: 'text/csv',
      fileName: expect.stringMatching(/^Customers list \d{4}-\d\d-\d\d\.csv$/),
    });
    const lines = (await run.readBinary(item)).toString().trim().split('\r\n');
    expect(lines).toHaveLength(env.getTable('Customers').records.size + 1);
    const [fetched] = env.service.secondOrigin.requests.splice(0);
    expect(Object.keys(fetched!.headers).filter((name) => /^x-|authorization|cookie/.test(name))).toEqual([]);
  });

  test('has the requested filter, columns and file name', async () => {
    const customers = env.getTable('Customers');
    const active = [...customers.records.values()].filter(({ status }) => status === 'active').length;
    const run = await runOperation(env, FILES, {
      ...(await runExport('Customers')),
      dataTableId: toLocator(customers.id),
      filterMode: 'manual',
      conditions: { items: [{ field: 'status|choice', operator: 'is', choiceValue: 'active' }] },
      options: { columns: ['company', 'status'], outputField: 'customers' },
    });
    getOutput(run);
    const text = (await run.readBinary(run.getItems('Node')[0], 'customers')).toString();
    expect(text.split('\r\n')[0]!.split(',')).toHaveLength(2);
    expect(text.trim().split('\r\n')).toHaveLength(active + 1);
  });

  test('with the word "all" as the JSON filter needs no table', async () => {
    const filter = { filterMode: 'json', filterJson: 'all' };
    const [entry] = getOutput(
      await runOperation(env, FILES, { ...(await runExport('Customers')), ...filter }),
    );
    expect(entry).toMatchObject({ _completion: 'finished' });
  });

  test('with an unknown column or a filter without a table is not started', async () => {
    const before = env.listRequests().filter((one) => one.endsWith('/trigger')).length;
    const dataTableId = toLocator(env.getTable('Customers').id);
    const unknown = await runOperation(env, FILES, {
      ...(await runExport('Customers')),
      dataTableId,
      options: { columns: ['compny'] },
    });
    expect(unknown.error?.message).toBe('Fields to Export: the table has no field "compny"');
    env.service.options.templateTable = 'hidden';
    const homeless = await runOperation(env, FILES, {
      ...(await runExport('Customers')),
      options: { columns: ['company'] },
    });
    env.service.options.templateTable = 'named';
    expect(homeless.error?.message).toBe(
      'The template does not name its table, by whose fields the values are checked',
    );
    expect(env.listRequests().filter((one) => one.endsWith('/trigger'))).toHaveLength(before);
  });

  test('the file can also be downloaded from the run', async () => {
    const parameters = { ...(await runExport('Orders')), wait: false };
    const [{ queue_id: queueId }] = getOutput(await runOperation(env, FILES, parameters)) as [
      { queue_id: string },
    ];
    await new Promise((resolve) => setTimeout(resolve, 100));
    const entry = {
      resource: 'export',
      operation: 'getRuns',
      which: 'oneRun',
      queueId: toLocator(queueId),
      download: true,
    };
    const run = await runOperation(env, FILES, entry);
    expect(getOutput(run)).toMatchObject([{ id: queueId, status: 'Complete' }]);
    expect((await run.readBinary(run.getItems('Node')[0])).length).toBeGreaterThan(100);
    expect(run.getItems('Node')[0]!.binary!.data!.fileName).toMatch(/^Orders list \d{4}-\d\d-\d\d\.csv$/);
    env.service.faults.add(createEntryFault(''));
    expect((await runOperation(env, FILES, entry)).error?.message).toMatch(/^The export has no file/);
  });
});

test('an answer without a known list is one item, without its envelope', async () => {
  const body = { type: 'success', data: { items: [{ id: 'i1' }] } };
  const LIST = 'GET /api/v1.1/{appId}/imports';
  env.service.faults.add({ when: { pattern: LIST }, fault: { type: 'status', status: 200, body } });
  const getAll = { resource: 'import', operation: 'getAll', returnAll: true };
  expect(getOutput(await runOperation(env, FILES, getAll))).toEqual([body.data]);
});

test.each([
  [FILES, 'import', 'get', 'importId', 'getAll'],
  [FILES, 'export', 'get', 'templateId', 'getAll'],
  [PDF, 'pdfPage', 'get', 'pdfPageId', 'getAll'],
  [PDF, 'pdfForm', 'get', 'pdfFormId', 'getAll'],
])('%s %s %s returns the object without its envelope', async (folder, resource, operation, name, list) => {
  const [first] = getOutput(await runOperation(env, folder, { resource, operation: list }));
  const get = { resource, operation, [name]: toLocator(String(first!.id)) };
  expect(getOutput(await runOperation(env, folder, get))).toEqual([first]);
});

test.each([
  [{}, 'GET /api/v1.1/{appId}/exports/templates'],
  [{ list: 'templates' }, 'GET /api/v1.1/{appId}/exports/templates'],
  [{ list: 'exports' }, 'GET /api/v1.1/{appId}/exports'],
])('export templates come from the chosen list: %j', async (options, endpoint) => {
  const since = env.service.requests.length;
  const getAll = { resource: 'export', operation: 'getAll', options };
  expect(getOutput(await runOperation(env, FILES, getAll)).length).toBeGreaterThan(0);
  expect(env.listRequests(since)).toEqual([endpoint]);
});

test.each<[string, (entry: object) => unknown]>([
  ['the only item of a list', (entry) => ({ type: 'success', items: [entry] })],
  ['a bare list', (entry) => [entry]],
])('reads the entry of a run from %s, and downloads its file', async (_, shown) => {
  const { port } = await startCountingServer((_request, response) => response.end('a,b'));
  const entry = { id: 'q1', status: 'Complete', download_url: `http://127.0.0.1:${port}/a.csv` };
  const body = shown(entry);
  env.service.faults.add({ when: { pattern: ENTRY }, fault: { type: 'status', status: 200, body } });
  const get = {
    resource: 'export',
    operation: 'getRuns',
    which: 'oneRun',
    queueId: toLocator('q1'),
    download: true,
  };
  const run = await runOperation(env, FILES, get);
  expect(getOutput(run)).toEqual([entry]);
  expect((await run.readBinary(run.getItems('Node')[0])).toString()).toBe('a,b');
});

/** An entry that names this address as its file. */
const createEntryFault = (address: unknown) => ({
  when: { pattern: ENTRY },
  fault: {
    type: 'status' as const,
    status: 200,
    body: { type: 'success', item: { id: 'q1', status: 'Complete', download_url: address } },
  },
});

const fetchFrom = async (address: unknown, options: object = {}) => {
  env.service.faults.add(createEntryFault(address));
  const entry = {
    resource: 'export',
    operation: 'getRuns',
    which: 'oneRun',
    queueId: toLocator('q1'),
    download: true,
    options,
  };
  return runOperation(env, FILES, entry);
};

describe('addresses that are not fetched', () => {
  test('60 hostile addresses, 0 requests', async () => {
    const { port, count } = await startCountingServer((_, response) => response.end('taken'));
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
    const elsewhere = env.service.secondOrigin.requests.length;
    for (const address of hostile) {
      const run = await fetchFrom(address);
      expect([address, run.error?.message]).toEqual([
        address,
        expect.stringContaining('could not be downloaded. The download address was not fetched'),
      ]);
    }
    expect(count()).toBe(0);
    expect(env.service.secondOrigin.requests).toHaveLength(elsewhere);
  });

  test('follows a redirect to an allowed address and refuses one to a hostile address', async () => {
    const target = await startCountingServer((request, response) =>
      response.end(`file, ${Object.keys(request.headers).join()}`),
    );
    let location = '';
    const first = await startCountingServer((_, response) => response.writeHead(302, { location }).end());
    const from = `http://127.0.0.1:${first.port}/start`;
    for (location of [
      `http://localhost:${target.port}/`,
      'file:///etc/passwd',
      `http://a:b@127.0.0.1:${target.port}/`,
      `//[::1]:${target.port}/`,
      `ftp://127.0.0.1:${target.port}/`,
    ]) {
      expect((await fetchFrom(from)).error?.message).toContain('The download address was not fetched');
    }
    expect(target.count()).toBe(0);
    location = from;
    expect((await fetchFrom(from)).error?.message).toMatch(/redirects too often/);
    location = `http://127.0.0.1:${target.port}/there/report.csv`;
    const run = await fetchFrom(from);
    getOutput(run);
    const text = (await run.readBinary(run.getItems('Node')[0])).toString();
    expect(text).toMatch(/^file, /);
    expect(text).not.toMatch(/x-service|authorization|cookie/i);
    expect(run.getItems('Node')[0]!.binary!.data!.fileName).toBe('report.csv');
  });
});

describe('sizes', () => {
  /** The default is 100. */
  const maximumSize = scaleSize(40, 100);
  const LIMIT = maximumSize * MEGABYTE;
  const CHUNK = Buffer.alloc(64 * 1024);
  /** Twice the limit of nothing in some KB: gzip members in a row are one stream. */
  const bomb = Buffer.concat(Array<Buffer>(maximumSize / 2).fill(gzipSync(Buffer.alloc(4 * MEGABYTE))));

  test.each([
    [
      'a length that is too large',
      (response: Parameters<RequestListener>[1]) =>
        response.writeHead(200, { 'content-length': 2 * LIMIT }).flushHeaders(),
    ],
    [
      'an endless answer without a length',
      (response: Parameters<RequestListener>[1]) => {
        const writeMore = () => {
          while (!response.destroyed && response.write(CHUNK));
        };
        response.on('drain', writeMore);
        writeMore();
      },
    ],
    [
      'a small answer that unpacks to a large one',
      (response: Parameters<RequestListener>[1]) =>
        response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb),
    ],
  ])('%s is stopped', async (_, handle) => {
    const { port } = await startCountingServer((_request, response) => handle(response));
    global.gc?.();
    const before = process.memoryUsage().arrayBuffers;
    let most = 0;
    const watch = setInterval(() => (most = Math.max(most, process.memoryUsage().arrayBuffers - before)), 5);
    const run = await fetchFrom(`http://127.0.0.1:${port}/file`, { maximumSize });
    clearInterval(watch);
    expect(run.error?.message).toContain(
      `The file is larger than ${maximumSize} MB, so it was not downloaded`,
    );
    expect(getDescription(run)).toMatch(/Maximum File Size/);
    // The server's own buffers are in the same process.
    expect(most).toBeLessThan(1.5 * LIMIT);
  });

  test('returns a file just below the limit completely, and an incomplete file is an error', async () => {
    const whole = Buffer.alloc(2 * MEGABYTE, 'x');
    const { port } = await startCountingServer((request, response) => {
      if (request.url === '/whole') return void response.end(whole);
      response.writeHead(200, { 'content-length': whole.length });
      response.write(whole.subarray(0, 1000), () => response.destroy());
    });
    const run = await fetchFrom(`http://127.0.0.1:${port}/whole`, { maximumSize: 2 });
    expect((await run.readBinary(run.getItems('Node')[0])).equals(whole)).toBe(true);
    const broken = await fetchFrom(`http://127.0.0.1:${port}/broken`, { maximumSize: 2 });
    expect(broken.error?.message).toContain('The download broke off');
  });

  test('reports an expired download address', async () => {
    const run = await fetchFrom(`${env.service.secondOrigin.baseUrl}/files/gone`);
    expect(run.error?.message).toContain('The file could not be fetched (404)');
  });
});

describe('a PDF', () => {
  const createPdf = async (options: object = {}) => {
    const [page] = getOutput(await runOperation(env, PDF, { resource: 'pdfPage', operation: 'getAll' }));
    const [recordId] = [...env.getTable('Invoices').records.keys()];
    return runOperation(env, PDF, {
      resource: 'pdfPage',
      operation: 'create',
      pdfPageId: toLocator(String(page!.id)),
      recordId,
      options,
    });
  };

  test.each(['url', 'binary', 'base64'] as const)(
    'comes as binary data when the answer holds it as %s',
    async (pdfResponse) => {
      env.service.options.pdfResponse = pdfResponse;
      const run = await createPdf({ outputField: 'invoice' });
      const [json] = getOutput(run);
      expect(JSON.stringify(json).length).toBeLessThan(300);
      const [item] = run.getItems('Node');
      expect(item!.binary!.invoice).toMatchObject({
        mimeType: 'application/pdf',
        fileName: expect.stringMatching(/\.pdf$/),
      });
      const bytes = await run.readBinary(item, 'invoice');
      expect(bytes.subarray(0, 5).toString()).toBe('%PDF-');
      expect(bytes.toString('latin1')).toContain('%%EOF');
    },
  );

  test('is named after its record if the service sends no file name', async () => {
    env.service.options.pdfResponse = 'base64';
    const [recordId] = [...env.getTable('Invoices').records.keys()];
    const [item] = (await createPdf()).getItems('Node');
    expect(item!.binary!.data!.fileName).toBe(`${recordId}.pdf`);
  });

  const CREATE = 'POST /api/v1.1/{appId}/pdf-pages/{pdfPageId}/create/{recordId}';
  const addAnswer = (body: unknown) =>
    env.service.faults.add({ when: { pattern: CREATE }, fault: { type: 'status', status: 200, body } });

  test('an address without a host is not fetched', async () => {
    addAnswer({ type: 'success', pdf_url: '/files/a.pdf' });
    const run = await createPdf();
    expect(getOutput(run)).toEqual([{ pdf_url: '/files/a.pdf' }]);
    expect(env.listRequests().at(-1)).toBe(CREATE);
  });

  test('any other answer is returned without its success type', async () => {
    const body = { msg: 'Queued', job: { id: 'j1', url: 'mailto:a@example.com' } };
    addAnswer({ type: 'success', ...body });
    const run = await createPdf();
    expect(getOutput(run)).toEqual([body]);
    expect(run.getItems('Node')[0]!.binary).toBeUndefined();
  });

  test('the error for a failed download states that the PDF was created', async () => {
    addAnswer({ type: 'success', download_url: 'http://10.0.0.1/x.pdf' });
    const run = await createPdf();
    expect(run.error?.message).toMatch(/^The PDF was created, but could not be downloaded/);
    expect(getDescription(run)).toMatch(/^The service returned the URL http:\/\/10\.0\.0\.1\/x\.pdf\. /);
  });

  test("a refusal by the file storage is not reported as the service's refusal", async () => {
    const { port } = await startCountingServer((_, response) => response.writeHead(403).end());
    addAnswer({ type: 'success', download_url: `http://127.0.0.1:${port}/x.pdf` });
    const run = await createPdf();
    expect(run.error?.message).toBe(
      'The PDF was created, but could not be downloaded. The file could not be fetched (403)',
    );
  });

  test('accepts a PDF with any content type that servers use for downloads', async () => {
    const { port } = await startCountingServer((_, response) =>
      response.writeHead(200, { 'content-type': 'application/force-download' }).end('%PDF-1.7'),
    );
    addAnswer({ type: 'success', download_url: `http://127.0.0.1:${port}/a.pdf` });
    const run = await createPdf();
    expect((await run.readBinary(run.getItems('Node')[0])).toString()).toBe('%PDF-1.7');
  });

  test('uses a download only if its content is a PDF', async () => {
    const { port } = await startCountingServer((_, response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end('<p>a viewer</p>'),
    );
    const body = { link: `http://127.0.0.1:${port}/view` };
    addAnswer({ type: 'success', ...body });
    const { error } = await createPdf();
    expect(error?.message).toMatch(/^The PDF was created, but could not be downloaded.*a web page instead/);
  });

  test('a web page as the response is an error, and the request is not repeated', async () => {
    env.service.faults.add({ when: { pattern: CREATE }, fault: { type: 'html' } });
    const before = env.listRequests().filter((one) => one === CREATE).length;
    expect((await createPdf()).error?.message).toMatch(/^Outcome unknown/);
    expect(env.listRequests().filter((one) => one === CREATE)).toHaveLength(before + 1);
  });

  test('from a form, with the values of the input or of JSON', async () => {
    const [form] = getOutput(await runOperation(env, PDF, { resource: 'pdfForm', operation: 'getAll' }));
    const parameters = { resource: 'pdfForm', operation: 'create', pdfFormId: toLocator(String(form!.id)) };
    const run = await runOperation(env, PDF, parameters, [{ json: { company: 'From Input' } }]);
    expect((await run.readBinary(run.getItems('Node')[0])).subarray(0, 5).toString()).toBe('%PDF-');
    expect(env.service.requests.at(-1)!.body).toEqual({ company: 'From Input' });
    const empty = await runOperation(env, PDF, { ...parameters, dataMode: 'json', dataJson: '{}' });
    expect(empty.error?.message).toMatch(/^The data for the PDF cannot be/);
  });
});

describe('the file of an import', () => {
  const csv = Buffer.from('Company,Email\r\nUploaded,uploaded@example.com\r\n').toString('base64');
  const binary = { list: { data: csv, mimeType: 'text/csv', fileName: 'list.csv' } };

  async function runImport(binaryPropertyName: string, item: object = { json: {}, binary }) {
    const [template] = getOutput(await runOperation(env, FILES, { resource: 'import', operation: 'getAll' }));
    const importId = toLocator(String(template!.id));
    const run = { resource: 'import', operation: 'run', importId, wait: true, source: 'file' };
    return runOperation(env, FILES, { ...run, binaryPropertyName }, [item]);
  }

  test('is uploaded, and its rows become records', async () => {
    expect(getOutput(await runImport('list'))).toMatchObject([{ processed_rows: 1, error_rows: 0 }]);
    const companies = [...env.getTable('Customers').records.values()].map(({ company }) => company);
    expect(companies.filter((company) => company === 'Uploaded')).toHaveLength(1);
  });

  test.each([
    [
      'other',
      { json: {}, binary },
      { message: 'The input has no binary field "other"', description: 'It has: list.' },
    ],
    [
      'list',
      { json: {} },
      {
        message: 'The input has no binary field "list"',
        description: 'The item has no files. Add a node before this one that reads or downloads one.',
      },
    ],
  ])('named %j is refused, and no import starts', async (name, item, expected) => {
    const before = env.service.requests.length;
    expect((await runImport(name, item)).error).toMatchObject(expected);
    expect(env.listRequests(before).filter((pattern) => pattern.endsWith('/trigger'))).toEqual([]);
  });
});
