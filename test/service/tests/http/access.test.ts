import type { Permission, Service } from '../..';
import { createClients, createKeyHeaders, http, listViolations, openService } from '../client';

let service: Service;
let api: Awaited<ReturnType<typeof openService>>['api'];
let at: (name: string) => string;
beforeAll(async () => ({ service, api, at } = await openService()));
afterAll(() => service.stop());
beforeEach(() => void (service.violations.length = 0));

const getStatus = (headers: Record<string, string>) =>
  http.get(`${service.baseUrl}/api/v1/status`, { headers, validateStatus: () => true });

describe('keys', () => {
  test('status of a good key', async () => {
    const { status, data } = await api.get('/status');
    expect(status).toBe(200);
    expect(data).toMatchObject({ type: 'success', current_code: 200, api_key: { status: 'Active' } });
    expect(Object.values(data.permissions)).toEqual(Array(11).fill(true));
    expect(listViolations(service)).toEqual([]);
  });

  test.each([
    ['X-Service-App-id', 'APP Not Found'],
    ['X-Service-App-Key', 'API Not Found'],
    ['X-Service-App-Secret', 'API Not Found'],
  ])('a wrong %s answers "%s"', async (name, msg) => {
    const { status, data } = await getStatus({ ...createKeyHeaders(service.keys), [name]: 'wrong' });
    expect({ status, data }).toEqual({ status: 401, data: { type: 'error', msg, status: 401 } });
  });

  test('missing headers are violations', async () => {
    expect((await getStatus({})).status).toBe(401);
    expect(listViolations(service)).toHaveLength(3);
  });

  test('a disabled key is refused everywhere, an inactive one reads its status', async () => {
    const disabled = createClients(service, service.addKey({ disabled: true })).api;
    const inactive = createClients(service, service.addKey({ status: 'Inactive' })).api;
    expect((await disabled.get('/status')).data.msg).toBe('API Disabled');
    expect((await inactive.get('/status')).data.api_key.status).toBe('Inactive');
    expect((await inactive.get('/data-tables')).data.msg).toBe('API Disabled');
  });

  test('the app id in a v1.1 path has to fit', async () => {
    const url = `${service.baseUrl}/api/v1.1/other/layouts`;
    expect((await api.get(url)).data.msg).toBe('APP Not Found');
  });

  test('the word in the header names is an option', async () => {
    const other = await openService({ sample: 'empty', headerPrefix: 'Acme' });
    const { appId, appKey, appSecret } = other.service.keys;
    const headers = { 'X-Acme-App-id': appId, 'X-Acme-App-Key': appKey, 'X-Acme-App-Secret': appSecret };
    const { status } = await http.get(`${other.service.baseUrl}/api/v1/status`, { headers });
    expect(status).toBe(200);
    await other.service.stop();
  });
});

describe('permissions', () => {
  const getTaskPath = () => `/tasks/run/${service.tasks[0]?.id}`;
  test.each<[Permission, string, () => string]>([
    ['allow_get', 'get', () => `${at('Products')}/records`],
    ['allow_get', 'get', () => `${at('Products')}/records/batch-update-check`],
    ['allow_edit', 'post', () => `${at('Products')}/records`],
    ['allow_edit', 'post', () => `${at('Products')}/records/batch-update`],
    ['allow_delete', 'delete', () => `${at('Products')}/records/x`],
    ['allow_task', 'post', getTaskPath],
    ['allow_log', 'get', () => '/logs/logins'],
    ['allow_api_access', 'get', () => '/logs/logins'],
    ['allow_page', 'get', () => `../v1.1/${service.keys.appId}/pages`],
    ['allow_import', 'post', () => `../v1.1/${service.keys.appId}/imports/x/trigger`],
    ['allow_export', 'post', () => `../v1.1/${service.keys.appId}/exports/templates/x/trigger`],
  ])('without %s: 403 on %s', async (permission, method, path) => {
    const url = new URL(path().replace(/^\//, ''), `${service.baseUrl}/api/v1/`).href;
    const without = createClients(service, service.addKey({ permissions: { [permission]: false } })).api;
    expect((await without.request({ method, url })).data).toEqual({
      type: 'error',
      msg: 'Permission Denied',
      status: 403,
    });
    expect((await api.request({ method, url })).status).not.toBe(403);
  });

  test('plain POST needs allow_get to list and allow_edit to create', async () => {
    const url = `${at('Products')}/records`;
    const reader = createClients(service, service.addKey({ permissions: { allow_edit: false } })).api;
    const writer = createClients(service, service.addKey({ permissions: { allow_get: false } })).api;
    expect((await reader.post(url, { page: 1 })).status).toBe(200);
    expect((await reader.post(url, { name: 'New' })).status).toBe(403);
    expect((await writer.post(url, { page: 1 })).status).toBe(403);
    expect((await writer.post(url, { name: 'New' })).status).toBe(200);
  });
});

test('a feature outside the plan answers 412', async () => {
  const locked = await openService({ sample: 'empty', lockedFeatures: ['exports', 'logs'] });
  for (const url of [`../v1.1/${locked.service.keys.appId}/exports/queues`, 'logs/emails']) {
    const { status, data } = await locked.api.get(new URL(url, `${locked.service.baseUrl}/api/v1/`).href);
    expect([status, data.msg]).toEqual([412, 'Feature not available in your plan']);
  }
  expect((await locked.api.get('/tasks')).status).toBe(200);
  await locked.service.stop();
});
