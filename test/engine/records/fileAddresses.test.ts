import type { Table } from '../../service';
import { createToolWorkflow } from '../agents/tools';
import { runOperation } from '../support/runOperation';
import { getOutput, toColumns, toLocator } from '../support/testEnvironment';
import { useTestEnvironment } from '../support/useTestEnvironment';

const env = useTestEnvironment();
let table: Table;
beforeAll(() => {
  table = env.service.addTable({
    name: 'Contracts',
    fields: [
      { name: 'Title', type: 'Text', unique: true },
      { name: 'Contract', type: 'File' },
    ],
  });
});

interface Files {
  store(file: { filename: string; contentType: string; bytes: Buffer }): string;
  find(path: string): { filename: string; contentType: string; bytes: Buffer } | undefined;
}

interface Site {
  getComponent(pageId: string, componentId: string): object;
}

const getFiles = () => (env.service as unknown as { app: { files: Files } }).app.files;

/** Offers a file on another host than the service. @returns its address */
const offerFile = (filename: string, bytes = Buffer.from(`content of ${filename}`)): string =>
  getFiles().store({ filename, contentType: 'text/plain', bytes });

/** The name and the content of the file that a record holds. */
function readStoredFile(record: Record<string, unknown> | undefined): [name: string, content: string] {
  const [address] = [record?.contract].flat();
  const file = getFiles().find(new URL(String(address)).pathname)!;
  return [file.filename, file.bytes.toString()];
}

const findContract = (title: string) => [...table.records.values()].find((one) => one.title === title);
const countWrites = (since: number) =>
  env.service.requests.slice(since).filter(({ method, intent }) => method === 'POST' && intent !== 'list')
    .length;

/** Each operation that writes files, on a record that it creates or changes. */
const WRITES: Array<[string, (title: string, contract: unknown) => Promise<unknown>]> = [
  [
    'create',
    (title, contract) => env.runRecordOperation('create', table, { columns: toColumns({ title, contract }) }),
  ],
  [
    'update',
    (title, contract) =>
      env.runRecordOperation('update', table, {
        recordId: table.insert({ title }).id,
        columns: toColumns({ contract }),
      }),
  ],
  [
    'upsert, which creates',
    (title, contract) =>
      env.runRecordOperation('upsert', table, {
        columns: toColumns({ title, contract }, ['title']),
        options: { applyDefaults: true },
      }),
  ],
  [
    'upsert, which updates',
    (title, contract) => {
      table.insert({ title });
      return env.runRecordOperation('upsert', table, { columns: toColumns({ title, contract }, ['title']) });
    },
  ],
];

describe.each(WRITES)('%s', (operation, write) => {
  const runWrite = async (contract: unknown, title: string) =>
    (await write(title, contract)) as Awaited<ReturnType<typeof env.runRecordOperation>>;

  test('fetches the file at an address once, without keys, and uploads it', async () => {
    const title = `Stored by ${operation}`;
    const before = env.service.secondOrigin.requests.length;
    getOutput(await runWrite(offerFile('lease, 2025.txt'), title));
    expect(readStoredFile(findContract(title))).toEqual(['lease, 2025.txt', 'content of lease, 2025.txt']);
    expect(env.service.secondOrigin.requests.slice(before)).toHaveLength(1);
  });

  test.each([
    ['that is gone', () => `${env.service.secondOrigin.baseUrl}/files/gone`, /could not be fetched \(404\)/],
    ['of an empty file', () => offerFile('empty.txt', Buffer.alloc(0)), /The file is empty/],
    ['inside a private network', () => 'http://10.1.2.3/a.txt', /10\.1\.2\.3 is inside a private network/],
    ['with a password', () => 'https://user:secret@example.com/a.txt', /contains a user name or a password/],
  ])(
    'an address %s is an error that names the column, and nothing is written',
    async (what, offer, reason) => {
      const title = `Refused by ${operation} ${what}`;
      const since = env.service.requests.length;
      const { error } = await runWrite(offer(), title);
      expect(error?.message).toMatch(/^"Contract": /);
      expect(error?.message).toMatch(reason);
      expect(error).toMatchObject({ description: expect.stringMatching(/^Nothing was sent\./) });
      expect(countWrites(since)).toBe(0);
      expect([undefined, '']).toContain(findContract(title)?.contract);
    },
  );

  test('two addresses are refused before they are fetched', async () => {
    const before = env.service.secondOrigin.requests.length;
    const addresses = `${offerFile('a.txt')}, ${offerFile('b.txt')}`;
    const { error } = await runWrite(addresses, `Two by ${operation}`);
    expect(error?.message).toBe('"Contract" cannot take 2 files');
    expect(env.service.secondOrigin.requests).toHaveLength(before);
  });
});

test('a file of more than 100 MB is not written', async () => {
  const address = offerFile('large.bin', Buffer.alloc(100 * 1024 * 1024 + 1));
  const columns = toColumns({ title: 'Large', contract: address });
  const { error } = await env.runRecordOperation('create', table, { columns });
  expect(error?.message).toMatch(/^"Contract": The file is larger than 100 MB/);
  expect(findContract('Large')).toBeUndefined();
});

test('the JSON of a tool takes an address, and a component saves the file', async () => {
  const json = { title: 'By JSON', contract: offerFile('json.txt') };
  const create = {
    resource: 'record',
    operation: 'create',
    dataTableId: toLocator(table.id),
    columnsJson: JSON.stringify(json),
  };
  await env.engine.run(createToolWorkflow('tool', create), { input: [{ json: {} }] });
  expect(readStoredFile(findContract('By JSON'))[0]).toBe('json.txt');

  const pages = 'RecordDatabasePages';
  const listed = getOutput(await runOperation(env, pages, { resource: 'page', operation: 'getAll' }));
  const pageId = toLocator(String(listed.find(({ name }) => name === 'Customers')!.id));
  const [component] = getOutput(
    await runOperation(env, pages, { resource: 'component', operation: 'getAll', pageId }),
  );
  // The sample components show tables without a File column.
  const { site } = (env.service as unknown as { app: { site: Site } }).app;
  const shown = site.getComponent(pageId.value, String(component!.id));
  Object.assign(shown, { table, filters: undefined });
  const save = {
    resource: 'component',
    operation: 'save',
    pageId,
    componentId: toLocator(String(component!.id)),
    recordId: '',
    columns: toColumns({ title: 'By component', contract: offerFile('save.txt') }),
  };
  getOutput(await runOperation(env, pages, save));
  expect(readStoredFile(findContract('By component'))[0]).toBe('save.txt');
});

test('Sync takes no files, and fetches none', async () => {
  const before = env.service.secondOrigin.requests.length;
  const columns = toColumns({ title: 'Synced', contract: offerFile('sync.txt') }, ['title']);
  const { error } = await env.runRecordOperation('sync', table, { columns });
  expect(error?.message).toBe('1 of 1 items cannot be synced: item 1: "Contract" is a File field');
  expect(env.service.secondOrigin.requests).toHaveLength(before);
});

test('automatic mapping passes over the addresses of a record that was read', async () => {
  const { id } = table.insert({ title: 'Read', contract: offerFile('kept.txt') });
  const before = env.service.secondOrigin.requests.length;
  const columns = { mappingMode: 'autoMapInputData', value: null, matchingColumns: [] };
  const input = [{ ...table.records.get(id), title: 'Read and written' }];
  getOutput(await env.runRecordOperation('update', table, { recordId: id, columns }, input));
  expect(readStoredFile(table.records.get(id))[0]).toBe('kept.txt');
  expect(env.service.secondOrigin.requests).toHaveLength(before);
});
