import dns from 'node:dns';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';

/**
 * A port of this machine where nothing listens, and where nothing can begin to as long as the test runs: it is
 * the client's end of a connection.
 */
export async function closedPort(): Promise<number> {
  const server = createServer((socket) => socket.unref())
    .listen(0, '127.0.0.1')
    .unref();
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1').unref();
  await once(client, 'connect');
  return client.localPort as number;
}

/** Hosts under `.invalid` are unknown at once. What a resolver says of them, and when, is the machine's affair. */
export function withoutInvalidHosts(): void {
  const { lookup } = dns;
  jest.spyOn(dns, 'lookup').mockImplementation(((host: string, ...rest: unknown[]) => {
    if (!host.endsWith('.invalid')) return (lookup as (...all: unknown[]) => void)(host, ...rest);
    const answer = rest.at(-1) as (error: Error) => void;
    setImmediate(answer, Object.assign(new Error(`getaddrinfo ENOTFOUND ${host}`), { code: 'ENOTFOUND' }));
  }) as typeof dns.lookup);
}
