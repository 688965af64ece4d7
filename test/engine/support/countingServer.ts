/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not shipped: runs on Node */
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

const servers: Server[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

/** Starts a server that counts its requests. It is closed after the test. */
export async function startCountingServer(
  handle: RequestListener,
): Promise<{ port: number; count: () => number }> {
  let count = 0;
  const server = createServer((request, response) => {
    count++;
    handle(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
  servers.push(server);
  return { port: (server.address() as AddressInfo).port, count: () => count };
}
