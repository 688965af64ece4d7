import { contentOf, FileContent } from '../../../nodes/shared/transport/content';
import { NetworkFault, send, type ApiContext, type HttpRequest } from '../../../nodes/shared/transport/send';

/** What n8n's helper is asked for, and what is made of its answers and its errors. */

const plain: HttpRequest = { method: 'POST', url: 'https://s.example/a', timeout: 7_000 };
async function sent(request: HttpRequest, answer: unknown, login?: boolean) {
  const calls: unknown[][] = [];
  const context = {
    helpers: {
      async httpRequestWithAuthentication(this: unknown, ...args: unknown[]) {
        calls.push([this, ...args]);
        if (answer instanceof Error) throw answer;
        return answer;
      },
    },
  } as unknown as ApiContext;
  const result = await send(context, request, login);
  expect(calls).toHaveLength(1);
  const [self, credential, options] = calls[0]!;
  expect(self).toBe(context);
  expect(credential).toBe('recordDatabaseApi');
  return { result, options: options as Record<string, unknown> };
}
const good = { statusCode: 200, headers: { a: 'b' }, body: { type: 'success' } };

test('a call asks for JSON, for every status, for no redirect and no file', async () => {
  const request = { ...plain, query: { q: 1 }, body: { x: 0 }, headers: { H: 'v' } };
  const { result, options } = await sent(request, good);
  expect(result).toEqual({ status: 200, headers: { a: 'b' }, body: { type: 'success' } });
  expect(options).toEqual({
    method: 'POST',
    url: 'https://s.example/a',
    qs: { q: 1 },
    body: { x: 0 },
    headers: { H: 'v' },
    timeout: 7_000,
    json: true,
    arrayFormat: 'indices',
    returnFullResponse: true,
    disableFollowRedirect: true,
    ignoreHttpStatusErrors: true,
  });
});

test('a GET names no method, or n8n would drop its body; a DELETE does', async () => {
  expect((await sent({ ...plain, method: 'GET' }, good)).options).not.toHaveProperty('method');
  expect((await sent({ ...plain, method: 'DELETE' }, good)).options).toHaveProperty('method', 'DELETE');
});

test('with a login n8n is left to see a 401, and to log in again', async () => {
  expect((await sent(plain, good, true)).options).not.toHaveProperty('ignoreHttpStatusErrors');
});

test('where a file may come, bytes are asked for and read by their type', async () => {
  const bytes = Buffer.from('{"type":"success"}');
  const answer = { ...good, headers: { 'content-type': 'application/json' }, body: bytes };
  const { result, options } = await sent({ ...plain, file: true, headers: { H: 'v' } }, answer);
  expect(result).toMatchObject({ body: { type: 'success' } });
  expect(options).toMatchObject({
    encoding: 'arraybuffer',
    headers: { H: 'v', Accept: 'application/json, application/pdf;q=0.9, */*;q=0.5' },
  });
  expect((await sent(plain, good)).options).not.toHaveProperty('encoding');
});

test.each<[string, number, object, unknown]>([
  ['no content', 204, {}, {}],
  ['an empty body that is said to be empty', 200, { 'content-length': '0' }, {}],
  ['an empty body that broke off', 200, { 'content-length': '12' }, ''],
  ['an empty body of nobody knows what length', 200, {}, ''],
  ['an empty refusal', 403, { 'content-length': '0' }, ''],
])('where an answer may be empty, %s', async (_what, statusCode, headers, body) => {
  const bodyOf = async (request: HttpRequest) => {
    const { result } = await sent(request, { statusCode, headers, body: '' });
    return (result as { body: unknown }).body;
  };
  expect(await bodyOf({ ...plain, mayBeEmpty: true })).toEqual(body);
  // Of any other endpoint it broke off: what it did nobody knows.
  expect(await bodyOf(plain)).toBe('');
});

test('a body of null says nothing: it is whole where an answer may be empty, and there alone', async () => {
  const nothing = { statusCode: 200, headers: { 'content-length': '4' }, body: null };
  expect((await sent({ ...plain, mayBeEmpty: true }, nothing)).result).toMatchObject({ body: {} });
  expect((await sent(plain, nothing)).result).toMatchObject({ body: null });
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
  expect((await sent(plain, { statusCode, headers: {}, body })).result).toMatchObject({ status, body });
});

test('an answer that n8n threw for its status is an answer', async () => {
  const response = {
    status: 403,
    headers: { 'content-type': 'text/html', a: 'b' },
    data: Buffer.from('<html>'),
  };
  const error = Object.assign(new Error('n8n'), { cause: Object.assign(new Error('axios'), { response }) });
  expect((await sent(plain, error)).result).toEqual({
    status: 403,
    headers: { 'content-type': 'text/html', a: 'b' },
    body: '<html>',
  });
});

test.each<[string, object, string, string]>([
  ["the network's code", { code: 'outer', cause: { code: 'ECONNRESET', message: 'hang up' } }, 'ECONNRESET', 'hang up'], // prettier-ignore
  ['a code of its own', { code: 'ETIMEDOUT' }, 'ETIMEDOUT', 'said'],
  ['a cause without a code', { code: 'OUTER', cause: { message: 'inner' } }, 'OUTER', 'inner'],
  ['a code that is a number', { code: 5, cause: { code: 7 } }, 'UNKNOWN', 'said'],
  ['nothing', { message: undefined }, 'UNKNOWN', 'no answer'],
])('a fault holds %s, and nothing of the request', async (_what, shape, code, message) => {
  const { result } = await sent(plain, Object.assign(new Error('said'), { config: { secret: 1 } }, shape));
  expect(result).toBeInstanceOf(NetworkFault);
  expect(result).toMatchObject({ name: 'NetworkFault', code, message });
  expect(Object.keys(result)).toEqual(['code', 'name']);
});

test.each([
  ['connect', 'EHOSTUNREACH'],
  ['read', 'EHOSTUNREACH_LATER'],
])(
  'a host that is out of reach at "%s" is %s: only while connecting nothing was sent',
  async (syscall, code) => {
    const error = Object.assign(new Error('n8n'), { cause: { code: 'EHOSTUNREACH', syscall, message: 'x' } });
    expect((await sent(plain, error)).result).toMatchObject({ code });
  },
);

describe('the content of bytes', () => {
  const read = (type: string | undefined, text: string, more: Record<string, string> = {}) =>
    contentOf({ ...(type !== undefined && { 'content-type': type }), ...more }, Buffer.from(text));

  test.each<[string | undefined, string, unknown]>([
    ['application/json', '{"a":1}', { a: 1 }],
    ['application/problem+json; charset=utf-8', '[1]', [1]],
    [' Application/JSON ; x', 'true', true],
    ['text/html', '<p>', '<p>'],
    ['text/plain', '5', 5],
    ['', '{"a":1}', { a: 1 }],
    [undefined, 'é', 'é'],
    ['application/json', '{"a":', '{"a":'],
  ])('%p %s', (type, text, content) => expect(read(type, text)).toEqual(content));

  test.each(['application/pdf', 'application/octet-stream', 'image/png', 'application/text/x'])(
    '%s is a file',
    (type) => {
      const file = read(`${type}; x=y`, 'bytes', { 'content-disposition': 'attachment; filename=a' });
      expect(file).toBeInstanceOf(FileContent);
      expect(file).toMatchObject({ mimeType: type, disposition: 'attachment; filename=a' });
      expect((file as FileContent).data.toString()).toBe('bytes');
    },
  );

  test('a file that is not named, and bytes within a larger buffer', () => {
    expect(read('application/pdf', 'x')).toMatchObject({ disposition: '' });
    const part = new Uint8Array(Buffer.from('--bytes--')).subarray(2, 7);
    expect((contentOf({ 'content-type': 'image/png' }, part) as FileContent).data.toString()).toBe('bytes');
  });

  test.each(['text', { a: 1 }, null, undefined, 5])('%j was read already', (body) =>
    expect(contentOf({ 'content-type': 'application/pdf' }, body)).toBe(body),
  );
});
