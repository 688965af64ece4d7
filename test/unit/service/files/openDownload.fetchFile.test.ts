/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not shipped: runs on Node */
import { Readable } from 'node:stream';
import { systemClock } from '../../../../nodes/n8n/http/port';
import { NetworkError } from '../../../../nodes/service';
import { fetchFile } from '../../../../nodes/service/files/openDownload';
import { createDownloader, createLostError } from '../http/fakeN8n';

const ADDRESS = 'https://files.example.com/a.csv';

interface SentFetch {
  /** The time since the first request. */
  at: number;
  abortSignal: AbortSignal;
  body: Readable;
}

/** Answers each request with the next status or error; after the last one with 200. */
function createFetch(...answers: Array<number | Error>) {
  const sent: SentFetch[] = [];
  const optionsSent: unknown[] = [];
  const startedAt = Date.now();
  const httpRequest = async ({ abortSignal, ...options }: { abortSignal: AbortSignal }) => {
    const answer = answers[sent.length] ?? 200;
    const body = new Readable({ read: () => undefined });
    sent.push({ at: Date.now() - startedAt, abortSignal, body });
    optionsSent.push(options);
    if (answer instanceof Error) throw answer;
    return { statusCode: answer, headers: { etag: 'a' }, body };
  };
  const fetch = async (signal?: AbortSignal) => {
    const fetched = fetchFile(createDownloader(httpRequest, { signal }), ADDRESS);
    await jest.advanceTimersByTimeAsync(60_000);
    return await fetched;
  };
  return { fetch, sent, optionsSent };
}

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate'] });
  jest.spyOn(systemClock, 'random').mockReturnValue(0);
});
afterEach(() => {
  jest.useRealTimers();
  jest.restoreAllMocks();
});

test('the request has no credential and asks for the uncompressed stream of any status', async () => {
  const { fetch, optionsSent, sent } = createFetch();
  expect(await fetch()).toEqual({
    status: 200,
    headers: { etag: 'a' },
    stream: sent[0]?.body,
    close: expect.any(Function),
  });
  expect(optionsSent).toEqual([
    {
      method: 'GET',
      url: ADDRESS,
      timeout: 5_000,
      encoding: 'stream',
      headers: { Accept: '*/*', 'Accept-Encoding': 'identity' },
      returnFullResponse: true,
      ignoreHttpStatusErrors: true,
      disableFollowRedirect: true,
    },
  ]);
});

describe('the connection ends', () => {
  test.each([
    ['without a signal', undefined],
    ['with the signal of the execution', new AbortController().signal],
  ])('when the file is closed, %s', async (_how, signal) => {
    const { fetch, sent } = createFetch();
    const file = await fetch(signal);
    expect(sent[0]?.abortSignal.aborted).toBe(false);
    if (!(file instanceof NetworkError)) file.close();
    expect(sent[0]?.abortSignal.aborted).toBe(true);
    expect(sent[0]?.body.destroyed).toBe(true);
  });

  test('when the execution is stopped', async () => {
    const { fetch, sent } = createFetch();
    const stop = new AbortController();
    await fetch(stop.signal);
    expect(sent[0]?.abortSignal.aborted).toBe(false);
    stop.abort();
    expect(sent[0]?.abortSignal.aborted).toBe(true);
  });
});

test.each([
  ['of the cause', createLostError('CERT_HAS_EXPIRED'), 'CERT_HAS_EXPIRED', 'said CERT_HAS_EXPIRED'],
  ['of the error itself', Object.assign(new Error('late'), { code: 'ETIMEDOUT' }), 'ETIMEDOUT', 'late'],
  [
    'of both, if the cause has only one of them',
    Object.assign(new Error('late'), { code: 'ETIMEDOUT', cause: { message: 'slow' } }),
    'ETIMEDOUT',
    'slow',
  ],
  ['UNKNOWN, if there is no code', new Error('odd'), 'UNKNOWN', 'odd'],
])('a fetch without a response has the code and message %s', async (_what, error, code, message) => {
  // An unknown error is fetched again.
  const result = await createFetch(error, error, error, error).fetch();
  expect(result).toBeInstanceOf(NetworkError);
  expect(result).toMatchObject({ name: 'NetworkError', code, message });
});

describe('a failed fetch', () => {
  test.each([
    ['a server error', 503],
    ['a refused connection', createLostError('ECONNREFUSED')],
  ])('is repeated after %s, until the file comes', async (_what, failure) => {
    const { fetch, sent } = createFetch(failure, failure, failure);
    expect(await fetch()).toMatchObject({ status: 200 });
    expect(sent.map(({ at }) => at)).toEqual([0, 500, 1_500, 3_500]);
  });

  test('is repeated three times at most', async () => {
    const { fetch, sent } = createFetch(503, 503, 503, 503);
    expect(await fetch()).toMatchObject({ status: 503 });
    expect(sent).toHaveLength(4);
  });

  test('is closed before it is repeated; the last response stays open', async () => {
    const { fetch, sent } = createFetch(500);
    await fetch();
    expect(sent.map(({ body, abortSignal }) => [body.destroyed, abortSignal.aborted])).toEqual([
      [true, true],
      [false, false],
    ]);
  });

  test.each([
    // Each item would wait several times for a host that does not answer.
    ['a timeout', createLostError('ETIMEDOUT')],
    ['a timeout of a gateway', 504],
    ['an invalid certificate', createLostError('CERT_HAS_EXPIRED')],
    // No rate limiter exists for other hosts.
    ['a rate limit', 429],
    ['a missing file', 404],
  ])('is not repeated after %s', async (_what, failure) => {
    const { fetch, sent } = createFetch(failure);
    expect(await fetch()).not.toMatchObject({ status: 200 });
    expect(sent).toHaveLength(1);
  });

  test('is not repeated in a stopped execution', async () => {
    const { fetch, sent } = createFetch(503);
    expect(await fetch(AbortSignal.abort())).toMatchObject({ status: 503 });
    expect(sent).toHaveLength(1);
  });
});
