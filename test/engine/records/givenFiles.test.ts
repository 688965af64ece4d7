import { chainNodes, createNode } from '../../harness';
import type { Table } from '../../service';
import { AUTO_MAP, getOutput, START, toColumns, toLocator, TYPE } from '../support/testEnvironment';
import { useTestEnvironment } from '../support/useTestEnvironment';

/**
 * n8n 2 keeps an item's files in binary fields, or in its JSON below `_files`: that is the setting `binaryMode` of the
 * workflow, "Execution Logic" in the editor. n8n 2.40's engine converts the items itself here.
 */

const env = useTestEnvironment();
let table: Table;
beforeAll(() => {
  table = env.service.addTable({
    name: 'Contracts',
    fields: [
      { name: 'Title', type: 'Text' },
      { name: 'Contract', type: 'File' },
    ],
  });
});

/** Writes a record after a node that makes the file h.txt in the field `data`. */
const write = (binaryMode: string, columns: object, input: object = {}) => {
  const workflow = chainNodes(
    START,
    createNode('File', 'n8n-nodes-base.convertToFile', {
      operation: 'toText',
      sourceProperty: 'text',
      options: { fileName: 'h.txt' },
    }),
    createNode('Edit', 'n8n-nodes-base.set', {
      mode: 'raw',
      jsonOutput: { title: 'Lease', ...input },
      includeOtherFields: true,
      options: {},
    }),
    createNode('Node', TYPE, {
      resource: 'record',
      operation: 'create',
      dataTableId: toLocator(table.id),
      columns,
    }),
  );
  const items = [{ json: { text: 'hello' } }];
  return env.engine.run({ ...workflow, settings: { binaryMode } }, { input: items as never });
};

const getSentFile = () => (env.service.requests.at(-1)!.body as { contract?: object }).contract;
const FILE = { filename: 'h.txt', bytes: Buffer.from('hello') };

test.each([
  ['separate', 'data'],
  ['separate', '={{ $binary.data }}'],
  ['separate', "={{ $('File').item.binary.data }}"],
  ['combined', 'data'],
  ['combined', '_files.data'],
  ['combined', '={{ $json._files.data }}'],
  ['combined', "={{ $('File').item._files.data }}"],
])('binary mode %s: a file is given as %s', async (mode, contract) => {
  getOutput(await write(mode, toColumns({ title: 'Lease', contract })));
  expect(getSentFile()).toMatchObject(FILE);
});

test.each(['separate', 'combined'])(
  'binary mode %s: Map Automatically takes no file for a value',
  async (mode) => {
    expect(getOutput(await write(mode, AUTO_MAP))).toMatchObject([{ title: 'Lease' }]);
    getOutput(await write(mode, AUTO_MAP, { contract: 'data' }));
    expect(getSentFile()).toMatchObject(FILE);
  },
);

test.each(['separate', 'combined'])(
  'binary mode %s: a missing file is named with those that exist',
  async (mode) => {
    const { error } = await write(mode, toColumns({ contract: 'other' }));
    expect(error).toMatchObject({
      message: 'The input has no binary field "other"',
      description: 'It has: data.',
    });
  },
);

describe.each(['separate', 'combined'])('binary mode %s, files in memory', (binaryMode) => {
  const createFile = () => ({
    data: Buffer.from('hello').toString('base64'),
    mimeType: 'text/plain',
    fileName: 'h.txt',
  });
  const writeInput = (contract: string) => {
    const parameters = {
      resource: 'record',
      operation: 'create',
      dataTableId: toLocator(table.id),
      columns: toColumns({ contract }),
    };
    const binary = { data: createFile(), 'a.b': createFile(), 'my file': createFile(), 'x, y': createFile() };
    return env.engine.run(
      { ...chainNodes(START, createNode('Node', TYPE, parameters)), settings: { binaryMode } },
      { input: [{ json: {}, binary }] as never },
    );
  };

  test.each(['data', 'a.b', 'my file', 'x, y', '={{ ["x, y"] }}', '={{ Object.keys($binary)[0] }}'])(
    '%s',
    async (contract) => {
      getOutput(await writeInput(contract));
      expect(getSentFile()).toMatchObject(FILE);
    },
  );

  test('n8n leaves out the content in {{ $binary.data }}', async () => {
    const { error } = await writeInput('={{ $binary.data }}');
    expect(error).toMatchObject({
      message: 'The input has no binary field "{"mimeType":"text/plain","fileName":"h.txt"}"',
      description:
        'An object is no file. Give the name of the binary field in its place. It has: data, a.b, my file, x, y.',
    });
  });
});

const runWithFile = (data: string) => {
  const node = createNode('Node', TYPE, {
    resource: 'record',
    operation: 'create',
    dataTableId: toLocator(table.id),
    columns: toColumns({ contract: 'data' }),
  });
  const input = [{ json: {}, binary: { data: { data, fileName: 'h.txt' } } }];
  return env.engine.run(chainNodes(START, node), { input: input as never });
};

test('a file without a MIME type, as a Code node makes it, is a file', async () => {
  getOutput(await runWithFile('aGVsbG8='));
  expect(getSentFile()).toMatchObject(FILE);
});

test('a file without content, as a Code node with a fault makes it, is refused as an empty download is', async () => {
  const sent = env.service.requests.length;
  const { error } = await runWithFile('');
  expect(error?.message).toBe('The file "h.txt" of the input is empty');
  expect(env.listRequests(sent).filter((request) => request.startsWith('POST'))).toEqual([]);
});

describe.each(['separate', 'combined'])('binary mode %s: no other file than those of the input', (mode) => {
  test.each([
    ['the ID of a stored file', { mimeType: 'text/plain', id: 'filesystem-v2:workflows/1/executions/7/x' }],
    ['content', { mimeType: 'text/plain', data: 'aGVsbG8=' }],
  ])('%s in the JSON of an item is refused', async (_, other) => {
    const sent = env.service.requests.length;
    const { error } = await write(mode, toColumns({ contract: '={{ $json.other }}' }), { other });
    expect(error?.message).toContain('The input has no binary field "{"mimeType"');
    expect(env.listRequests(sent).filter((request) => request.startsWith('POST'))).toEqual([]);
    // Map Automatically passes over what a File column of a record that was read shows.
    getOutput(await write(mode, AUTO_MAP, { contract: other }));
    expect(getSentFile()).toBeUndefined();
  });
});

test('binary mode separate: the key _files in the JSON of an item holds no file', async () => {
  const input = { _files: { other: { mimeType: 'text/plain', id: 'filesystem-v2:x' } } };
  const { error } = await write('separate', toColumns({ contract: 'other' }), input);
  expect(error).toHaveProperty('message', 'The input has no binary field "other"');
});

test('a long object is cut in the error', async () => {
  const { error } = await write('separate', toColumns({ contract: `={{ ({ a: 'x'.repeat(5000) }) }}` }));
  expect(error?.message.length).toBeLessThan(300);
});

test.each(['separate', 'combined'])(
  'binary mode %s: a name leads to no object of the input that looks like a file',
  async (mode) => {
    const other = { mimeType: 'text/plain', data: 'aGVsbG8=' };
    const { error } = await write(mode, toColumns({ contract: 'other' }), { other });
    expect(error).toHaveProperty('message', 'The input has no binary field "other"');
  },
);

test('binary mode combined: a file that is uploaded as a whole', async () => {
  const imports = 'n8n-nodes-record-database.recordDatabaseImportExport';
  const listed = await env.engine.run(
    chainNodes(START, createNode('Node', imports, { resource: 'import', operation: 'getAll' })),
  );
  const upload = createNode('Node', imports, {
    resource: 'import',
    operation: 'run',
    wait: false,
    importId: toLocator(String(getOutput(listed)[0]!.id)),
    source: 'file',
    binaryField: 'data',
  });
  const file = createNode('File', 'n8n-nodes-base.convertToFile', {
    operation: 'toText',
    sourceProperty: 'text',
    options: { fileName: 'rows.csv' },
  });
  const workflow = { ...chainNodes(START, file, upload), settings: { binaryMode: 'combined' } };
  const input = [{ json: { text: 'Company\r\nExample\r\n' } }];
  getOutput(await env.engine.run(workflow, { input: input as never }));
  expect(JSON.stringify(env.service.requests.at(-1)!.body)).toContain('rows.csv');
});
