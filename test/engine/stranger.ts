import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

const strangers: Server[] = [];
afterEach(async () => {
  for (const server of strangers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

/** A server that counts what reaches it; closed after the test. */
export async function stranger(handle: RequestListener): Promise<{ port: number; count: () => number }> {
  let count = 0;
  const server = createServer((request, response) => {
    count++;
    handle(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
  strangers.push(server);
  return { port: (server.address() as AddressInfo).port, count: () => count };
}
