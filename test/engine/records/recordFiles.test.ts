import { chainNodes, createNode } from '../../harness';
import type { Table } from '../../service';
import { getOutput, START, TestEnvironment, toColumns, toLocator, TYPE } from '../support/testEnvironment';
import { useTestEnvironment } from '../support/useTestEnvironment';

const env = useTestEnvironment();
let table: Table;
beforeAll(() => {
  table = env.service.addTable({
    name: 'Contracts',
    fields: [
      { name: 'Title', type: 'Text' },
      { name: 'Contract', type: 'File' },
      { name: 'Photos', type: 'File' },
    ],
  });
});

interface Files {
  store(file: { filename: string; contentType: string; bytes: Buffer }): string;
}

/** Stores a file with its name as content. @returns its address */
const storeFile = (filename: string, bytes = Buffer.from(filename)): string =>
  (env.service as unknown as { app: { files: Files } }).app.files.store({
    filename,
    contentType: 'text/plain',
    bytes,
  });

const ALL = { downloadFiles: ['*'] };
const filterTitles = (...titles: string[]) => ({
  returnAll: true,
  filterMode: 'any',
  conditions: { items: titles.map((value) => ({ field: 'title|text', operator: 'is', value })) },
});

type Run = Awaited<ReturnType<TestEnvironment['run']>>;

/** The files of each item: the name of the binary field with the name and the content of the file. */
const readFiles = (run: Run) =>
  Promise.all(
    run.getItems('Node').map(async (item) => {
      const entries = Object.entries(item.binary ?? {}).map(async ([name, { fileName }]) => [
        name,
        [fileName, (await run.readBinary(item, name)).toString()],
      ]);
      return Object.fromEntries(await Promise.all(entries)) as Record<string, [string, string]>;
    }),
  );

const getById = (id: string, options: object, extra: object = {}) =>
  env.runRecordOperation('get', table, { recordId: id, options }, undefined, extra);

test.each(['LF\nCR\rCRLF\r\nend', 'a "b" 😀\n\n', '--\r\n'])(
  'a file changes no byte of a text: %j',
  async (title) => {
    const bytes = Buffer.from([0, 13, 10, 255, 45, 45, 13]);
    const binary = {
      data: { data: bytes.toString('base64'), mimeType: 'application/x', fileName: 'ä 1.bin' },
    };
    const parameters = {
      resource: 'record',
      operation: 'create',
      dataTableId: toLocator(table.id),
      columns: toColumns({ title, contract: 'data' }),
    };
    const run = await env.engine.run(chainNodes(START, createNode('Node', TYPE, parameters)), {
      input: [{ json: {}, binary }] as never,
    });
    expect(getOutput(run)).toMatchObject([{ title }]);
    const { headers, body } = env.service.requests.at(-1)!;
    expect(body).toMatchObject({ title, contract: { filename: 'ä 1.bin', bytes } });
    expect(headers['content-type']).toMatch(/^multipart\/form-data; boundary=/);
  },
);

test('files become binary fields with the slug of their column, further ones with a number', async () => {
  const { id } = table.insert({
    title: 'one',
    contract: storeFile('lease.txt'),
    photos: [storeFile('a.txt'), storeFile('b.txt')],
  });
  const run = await getById(id, ALL);
  expect(getOutput(run)).toMatchObject([{ id, title: 'one' }]);
  expect(await readFiles(run)).toEqual([
    {
      contract: ['lease.txt', 'lease.txt'],
      photos: ['a.txt', 'a.txt'],
      photos_2: ['b.txt', 'b.txt'],
    },
  ]);
  expect(await readFiles(await getById(id, { downloadFiles: ['contract'] }))).toEqual([
    { contract: ['lease.txt', 'lease.txt'] },
  ]);
  expect(await readFiles(await getById(id, {}))).toEqual([{}]);
});

test.each<[string, { options?: object; simplify?: string }]>([
  ['columns', { options: { columns: ['title'] } }],
  ['field names as keys', { simplify: 'names' }],
])('files are downloaded together with %s', async (_title, parameters) => {
  const { id } = table.insert({ title: 'combined', contract: storeFile('c.txt') });
  const options = { ...parameters.options, downloadFiles: ['contract'] };
  const run = await env.runRecordOperation('get', table, { recordId: id, ...parameters, options });
  expect(await readFiles(run)).toEqual([{ contract: ['c.txt', 'c.txt'] }]);
});

test('Get Many downloads the files of each returned record, and keeps the total', async () => {
  for (const title of ['m1', 'm2', 'm3']) table.insert({ title, contract: storeFile(`${title}.txt`) });
  table.insert({ title: 'm4' });
  const wanted = filterTitles('m1', 'm2', 'm3', 'm4');
  const options = { ...ALL, includeTotal: true };
  const before = env.service.secondOrigin.requests.length;
  const limited = { ...wanted, returnAll: false, limit: 2, options };
  const run = await env.runRecordOperation('getAll', table, limited);
  expect(getOutput(run).map(({ title, _total }) => [title, _total])).toEqual([
    ['m1', 4],
    ['m2', 4],
  ]);
  expect(env.service.secondOrigin.requests.length - before).toBe(2);
  const all = await env.runRecordOperation('getAll', table, { ...wanted, options });
  expect((await readFiles(all)).map(({ contract }) => contract?.[0])).toEqual([
    'm1.txt',
    'm2.txt',
    'm3.txt',
    undefined,
  ]);
});

describe('a file that cannot be downloaded', () => {
  const insertBroken = (title: string) => {
    const missing = storeFile('gone.txt').replace('gone', 'never-stored');
    return table.insert({ title, contract: `${missing}?signature=hidden` }).id;
  };

  test('fails the item and names the record, the column and the file', async () => {
    const id = insertBroken('broken');
    const { error } = await getById(id, ALL);
    expect(error?.message).toBe(
      `Record ${id}, "Contract", file never-stored.txt: The file could not be fetched (404)`,
    );
    expect(JSON.stringify(error)).not.toContain('hidden');
  });

  test('becomes an error item in place of its record if the node continues', async () => {
    const id = insertBroken('part');
    table.insert({ title: 'part', contract: storeFile('fine.txt') });
    const run = await env.runRecordOperation(
      'getAll',
      table,
      { ...filterTitles('part'), options: { ...ALL, includeTotal: true } },
      undefined,
      { onError: 'continueErrorOutput' },
    );
    expect(await readFiles(run)).toEqual([{ contract: ['fine.txt', 'fine.txt'] }]);
    expect(run.getJson('Node', 1)).toEqual([
      {
        error: `Record ${id}, "Contract", file never-stored.txt: The file could not be fetched (404)`,
        message: expect.stringContaining('address may have expired') as string,
        details: { recordId: id, field: 'contract' },
      },
    ]);
  });

  test('ends the run without further downloads if the node stops', async () => {
    insertBroken('stop');
    for (let index = 0; index < 30; index++) table.insert({ title: 'stop', contract: storeFile('s.txt') });
    const before = env.service.secondOrigin.requests.length;
    const parameters = { ...filterTitles('stop'), options: ALL };
    const run = await env.withSettings({ parallelRequests: 1 }, () =>
      env.runRecordOperation('getAll', table, parameters),
    );
    expect(run.error?.message).toMatch(/never-stored/);
    expect(env.service.secondOrigin.requests.length - before).toBe(1);
  });

  test('because it is too large names the option', async () => {
    const { id } = table.insert({ contract: storeFile('large.txt', Buffer.alloc(1024 * 1024 + 1)) });
    const { error } = await getById(id, { ...ALL, maximumSize: 1 });
    expect(error?.message).toContain('The file is larger than 1 MB');
    expect((error as { description?: string }).description).toContain('Maximum File Size (MB)');
  });

  test('because its value is not an address shows the value', async () => {
    const { id } = table.insert({ contract: 'lease.txt' });
    expect((await getById(id, ALL)).error?.message).toMatch(/file lease\.txt: .*not an http\(s\) address/);
  });
});

test('a column of another type is refused before a request for records', async () => {
  const { id } = table.insert({ title: 'text' });
  const before = env.service.requests.length;
  expect((await getById(id, { downloadFiles: ['title'] })).error?.message).toBe(
    'Download Files: "Title" is not a File field',
  );
  expect((await getById(id, { downloadFiles: ['nothing'] })).error?.message).toContain('no field "nothing"');
  expect(env.listRequests(before).filter((one) => !one.endsWith('full-fields-info'))).toEqual([]);
});

test('a table without File columns has no files', async () => {
  const products = env.getTable('Products');
  const [id] = [...products.records.keys()];
  expect(
    await readFiles(await env.runRecordOperation('get', products, { recordId: id, options: ALL })),
  ).toEqual([{}]);
});

test('the list offers the File columns and an entry for all of them', async () => {
  const node = createNode('Node', TYPE, {
    resource: 'record',
    operation: 'get',
    dataTableId: toLocator(table.id),
  });
  expect(await env.engine.loadOptions(node, 'getFileFields')).toMatchObject([
    { name: 'All File Fields', value: '*' },
    { value: 'contract' },
    { value: 'photos' },
  ]);
});

test('a downloaded file can be uploaded to another record', async () => {
  const { id } = table.insert({ contract: storeFile('copied.txt') });
  const target = table.insert({ title: 'target' });
  const common = { resource: 'record', dataTableId: toLocator(table.id) };
  const get = { ...common, operation: 'get', recordId: toLocator(id), options: ALL };
  const columns = toColumns({ contract: 'contract' });
  const update = { ...common, operation: 'update', recordId: toLocator(target.id), columns };
  getOutput(
    await env.engine.run(chainNodes(START, createNode('Get', TYPE, get), createNode('Node', TYPE, update))),
  );
  expect(await readFiles(await getById(target.id, ALL))).toEqual([
    { contract: ['copied.txt', 'copied.txt'] },
  ]);
});
