/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not shipped: runs on Node */
import { Readable } from 'node:stream';
import { type ApiContext, createPort } from '../../../../nodes/n8n/http/port';
import {
  FileContent,
  type HttpRequest,
  interpretResponse,
  NetworkError,
  parseContent,
} from '../../../../nodes/service';

/** The options passed to n8n's request helper, and the results of its responses and errors. */

const plain: HttpRequest = {
  method: 'POST',
  url: 'https://s.example/a',
  headers: {},
  timeout: 7_000,
  maxBytes: 1_000,
};
const CREDENTIAL = { appId: 'of this item' };

async function sendWithAnswer(request: HttpRequest, answer: unknown, mayBeEmpty = false) {
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
  const sent = await createPort(context, CREDENTIAL).send(request, { login: false });
  const result = interpretResponse(sent, { mayBeEmpty });
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
    // The key headers are in the request already; the empty header says that there is no login.
    headers: { Authorization: '', H: 'v' },
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

test('an endpoint that may return a file requests bytes and parses them by their type', async () => {
  const bytes = Buffer.from('{"type":"success"}');
  const answer = { ...good, headers: { 'content-type': 'application/json' }, body: bytes };
  const { result } = await sendWithAnswer({ ...plain, file: true, headers: { H: 'v' } }, answer);
  expect(result).toMatchObject({ body: { type: 'success' } });
});

test.each<[string, number, object, unknown]>([
  ['no content', 204, {}, {}],
  ['an empty body that is said to be empty', 200, { 'content-length': '0' }, {}],
  ['an empty body that broke off', 200, { 'content-length': '12' }, ''],
  ['an empty body of nobody knows what length', 200, {}, ''],
  ['an empty refusal', 403, { 'content-length': '0' }, ''],
])('where an answer may be empty, %s', async (_what, statusCode, headers, body) => {
  const getBody = async (mayBeEmpty: boolean) => {
    const { result } = await sendWithAnswer(plain, { statusCode, headers, body: '' }, mayBeEmpty);
    return (result as { body: unknown }).body;
  };
  expect(await getBody(true)).toEqual(body);
  // For any other endpoint the response is incomplete, so the outcome is unknown.
  expect(await getBody(false)).toBe('');
});

test('a null body is valid only for endpoints whose response may be empty', async () => {
  const nothing = { statusCode: 200, headers: { 'content-length': '4' }, body: null };
  expect((await sendWithAnswer(plain, nothing, true)).result).toMatchObject({ body: {} });
  expect((await sendWithAnswer(plain, nothing)).result).toMatchObject({ body: null });
});

/** Spec: Key facts 4 and 5. */
test.each<[number, object, number]>([
  [200, { type: 'error', msg: 'Permission Denied', status: 403 }, 403],
  [201, { type: 'error', status: '404' }, 404],
  [200, { type: 'error', msg: 'no' }, 422],
  [200, { type: 'error', status: 200 }, 422],
  [200, { type: 'success', status: 500 }, 200],
  [200, { status: 'error' }, 200],
  [500, { type: 'error', status: 404 }, 500],
])('HTTP %i with %j means %i', async (statusCode, body, status) => {
  expect((await sendWithAnswer(plain, { statusCode, headers: {}, body })).result).toMatchObject({
    status,
    body,
  });
});

test.each<[string, object, string, string]>([
  ["the network's code", { code: 'outer', cause: { code: 'ECONNRESET', message: 'hang up' } }, 'ECONNRESET', 'hang up'], // prettier-ignore
  ['a code of its own', { code: 'ETIMEDOUT' }, 'ETIMEDOUT', 'said'],
  ['a cause without a code', { code: 'OUTER', cause: { message: 'inner' } }, 'OUTER', 'inner'],
  ['a code that is a number', { code: 5, cause: { code: 7 } }, 'UNKNOWN', 'said'],
  ['nothing', { message: undefined }, 'UNKNOWN', 'no answer'],
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

describe('the content of bytes', () => {
  const parseBytes = (type: string | undefined, text: string, more: Record<string, string> = {}) =>
    parseContent({ ...(type !== undefined && { 'content-type': type }), ...more }, Buffer.from(text));

  test.each<[string | undefined, string, unknown]>([
    ['application/json', '{"a":1}', { a: 1 }],
    ['application/problem+json; charset=utf-8', '[1]', [1]],
    [' Application/JSON ; x', 'true', true],
    ['text/html', '<p>', '<p>'],
    ['text/plain', '5', 5],
    ['', '{"a":1}', { a: 1 }],
    [undefined, 'é', 'é'],
    ['application/json', '{"a":', '{"a":'],
  ])('%p %s', (type, text, content) => expect(parseBytes(type, text)).toEqual(content));

  test.each(['application/pdf', 'application/octet-stream', 'image/png', 'application/text/x'])(
    '%s is a file',
    (type) => {
      const file = parseBytes(`${type}; x=y`, 'bytes', { 'content-disposition': 'attachment; filename=a' });
      expect(file).toBeInstanceOf(FileContent);
      expect(file).toMatchObject({ mimeType: type, disposition: 'attachment; filename=a' });
      expect((file as FileContent).data.toString()).toBe('bytes');
    },
  );

  test('a file without a content type, and bytes within a larger buffer', () => {
    expect(parseBytes('application/pdf', 'x')).toMatchObject({ disposition: '' });
    const part = new Uint8Array(Buffer.from('--bytes--')).subarray(2, 7);
    expect((parseContent({ 'content-type': 'image/png' }, part) as FileContent).data.toString()).toBe(
      'bytes',
    );
  });

  test.each(['text', { a: 1 }, null, undefined, 5])('%j was read already', (body) =>
    expect(parseContent({ 'content-type': 'application/pdf' }, body)).toBe(body),
  );
});

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
    expect(await read(stream('x'.repeat(1_001)), { file: true })).toMatchObject({ code: 'FILE_TOO_LARGE' });
    expect(await read(stream('x'.repeat(1_001)), {}, 500)).toEqual({ status: 500, headers: {}, body: '' });
    expect(await read(stream('x'.repeat(1_001)), {}, 400)).toMatchObject({ status: 400, body: '' });
    expect(await read(stream('{"msg":"No"}'), {}, 422)).toMatchObject({ status: 422, body: { msg: 'No' } });
    const image = { statusCode: 200, headers: { 'content-type': 'image/png' }, body: stream('bytes') };
    const { result } = await sendWithAnswer({ ...plain, file: true }, image);
    expect((result as { body: unknown }).body).toBeInstanceOf(FileContent);
  });

  test('that breaks off is a fault', async () => {
    const reset = Object.assign(new Error('aborted'), { code: 'ECONNRESET' });
    expect(await read(stream('{"a":', reset))).toMatchObject({ code: 'ECONNRESET', message: 'aborted' });
    const ended = new Readable({ read: () => undefined });
    ended.push('{');
    setImmediate(() => ended.destroy());
    expect(await read(ended)).toMatchObject({ code: 'ECONNRESET', message: 'the answer broke off' });
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
