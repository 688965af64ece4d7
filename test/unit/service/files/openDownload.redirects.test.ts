/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not shipped: runs on Node */
import { Readable } from 'node:stream';
import { openDownload } from '../../../../nodes/service/files/openDownload';
import { MEGABYTE } from '../../../../nodes/service/http/client';
import { createDownloadClient } from '../http/fakeN8n';

const PUBLIC = 'https://app.example.com';
const EXPIRED =
  'It may have been deleted, or its address may have expired. Fetch the file in the service, or generate it again.';
const PLAIN_ADDRESSES_ONLY =
  'Files are fetched from plain http and https addresses only, without any credential. Check in the service where the file lies.';

type Answer = [status: number, headers?: Record<string, string>];

/** Opens /a/list.csv. Each request gets the next answer; after the last one the file. */
function createDownload(...answers: Array<Answer | Error>) {
  const urls: string[] = [];
  const bodies: Readable[] = [];
  const httpRequest = async ({ url }: { url: string }) => {
    const answer = answers[urls.length] ?? [200];
    urls.push(url);
    if (answer instanceof Error) throw answer;
    const body = new Readable({ read: () => undefined });
    bodies.push(body);
    return { statusCode: answer[0], headers: answer[1] ?? {}, body };
  };
  const open = async () => {
    const opened = await openDownload(createDownloadClient(httpRequest), `${PUBLIC}/a/list.csv`, MEGABYTE);
    const file = opened as Extract<typeof opened, { close: unknown }>;
    // Ends the check for a stalled stream.
    file.close();
    return file;
  };
  return { open, urls, bodies };
}

beforeEach(() => jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate'] }));
afterEach(() => jest.useRealTimers());

describe('the name and type of a file', () => {
  test.each<[Record<string, string>, string, string]>([
    [{}, 'list.csv', 'application/octet-stream'],
    [{ 'content-type': '; charset=utf-8' }, 'list.csv', 'application/octet-stream'],
    [{ 'content-type': 'text/csv ; charset=utf-8' }, 'list.csv', 'text/csv'],
    [
      { 'content-type': 'text/csv', 'content-disposition': 'attachment; filename="b.csv"' },
      'b.csv',
      'text/csv',
    ],
    // These types only resemble the one of a web page.
    [{ 'content-type': 'text/html-template' }, 'list.csv', 'text/html-template'],
    [{ 'content-type': 'x-text/html' }, 'list.csv', 'x-text/html'],
    // A file may be as large as the limit.
    [{ 'content-length': String(MEGABYTE) }, 'list.csv', 'application/octet-stream'],
  ])('of %j are %s and %s', async (headers, fileName, mimeType) => {
    const file = await createDownload([200, headers]).open();
    expect({ fileName: file.fileName, mimeType: file.mimeType }).toEqual({ fileName, mimeType });
  });
});

describe('a response that is not the file is closed and explained', () => {
  test.each<[number, Record<string, string>, string, string]>([
    [204, {}, 'The file could not be fetched (204)', EXPIRED],
    [400, { location: '/b' }, 'The file could not be fetched (400)', EXPIRED],
    [404, { location: '/b' }, 'The file could not be fetched (404)', EXPIRED],
    [
      200,
      { 'content-length': String(MEGABYTE + 1) },
      'The file is larger than 1 MB, so it was not downloaded',
      'The file itself is complete: download it in the service.',
    ],
    [
      200,
      // Only the end of a name is its extension.
      { 'content-type': 'text/html', 'content-disposition': 'attachment; filename="a.html.csv"' },
      'app.example.com answered with a web page instead of the file',
      'The address may have expired or need a login. Fetch the file in the service, or generate it again.',
    ],
  ])('%i with %j: %s', async (status, headers, message, description) => {
    const { open, urls, bodies } = createDownload([status, headers]);
    await expect(open()).rejects.toMatchObject({ message, description });
    expect(urls).toHaveLength(1);
    expect(bodies.map(({ destroyed }) => destroyed)).toEqual([true]);
  });
});

describe('a redirect', () => {
  test.each([300, 302, 308, 399])('with status %i is followed from where it came', async (status) => {
    const { open, urls } = createDownload([status, { location: 'b.csv' }]);
    expect(await open()).toMatchObject({ fileName: 'b.csv' });
    expect(urls).toEqual([`${PUBLIC}/a/list.csv`, `${PUBLIC}/a/b.csv`]);
  });

  const toNext: Answer = [302, { location: '/b.csv' }];

  test('is followed three times at most, and its response is closed', async () => {
    const { open, urls, bodies } = createDownload(toNext, toNext, toNext);
    expect(await open()).toMatchObject({ fileName: 'b.csv', mimeType: 'application/octet-stream' });
    expect(urls).toHaveLength(4);
    expect(bodies.every(({ destroyed }) => destroyed)).toBe(true);
  });

  test.each<[string, number, Answer[]]>([
    ['it redirects too often', 4, [toNext, toNext, toNext, toNext]],
    ['it redirects without a target address', 1, [[302]]],
  ])('is not followed: %s', async (reason, requests, answers) => {
    const { open, urls } = createDownload(...answers);
    await expect(open()).rejects.toMatchObject({
      message: `The download address was not fetched: ${reason}`,
      description: PLAIN_ADDRESSES_ONLY,
    });
    expect(urls).toHaveLength(requests);
  });
});
