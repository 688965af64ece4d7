/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not shipped: runs on Node */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import axios, { type AxiosInstance } from 'axios';
import { type Keys, type Service, type ServiceOptions, startService } from '..';

/** A clock that moves only by `advance`. */
export class ManualClock {
  constructor(public time = Date.UTC(2025, 5, 15, 12, 0, 0)) {}

  now = () => this.time;

  advance(ms: number): void {
    this.time += ms;
  }
}

export const createKeyHeaders = ({ appId, appKey, appSecret }: Keys): Record<string, string> => ({
  'X-Service-App-id': appId,
  'X-Service-App-Key': appKey,
  'X-Service-App-Secret': appSecret,
});

/** Ignores the proxy variables of the environment. */
export const http = axios.create({ proxy: false });

/** v1.0 at `api`, v1.1 at `app`; statuses are never thrown and redirects never followed. */
export function createClients(
  service: Service,
  keys: Keys = service.keys,
  extra: Record<string, string> = {},
) {
  const createClient = (path: string): AxiosInstance =>
    http.create({
      baseURL: service.baseUrl + path,
      headers: { ...createKeyHeaders(keys), ...extra },
      validateStatus: () => true,
      maxRedirects: 0,
    });
  return { api: createClient('/api/v1'), app: createClient(`/api/v1.1/${keys.appId}`) };
}

/** A service with high request limits. */
export async function openService(options: Partial<ServiceOptions> = {}) {
  const service = await startService({ perMinute: 100_000, perDay: 100_000, ...options });
  return {
    service,
    ...createClients(service),
    at: (name: string) => `/data-tables/${service.getTable(name).id}`,
  };
}

export const listViolations = (service: Service): string[] =>
  service.violations.map(({ message }) => message);

/** A receiver of webhooks; `answer` returns the status for each delivery. The body of a form is its text. */
export async function startReceiver(answer: (body: never) => number = () => 200) {
  const bodies: Record<string, unknown>[] = [];
  const texts: string[] = [];
  const urls: string[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk) => (text += chunk));
    request.on('end', () => {
      texts.push(text);
      const isJson = request.headers['content-type'] === 'application/json';
      const body = (isJson ? JSON.parse(text) : Object.fromEntries(new URLSearchParams(text))) as never;
      bodies.push(body);
      urls.push(request.url ?? '');
      response.statusCode = answer(body);
      response.end();
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const close = async () => {
    server.closeAllConnections();
    await once(server.close(), 'close');
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    bodies,
    texts,
    urls,
    close,
  };
}
