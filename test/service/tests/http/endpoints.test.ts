import { ENDPOINTS, type Service } from '../..';
import { createClients, openService } from '../client';

let service: Service;
beforeAll(async () => ({ service } = await openService({ sample: 'empty' })));
afterAll(() => service.stop());

test('each row of the spec is listed once', () => {
  expect(ENDPOINTS.filter((one, at) => ENDPOINTS.indexOf(one) !== at)).toEqual([]);
});

test.each(ENDPOINTS)('%s is known to the service', async (endpoint) => {
  const [method = '', address = ''] = endpoint.split(' ');
  const url = address.replace('{appId}', service.keys.appId).replace(/\{\w+\}/g, 'missing');
  const { status, data } = await createClients(service).api.request({ method, url: service.baseUrl + url });
  // The ids do not exist, so a route may answer 404 or 422; an unknown address answers "Not Found".
  expect(data.msg).not.toBe('Not Found');
  expect(status).toBeLessThan(500);
  expect(service.requests.at(-1)).toMatchObject({ pattern: endpoint, method, status });
});
