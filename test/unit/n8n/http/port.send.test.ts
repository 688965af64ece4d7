/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not shipped: runs on Node */
import { Readable } from 'node:stream';
import { type ApiContext, createPort } from '../../../../nodes/n8n/http/port';
import { type HttpRequest, NetworkError } from '../../../../nodes/service';

/** The options passed to n8n's request helper, and the results of its responses and errors. */

const plain: HttpRequest = {
  method: 'POST',
  url: 'https://s.example/a',
  headers: {},
  timeout: 7_000,
  maxBytes: 1_000,
};
const CREDENTIAL = { appId: 'of this item' };

async function sendWithAnswer(request: HttpRequest, answer: unknown) {
  const calls: unknown[][] = [];
  const context = {
    getTimezone: () => 'UTC',
    helpers: {
      async httpRequestWithAuthentication(this: unknown, ...args: unknown[]) {
        calls.push([this, ...args]);
        if (answer instanceof Error) throw answer;
        return answer;
      },
    },
  } as unknown as ApiContext;
  const result = await createPort(context, CREDENTIAL).send(request, { login: false });
  expect(calls).toHaveLength(1);
  const [self, type, options, more] = calls[0]!;
  expect(self).toBe(context);
  expect(type).toBe('recordDatabaseApi');
  expect(more).toMatchObject({ credentialsDecrypted: { type, data: CREDENTIAL } });
  const { abortSignal, ...others } = options as { abortSignal: unknown };
  expect(abortSignal).toBeInstanceOf(AbortSignal);
  return { result, options: others as Record<string, unknown> };
}
const good = { statusCode: 200, headers: { a: 'b' }, body: { type: 'success' } };

test('a call requests JSON, accepts every status and follows no redirect', async () => {
  const request = { ...plain, body: { x: 0 }, headers: { H: 'v' } };
  const { result, options } = await sendWithAnswer(request, good);
  expect(result).toEqual({ status: 200, headers: { a: 'b' }, body: { type: 'success' } });
  expect(options).toEqual({
    method: 'POST',
    url: 'https://s.example/a',
    body: { x: 0 },
    headers: { H: 'v' },
    encoding: 'stream',
    timeout: 7_000,
    json: true,
    returnFullResponse: true,
    disableFollowRedirect: true,
    ignoreHttpStatusErrors: true,
  });
});

test('a GET sets no method, because n8n would drop its body; a DELETE sets it', async () => {
  expect((await sendWithAnswer({ ...plain, method: 'GET' }, good)).options).not.toHaveProperty('method');
  expect((await sendWithAnswer({ ...plain, method: 'DELETE' }, good)).options).toHaveProperty(
    'method',
    'DELETE',
  );
});

test.each([200, 204, 403])(
  'a body that n8n has read is returned as it is, with the status %i',
  async (status) => {
    for (const body of ['', null, { type: 'error', status: 404 }, Buffer.from('{}')]) {
      const { result } = await sendWithAnswer(plain, { statusCode: status, headers: { a: 'b' }, body });
      expect(result).toEqual({ status, headers: { a: 'b' }, body });
    }
  },
);

test.each<[string, object, string, string]>([
  ["the network's code", { code: 'outer', cause: { code: 'ECONNRESET', message: 'hang up' } }, 'ECONNRESET', 'hang up'], // prettier-ignore
  ['a code of its own', { code: 'ETIMEDOUT' }, 'ETIMEDOUT', 'said'],
  ['a cause without a code', { code: 'OUTER', cause: { message: 'inner' } }, 'OUTER', 'inner'],
  ['a code that is a number', { code: 5, cause: { code: 7 } }, 'UNKNOWN', 'said'],
  ['nothing', { message: undefined }, 'UNKNOWN', 'no response'],
])('a fault contains %s, and no part of the request', async (_what, shape, code, message) => {
  const { result } = await sendWithAnswer(
    plain,
    Object.assign(new Error('said'), { config: { secret: 1 } }, shape),
  );
  expect(result).toBeInstanceOf(NetworkError);
  expect(result).toMatchObject({ name: 'NetworkError', code, message });
  expect(Object.keys(result)).toEqual(['code', 'name']);
});

test.each([
  ['connect', 'EHOSTUNREACH'],
  ['read', 'EHOSTUNREACH_LATER'],
])(
  'a host that is out of reach at "%s" is %s: only while connecting nothing was sent',
  async (syscall, code) => {
    const error = Object.assign(new Error('n8n'), { cause: { code: 'EHOSTUNREACH', syscall, message: 'x' } });
    expect((await sendWithAnswer(plain, error)).result).toMatchObject({ code });
  },
);

describe('a response that arrives as a stream', () => {
  const stream = (...pieces: Array<string | Error>) =>
    Readable.from(
      (function* () {
        for (const piece of pieces) {
          if (piece instanceof Error) throw piece;
          yield Buffer.from(piece);
        }
      })(),
    );
  const read = async (body: Readable, request: Partial<HttpRequest> = {}, statusCode = 200) =>
    (await sendWithAnswer({ ...plain, ...request }, { statusCode, headers: {}, body })).result;

  test.each<[pieces: string[], body: unknown]>([
    [['{"a":', '1}'], { a: 1 }],
    [['\ufeff{"a":1}'], { a: 1 }],
    [[], ''],
    [['<p>'], '<p>'],
    [['null'], null],
    [['false'], false],
  ])('%j is %j', async (pieces, body) => {
    expect(await read(stream(...pieces))).toEqual({ status: 200, headers: {}, body });
  });

  test('is read to exactly the largest size', async () => {
    expect(await read(stream('x'.repeat(999), 'x'))).toMatchObject({ body: 'x'.repeat(1_000) });
    const body = stream('x'.repeat(999), 'xx', 'never read');
    expect(await read(body)).toMatchObject({ code: 'ANSWER_TOO_LARGE', message: 'more than 0 MB' });
    expect(body.destroyed).toBe(true);
    expect(await read(stream('x'.repeat(1_001)), { mayBeFile: true })).toMatchObject({
      code: 'FILE_TOO_LARGE',
    });
    expect(await read(stream('x'.repeat(1_001)), {}, 500)).toEqual({ status: 500, headers: {}, body: '' });
    expect(await read(stream('x'.repeat(1_001)), {}, 400)).toMatchObject({ status: 400, body: '' });
    expect(await read(stream('{"msg":"No"}'), {}, 422)).toMatchObject({ status: 422, body: { msg: 'No' } });
    const image = { statusCode: 200, headers: { 'content-type': 'image/png' }, body: stream('bytes') };
    const { result } = await sendWithAnswer({ ...plain, mayBeFile: true }, image);
    expect(result).toMatchObject({ body: Buffer.from('bytes') });
  });

  test('that breaks off is a fault', async () => {
    const reset = Object.assign(new Error('aborted'), { code: 'ECONNRESET' });
    expect(await read(stream('{"a":', reset))).toMatchObject({ code: 'ECONNRESET', message: 'aborted' });
    const ended = new Readable({ read: () => undefined });
    ended.push('{');
    setImmediate(() => ended.destroy());
    expect(await read(ended)).toMatchObject({ code: 'ECONNRESET', message: 'the response broke off' });
  });

  test('that begins after the timeout is closed', async () => {
    const late = new Readable({ read: () => undefined });
    let answer: (response: unknown) => void = () => undefined;
    const sent = new Promise((resolve) => (answer = resolve));
    const helpers = { httpRequestWithAuthentication: () => sent };
    const port = createPort({ helpers, getTimezone: () => 'UTC' } as unknown as ApiContext, CREDENTIAL);
    expect(await port.send({ ...plain, timeout: 1 }, { login: false })).toMatchObject({ code: 'ETIMEDOUT' });
    const closed = new Promise((resolve) => late.on('close', resolve));
    answer({ statusCode: 200, headers: {}, body: late });
    await closed;
    expect(late.destroyed).toBe(true);
  });

  test.each([0, 1])('ends at the timeout, after %i pieces', async (count) => {
    const endless = new Readable({ read: () => undefined });
    if (count > 0) endless.push('{');
    expect(await read(endless, { timeout: 10.5 })).toMatchObject({ code: 'ETIMEDOUT' });
    expect(endless.destroyed).toBe(true);
  });
});
