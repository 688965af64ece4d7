/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not shipped: runs on Node */
import { Readable } from 'node:stream';
import { systemClock } from '../../../../nodes/n8n/http/port';
import { ApiError, download } from '../../../../nodes/service';
import { createDownloadClient, createLostError } from '../http/fakeN8n';

const ADDRESS = 'https://files.example.com/a.csv';

/** A stream that ends with an error after its first bytes. */
const createBroken = () =>
  Readable.from(
    (async function* () {
      yield Buffer.from('ab');
      throw Object.assign(new Error('aborted'), { code: 'ECONNRESET' });
    })(),
  );

interface SentFetch {
  /** The time since the first request. */
  at: number;
  abortSignal: AbortSignal;
  body: Readable;
}

/** Answers each request with the next status or error, or with a file that breaks off; after the last one with the file. */
function createFetch(...answers: Array<number | Error | 'broken'>) {
  const sent: SentFetch[] = [];
  const optionsSent: unknown[] = [];
  const startedAt = Date.now();
  const httpRequest = async ({ abortSignal, ...options }: { abortSignal: AbortSignal }) => {
    const answer = answers[sent.length] ?? 200;
    const body = answer === 'broken' ? createBroken() : Readable.from([Buffer.from('abc')]);
    sent.push({ at: Date.now() - startedAt, abortSignal, body });
    optionsSent.push(options);
    if (answer instanceof Error) throw answer;
    return { statusCode: answer === 'broken' ? 200 : answer, headers: { etag: 'a' }, body };
  };
  const fetch = async (signal?: AbortSignal) => {
    const fetched = download(createDownloadClient(httpRequest, { signal }), ADDRESS, 1, async ({ stream }) =>
      Buffer.concat(await (stream as unknown as Readable).toArray()).toString(),
    ).catch((error: unknown) => error);
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
  const { fetch, optionsSent } = createFetch();
  expect(await fetch()).toBe('abc');
  expect(optionsSent).toEqual([
    {
      json: true,
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

describe('a failed fetch', () => {
  test.each([
    ['a server error', 503],
    // No rate limiter exists for other hosts.
    ['a rate limit', 429],
    ['a refused connection', createLostError('ECONNREFUSED')],
    ['a file that broke off', 'broken' as const],
  ])('is repeated after %s, until the file comes', async (_what, failure) => {
    const { fetch, sent } = createFetch(failure, failure, failure);
    expect(await fetch()).toBe('abc');
    expect(sent.map(({ at }) => at)).toEqual([0, 500, 1_500, 3_500]);
  });

  test.each([
    [503, { message: 'The file could not be fetched (503)', status: 503 }],
    [
      'broken' as const,
      { message: 'The download broke off', description: 'aborted (ECONNRESET). Try again later.' },
    ],
  ])('is repeated three times at most: %s', async (failure, error) => {
    const { fetch, sent } = createFetch(failure, failure, failure, failure);
    expect(await fetch()).toMatchObject(error);
    expect(sent).toHaveLength(4);
  });

  test('is closed before it is repeated', async () => {
    const { fetch, sent } = createFetch(500);
    await fetch();
    expect(sent.map(({ body, abortSignal }) => [body.destroyed, abortSignal.aborted])).toEqual([
      [true, true],
      [true, false],
    ]);
  });

  test.each([
    // Each item would wait several times for a host that does not answer.
    ['a timeout', createLostError('ETIMEDOUT')],
    ['a timeout of a gateway', 504],
    ['an invalid certificate', createLostError('CERT_HAS_EXPIRED')],
    ['a missing file', 404],
  ])('is not repeated after %s', async (_what, failure) => {
    const { fetch, sent } = createFetch(failure);
    expect(await fetch()).toBeInstanceOf(ApiError);
    expect(sent).toHaveLength(1);
  });

  test('is not repeated in a stopped execution', async () => {
    const { fetch, sent } = createFetch(503);
    expect(await fetch(AbortSignal.abort())).toMatchObject({ status: 503 });
    expect(sent).toHaveLength(1);
  });
});
