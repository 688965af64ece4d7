/* eslint-disable no-console -- not shipped: runs on Node */
import { InputError } from '../../../../nodes/service';
import { defineV1, defineV11 } from '../../../../nodes/service/endpoints/endpoint';
import { parseBaseUrl } from '../../../../nodes/service/http/credential';
import { fillPath, encodePathSegment } from '../../../../nodes/service/http/path';
import { expectEqual } from '../../../expectEqual';
import { scaleRuns } from '../../../randomness';
import { createRandom } from '../paging/changingList';

const get = defineV1('GET /data-tables/{dataTableId}/records/{recordId}');
const children = defineV11('GET /pages/{pageId}/childs/{childIds}');

const ORIGIN = 'https://service.example';

/** The path that a server receives after the normalisations of clients and servers. */
const parseUrl = (path: string) => new URL(ORIGIN + path);

const PIECES = [
  '/', '\\', '..', '.', '%2e', '%2E%2e', '%2f', '%5c', '%00', '%', '?', '#', '&', '=', ';', ':', '@', '//',
  ' ', '\t', '\n', '\r', '\u0000', '\u007f', '\u0085', '\u2028', '\u200b', '\ufeff', '\u3002', '．', '／', 'é', '日',
  '😀', '\ud800', '\udc00', '+', ',', "'", '"', '<', '>', '|', '^', '`', '{', '}', '[', ']', '~', 'a', 'Z', '0', '-', '_',
]; // prettier-ignore

test('an id never changes other path segments: 100,000 fuzzed ids', () => {
  const seed = 20_260;
  const random = createRandom(seed);
  let [sent, refused] = [0, 0];
  for (let run = 0; run < scaleRuns(100_000); run++) {
    const id = Array.from(
      { length: 1 + Math.floor(random() * 6) },
      () => PIECES[Math.floor(random() * PIECES.length)]!,
    ).join('');
    let path: string;
    try {
      path = fillPath(get, { dataTableId: 'T1', recordId: id });
    } catch (error) {
      expectEqual(error instanceof InputError, true);
      refused++;
      continue;
    }
    sent++;
    const { pathname, search, hash, origin } = parseUrl(path);
    const parts = pathname.split('/');
    if (parts.length !== 7 || !pathname.startsWith('/api/v1/data-tables/T1/records/') || parts[6] === '')
      throw new Error(`seed ${seed}: ${JSON.stringify(id)} became ${pathname}`);
    if (search || hash || origin !== ORIGIN || decodeURIComponent(parts[6]!) !== id.trim())
      throw new Error(`seed ${seed}: ${JSON.stringify(id)} became ${parseUrl(path).href}`);
  }
  console.log(`seed ${seed}: ${sent} ids sent in their segment, ${refused} refused`);
  expect(Math.min(sent, refused)).toBeGreaterThan(scaleRuns(10_000));
});

test.each([
  '',
  '  ',
  '.',
  '..',
  '...',
  ' .. ',
  'a\nb',
  '\u0000',
  '\ud800',
  undefined,
  null,
  {},
  [],
  true,
  NaN,
  Infinity,
])('%j is refused', (id) => expect(() => encodePathSegment('Record ID', id)).toThrow(InputError));

test.each([
  ['K7pQ2xW9Lm', 'K7pQ2xW9Lm'],
  [42, '42'],
  ['a/b', 'a%2Fb'],
  ['%2e%2e', '%252e%252e'],
  ['a?b#c', 'a%3Fb%23c'],
  [' trimmed ', 'trimmed'],
  ['one,two', 'one%2Ctwo'],
])('%j is sent as %s', (id, expected) => expect(encodePathSegment('Record ID', id)).toBe(expected));

test('every parameter of the path is filled in, the App ID included', () => {
  expect(fillPath(children, { appId: 'app1', pageId: 'P1', childIds: ['c1', 'c2'] })).toBe(
    '/api/v1.1/app1/pages/P1/childs/c1,c2',
  );
  // A comma in an ID does not make two of it.
  expect(fillPath(children, { appId: 'app1', pageId: 'P1', childIds: ['c1,x', 'c2'] })).toBe(
    '/api/v1.1/app1/pages/P1/childs/c1%2Cx,c2',
  );
  for (const childIds of [[], ['c1', ''], ['c1', '..'], ['c1', ['c2']]])
    expect(() => fillPath(children, { appId: 'app1', pageId: 'P1', childIds })).toThrow(InputError);
  expect(() => fillPath(children, { appId: 'app1', pageId: 'P1' })).toThrow('Child IDs is missing');
});

test.each([
  ['https://app.example.com/', 'https://app.example.com'],
  [' http://localhost:8080/base// ', 'http://localhost:8080/base'],
  ['app.example.com', 'https://app.example.com'],
  ['app.example.com:8443/base', 'https://app.example.com:8443/base'],
  ['https://app.example.com/api', 'https://app.example.com'],
  ['https://app.example.com/api/v1/', 'https://app.example.com'],
  ['https://app.example.com/base/api/v1.1', 'https://app.example.com/base'],
  ['app.example.com/api/v1.1/app-1', 'https://app.example.com'],
  ['https://app.example.com/apiary', 'https://app.example.com/apiary'],
])('base URL %j is %s', (given, expected) => expect(parseBaseUrl(given)).toBe(expected));

test.each([
  '',
  'https://app.example.com:99999',
  'user:pw@x',
  'ftp://x',
  'https://user:pw@x',
  'https://x?y',
  'https://x#y',
  'https://',
  'file:///etc',
  'https://a b',
  undefined,
])('base URL %j is refused', (given) => expect(() => parseBaseUrl(given)).toThrow(InputError));

const catchError = (action: () => unknown): unknown => {
  try {
    return action();
  } catch (error) {
    return error;
  }
};

test.each<[unknown, string, string]>([
  [
    undefined,
    'Record ID is missing',
    'Pick it from the list, or give its ID. An expression may have returned nothing.',
  ],
  ['..', 'Record ID cannot be ".."', 'Give the ID as the service shows it.'],
  ['a\ud800', 'Record ID cannot be "a\\ud800"', 'Give the ID as the service shows it.'],
])('the error for %j says what to do', (value, message, description) => {
  const error = catchError(() => encodePathSegment('recordId', value));
  expect(error).toBeInstanceOf(InputError);
  expect(error).toMatchObject({ message, description });
});

test.each(['.a', 'a.', '...a', 'a..b'])('%j stays in its segment', (id) => {
  expect(encodePathSegment('recordId', id)).toBe(id);
});

test.each([
  ['https://service.example///', 'https://service.example'],
  ['https://service.example///api/v1.1', 'https://service.example'],
  ['https://service.example//api///', 'https://service.example'],
])('the Base URL %s is %s', (given, base) => {
  expect(parseBaseUrl(given)).toBe(base);
});

test.each([5, null, 'ftp https://service.example', ' x:https://service.example'])(
  'the Base URL %j is refused',
  (given) => {
    expect(() => parseBaseUrl(given)).toThrow('The Base URL cannot be');
  },
);
