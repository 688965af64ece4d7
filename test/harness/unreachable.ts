/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not shipped: runs on Node */
import dns from 'node:dns';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';

/**
 * A port of this machine where nothing listens. It is the client's end of a connection, so no other
 * process can take it while the test runs.
 */
export async function reserveClosedPort(): Promise<number> {
  const server = createServer((socket) => socket.unref())
    .listen(0, '127.0.0.1')
    .unref();
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1').unref();
  await once(client, 'connect');
  return client.localPort as number;
}

/** Answers ENOTFOUND for hosts under `.invalid`, since the answer of a resolver depends on the machine. */
export function mockInvalidHosts(): void {
  const { lookup } = dns;
  jest.spyOn(dns, 'lookup').mockImplementation(((host: string, ...rest: unknown[]) => {
    if (!host.endsWith('.invalid')) return (lookup as (...all: unknown[]) => void)(host, ...rest);
    const answer = rest.at(-1) as (error: Error) => void;
    setImmediate(answer, Object.assign(new Error(`getaddrinfo ENOTFOUND ${host}`), { code: 'ENOTFOUND' }));
  }) as typeof dns.lookup);
}
