import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import axios, { type AxiosInstance } from 'axios';
import { startService, type Keys, type Service, type ServiceOptions } from '../../service';

/** A clock that stands still until it is told to move. */
export class ManualClock {
  constructor(public time = Date.UTC(2025, 5, 15, 12, 0, 0)) {}

  now = () => this.time;

  advance(ms: number): void {
    this.time += ms;
  }
}

export const keyHeaders = ({ appId, appKey, appSecret }: Keys): Record<string, string> => ({
  'X-Service-App-id': appId,
  'X-Service-App-Key': appKey,
  'X-Service-App-Secret': appSecret,
});

/** Straight to the service, whatever proxy the shell of the developer names. */
export const http = axios.create({ proxy: false });

/** v1.0 at `api`, v1.1 at `app`; statuses are never thrown and redirects never followed. */
export function clients(service: Service, keys: Keys = service.keys, extra: Record<string, string> = {}) {
  const make = (path: string): AxiosInstance =>
    http.create({
      baseURL: service.baseUrl + path,
      headers: { ...keyHeaders(keys), ...extra },
      validateStatus: () => true,
      maxRedirects: 0,
    });
  return { api: make('/api/v1'), app: make(`/api/v1.1/${keys.appId}`) };
}

/** A service with plenty of room in its limits, unless a test is about them. */
export async function open(options: Partial<ServiceOptions> = {}) {
  const service = await startService({ perMinute: 100_000, perDay: 100_000, ...options });
  return { service, ...clients(service), at: (name: string) => `/data-tables/${service.table(name).id}` };
}

export const messages = (service: Service): string[] => service.violations.map(({ message }) => message);

/** A receiver of webhooks; `answer` decides the status of each delivery. */
export async function receiver(answer: (body: never) => number = () => 200) {
  const bodies: Record<string, unknown>[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk) => (text += chunk));
    request.on('end', () => {
      const body = JSON.parse(text) as never;
      bodies.push(body);
      response.statusCode = answer(body);
      response.end();
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const close = async () => {
    server.closeAllConnections();
    await once(server.close(), 'close');
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, bodies, close };
}
