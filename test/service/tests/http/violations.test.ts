import type { Service } from '../..';
import { createClients, listViolations, openService } from '../client';

let service: Service;
let api: Awaited<ReturnType<typeof openService>>['api'];
let at: (name: string) => string;
beforeAll(async () => ({ service, api, at } = await openService()));
afterAll(() => service.stop());
beforeEach(() => void (service.violations.length = 0));

const getRecordsPath = () => `${at('Customers')}/records`;

/** Each request is answered as the spec says, and noted. */
test.each<[string, () => Promise<unknown>, RegExp, number]>([
  ['an unknown path', () => api.get('/nowhere'), /undocumented endpoint/, 404],
  ['HEAD', () => api.head('/status'), /undocumented endpoint/, 405],
  ['a broken escape in the path', () => api.get('/data-tables/%zz/records'), /valid url/, 422],
  ['an unknown query key', () => api.get('/tasks?page=1'), /query key "page"/, 200],
  ['a limit over 200', () => api.get(`${getRecordsPath()}?limit=201`), /over the maximum/, 200],
  ['a page that is no number', () => api.get(`${getRecordsPath()}?page=x`), /query key "page"/, 422],
  ['sort_by in a GET', () => api.get(`${getRecordsPath()}?sort_by[0][sort]=email`), /"sort_by"/, 200],
  [
    'sorting by an unknown field',
    () => api.get(`${getRecordsPath()}?order=nope`),
    /unknown field "nope"/,
    200,
  ],
  ['an unknown column', () => api.get(`${getRecordsPath()}?columns=email,nope`), /column "nope"/, 200],
  [
    'an unknown key beside a filter',
    () => api.post(getRecordsPath(), { page: 1, size: 2 }),
    /body key "size"/,
    200,
  ],
  ['text for a number in a body', () => api.post(getRecordsPath(), { page: '1' }), /body key "page"/, 422],
  [
    'an unknown field in a payload',
    () => api.post(getRecordsPath(), { email: 'v@example.com', nope: 1 }),
    /"nope"/,
    200,
  ],
  [
    'a display name in a payload',
    () => api.post(getRecordsPath(), { Email: 'v@example.com' }),
    /"Email"/,
    422,
  ],
  [
    'a value for a formula',
    () => api.post(`${at('Orders')}/records`, { number: 'V-1', total: 3 }),
    /"total"/,
    200,
  ],
  ['a body without need', () => api.post('/update-all-formula', { a: 1 }), /takes none/, 200],
  ['an empty object in a GET', () => api.get('/status', { data: {} }), /takes none/, 200],
  ['an empty object in a DELETE', () => api.delete(`${getRecordsPath()}/x`, { data: {} }), /takes none/, 404],
  ['broken JSON', () => postBrokenJson(), /be read/, 422],
  ['a JSON list', () => api.post(getRecordsPath(), [1]), /not an object/, 422],
  [
    'a urlencoded body',
    () => api.post(getRecordsPath(), new URLSearchParams({ email: 'a@b.co' })),
    /content type/,
    422,
  ],
  [
    'a form where JSON is due',
    () => api.post('/web-hooks/subscribe', createForm({ type: 'INSERT' })),
    /content type/,
    422,
  ],
  ['an unsubscribe id in the query', () => api.delete('/web-hooks/unsubscribe?id=x'), /query key "id"/, 422],
  [
    'an unknown header of the service',
    () => api.get('/status', { headers: { 'X-Service-Trace': '1' } }),
    /trace/,
    200,
  ],
  [
    'a formula header on a read',
    () => api.get('/status', { headers: { 'X-Service-Table-Rules': '1' } }),
    /rules/,
    200,
  ],
  [
    'a formula header that is no bit',
    () => createWith({ 'X-Service-Table-Rules': 'yes' }),
    /neither 0 nor 1/,
    422,
  ],
  [
    'basic authentication',
    () => api.get('/status', { headers: { authorization: 'Basic eA==' } }),
    /not a Bearer/,
    200,
  ],
  ['a secret in the URL', () => api.get(`/status?k=${service.keys.appSecret}`), /secret/, 200],
])('%s', async (_what, act, message, status) => {
  await act();
  expect(listViolations(service)).toEqual(expect.arrayContaining([expect.stringMatching(message)]));
  expect(service.violations[0]?.request).toBe(service.requests.at(-1));
  expect(service.requests.at(-1)?.status).toBe(status);
});

test('proper requests leave no violation', async () => {
  await api.get(
    `${getRecordsPath()}?limit=200&page=1&order=email&order_by=desc&display_names=true&columns=email,id`,
  );
  await api.post(getRecordsPath(), {
    filters: { condition: 'OR', items: [] },
    sort_by: [{ sort: 'email', by: 'asc' }],
  });
  await createWith({ 'X-Service-Table-Rules': '1', 'X-Service-Update-Equation': '1' }, 'proper@example.com');
  await api.post('/update-all-formula', {});
  expect(listViolations(service)).toEqual([]);
});

test('credentials that reach another origin are noted', async () => {
  await createClients(service, service.keys, { Authorization: 'Bearer x' }).api.get(
    `${service.secondOrigin.baseUrl}/export.csv`,
  );
  expect(listViolations(service)).toHaveLength(4);
  expect(service.secondOrigin.requests).toHaveLength(1);
});

test('a request is recorded as it came', async () => {
  await api.get(
    `${getRecordsPath()}?filters[items][0][field_id]=email&filters[items][0][operator]=is%20blank`,
  );
  expect(service.requests.at(-1)).toMatchObject({
    method: 'GET',
    pattern: 'GET /api/v1/data-tables/{dataTableId}/records',
    path: `/api/v1${getRecordsPath()}`,
    query: { filters: { items: [{ field_id: 'email', operator: 'is blank' }] } },
    headers: { 'x-service-app-id': service.keys.appId },
    body: undefined,
    status: 200,
  });
});

const postBrokenJson = () =>
  api.post(getRecordsPath(), '{"a"', {
    headers: { 'content-type': 'application/json' },
    transformRequest: (text: string) => text,
  });

function createForm(values: Record<string, string>): FormData {
  const data = new FormData();
  for (const [key, value] of Object.entries(values)) data.append(key, value);
  return data;
}

const createWith = (headers: Record<string, string>, email = 'bad') =>
  api.post(getRecordsPath(), { email }, { headers });
