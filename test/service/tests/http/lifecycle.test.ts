/* eslint-disable @n8n/community-nodes/no-dangerous-functions, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not shipped: runs on Node */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { startService } from '../..';
import type { Table } from '../../data/table';
import { defaultOptions } from '../../options';
import { fillSample } from '../../sample';
import { Service } from '../../service';
import { Application } from '../../state/application';
import { systemClock } from '../../state/time';
import { http, openService } from '../client';

const ROOT = path.join(__dirname, '../../../..');

test('starts with the sample company', async () => {
  const service = await startService();
  expect(service.tables.map(({ name, records }) => [name, records.size])).toEqual([
    ['Users', 5],
    ['Customers', 300],
    ['Products', 40],
    ['Orders', 3000],
    ['Invoices', 2400],
    ['Print Jobs', 5],
    ['Showcase', 24],
    ['Customer Copies', 0],
    ['Rows to Correct', 0],
  ]);
  expect(service.baseUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  await service.stop();
});

test('equal seeds give equal data, different ones do not', async () => {
  const clock = { now: () => Date.UTC(2025, 0, 1) };
  const dump = async (seed: number) => {
    const service = await startService({ seed, clock });
    await service.stop();
    return JSON.stringify([service.keys, service.tables.map(({ records }) => [...records])]);
  };
  const [one, again, two] = [await dump(1), await dump(1), await dump(2)];
  expect(one === again).toBe(true);
  expect(one === two).toBe(false);
});

test('an application that used fewer IDs before does not lend its records to a service', async () => {
  const options = { seed: 77, clock: systemClock };
  // A service adds a key first, which has an ID and draws random numbers.
  const application = new Application({ ...defaultOptions, ...options });
  fillSample(application);
  const service = await startService(options);
  await service.stop();
  const getFirstId = (tables: readonly Table[]) =>
    [...tables.find(({ name }) => name === 'Customers')!.records.keys()][0];
  expect(getFirstId(service.tables)).not.toBe(getFirstId(application.tables));
});

test('stop closes sockets at once, ends stalls, and may be called twice', async () => {
  const { service, api } = await openService({ sample: 'empty' });
  service.faults.add({ fault: { type: 'stall', ms: 3_600_000 } });
  const hanging = api.get('/status').catch((error: Error & { code: string }) => error.code);
  while (service.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 2));
  await Promise.all([service.stop(), service.stop()]);
  await service.stop();
  expect(await hanging).toBe('ECONNRESET');
  await expect(http.get(service.baseUrl)).rejects.toThrow(/ECONNREFUSED/);
});

test('no address is used twice, although the system assigns the port of a stopped service again', async () => {
  const first = await startService({ sample: 'empty' });
  await first.stop();
  const start = jest.spyOn(Service.prototype, 'start');
  start.mockImplementationOnce(function (this: Service) {
    this.baseUrl = first.baseUrl;
    return Promise.resolve(this);
  });
  const second = await startService({ sample: 'empty' });
  start.mockRestore();
  expect(second.baseUrl).toMatch(/^http:\/\/127/);
  expect(second.baseUrl).not.toBe(first.baseUrl);
  await second.stop();

  const { port } = new URL(first.baseUrl);
  const third = await startService({ sample: 'empty', port: Number(port) });
  expect(third.baseUrl).toBe(first.baseUrl);
  await third.stop();
});

test('latency is added to every response', async () => {
  const { service, api } = await openService({ sample: 'empty', latencyMs: 60 });
  const started = Date.now();
  await api.get('/status');
  expect(Date.now() - started).toBeGreaterThanOrEqual(55);
  await service.stop();
});

test('a browser may ask first', async () => {
  const { service } = await openService({ sample: 'empty' });
  const { status, headers } = await http.options(`${service.baseUrl}/api/v1/status`);
  expect(status).toBe(204);
  expect(headers).toMatchObject({
    'access-control-allow-origin': '*',
    'access-control-allow-methods': 'POST, GET, OPTIONS, PUT, DELETE',
    'access-control-allow-headers': expect.stringContaining('X-Auth-Token'),
  });
  await service.stop();
});

test('the command line prints address and keys, and ends cleanly', async () => {
  // `--import tsx` instead of the tsx command, which runs a child process and may kill it on a signal.
  const command = ['--import', 'tsx', 'test/service/cli.ts', '--latency', '1'];
  const child = spawn(process.execPath, command, { cwd: ROOT });
  const exited = once(child, 'exit');
  let printed = '';
  for await (const chunk of child.stdout) {
    printed += String(chunk);
    if (printed.includes('Tables')) break;
  }
  const [address = ''] = /http:\/\/\S+/.exec(printed) ?? [];
  const readPrinted = (label: string) => new RegExp(`${label}\\s+(\\S+)`).exec(printed)?.[1];
  const { status } = await http.get(`${address}/api/v1/status`, {
    headers: {
      'X-Service-App-id': readPrinted('App ID'),
      'X-Service-App-Key': readPrinted('App Key'),
      'X-Service-App-Secret': readPrinted('App Secret'),
    },
  });
  expect(status).toBe(200);
  child.kill('SIGINT');
  const [code] = await exited;
  expect(code).toBe(0);
});
