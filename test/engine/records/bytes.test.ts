/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not shipped: runs on Node */
import { type IncomingMessage, request as sendRequest } from 'node:http';
import { startCountingServer } from '../support/countingServer';
import { AUTO_MAP, getOutput, toColumns } from '../support/testEnvironment';
import { useTestEnvironment } from '../support/useTestEnvironment';

/**
 * What stands on the wire of a create or an update that n8n sends. A proxy in front of the service keeps the bytes of each
 * body.
 */

const env = useTestEnvironment();

interface Sent {
  type: string;
  length: number;
  bytes: Buffer;
}

async function readBytes(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** Runs an operation through the proxy. Returns the bodies of its writes. */
async function recordBodies(run: () => Promise<unknown>): Promise<Sent[]> {
  const sent: Sent[] = [];
  const target = new URL(env.service.baseUrl);
  const { port } = await startCountingServer((incoming, outgoing) => {
    void readBytes(incoming).then((bytes) => {
      const { method, url: path, headers } = incoming;
      if (method === 'POST' && /\/records(\/|$)/.test(path!))
        sent.push({ type: headers['content-type']!, length: Number(headers['content-length']), bytes });
      const options = { host: target.hostname, port: target.port, method, path, headers };
      const forwarded = sendRequest(options, (answer) => {
        outgoing.writeHead(answer.statusCode!, answer.headers);
        answer.pipe(outgoing);
      });
      forwarded.end(bytes);
    });
  });
  await env.withSettings({ baseUrl: `http://127.0.0.1:${port}` }, async () => {
    await run();
  });
  return sent;
}

/** The texts of a form by name. */
function parseForm({ type, bytes }: Sent): Map<string, string> {
  const boundary = /boundary=(\S+)$/.exec(type)![1]!;
  const parts = bytes.toString('latin1').split(`--${boundary}\r\n`).slice(1);
  return new Map(
    parts.map((part): [string, string] => {
      const name = /name="([^"]*)"/.exec(part)![1]!;
      const value = part
        .slice(part.indexOf('\r\n\r\n') + 4)
        .replace(new RegExp(`\r\n(--${boundary}--\r\n)?$`), '');
      return [name, value].map((text) => Buffer.from(text, 'latin1').toString()) as [string, string];
    }),
  );
}

/** What a text file, a header or a form could change. */
const TEXT = 'LF \n CR \r CRLF \r\n\r\n Zoë 😀 "double" \'single\' \\ %0A ü\u2028 end ';

test('texts beside a file, and the file, arrive as they were given', async () => {
  const table = env.service.addTable({
    name: 'Letters',
    fields: [
      { name: 'Key', type: 'Text' },
      { name: 'Note', type: 'Long Text', slug: 'note 😀' },
      { name: 'Home', type: 'Address' },
      { name: 'Scan', type: 'File' },
    ],
  });
  const bytes = Buffer.from([0, 10, 13, 13, 10, 255, 254, 0]);
  const values = {
    key: 'k',
    'note 😀': TEXT,
    'home[address]': '1 Main Street\n2nd floor',
    scan: 'data',
  };
  const input = {
    json: {},
    binary: { data: { data: bytes.toString('base64'), mimeType: 'text/plain', fileName: 'a "b" 😀.txt' } },
  };
  const [sent, ...others] = await recordBodies(async () =>
    getOutput(await env.runRecordOperation('create', table, { columns: toColumns(values) }, [input])),
  );
  expect(others).toEqual([]);
  expect([sent!.length, sent!.bytes.length]).toEqual([sent!.bytes.length, sent!.bytes.length]);
  const parts = parseForm(sent!);
  expect(parts.get('note 😀')).toBe(TEXT);
  expect(parts.get('home[address]')).toBe('1 Main Street\n2nd floor');
  expect(sent!.bytes.includes(bytes)).toBe(true);
  expect(sent!.bytes.includes(Buffer.from('filename="a %22b%22 😀.txt"'))).toBe(true);
  const [record] = [...table.records.values()];
  expect(record).toMatchObject({
    'note 😀': TEXT,
    home: { address: '1 Main Street\n2nd floor' },
    scan: expect.stringMatching(/^\/?(http|files)/),
  });

  // What was written is read back equal, so a second run sends nothing.
  const columns = { ...AUTO_MAP };
  const again = { recordId: record!.id, columns };
  const run = await env.runRecordOperation('update', table, again, [{ 'note 😀': TEXT, key: 'k' }]);
  expect(getOutput(run)).toMatchObject([{ _action: 'unchanged' }]);
});

test('a small form is sent alone, without the memory around it', async () => {
  const table = env.service.addTable({ name: 'Small', fields: [{ name: 'Who', type: 'Name' }] });
  const [sent] = await recordBodies(async () =>
    getOutput(await env.runRecordOperation('create', table, { columns: toColumns({ 'who[title]': 'Dr' }) })),
  );
  expect(sent!.bytes.length).toBeLessThan(250);
  expect(sent!.length).toBe(sent!.bytes.length);
  expect([...parseForm(sent!)]).toEqual([['who[title]', 'Dr']]);
});

test('texts in JSON arrive as they were given', async () => {
  const table = env.service.addTable({ name: 'Plain', fields: [{ name: 'Note', type: 'Long Text' }] });
  const [sent] = await recordBodies(async () =>
    getOutput(await env.runRecordOperation('create', table, { columns: AUTO_MAP }, [{ note: TEXT }])),
  );
  expect(sent!.type).toMatch(/^application\/json/);
  expect(JSON.parse(sent!.bytes.toString())).toEqual({ note: TEXT });
  expect([...table.records.values()]).toMatchObject([{ note: TEXT }]);
});
