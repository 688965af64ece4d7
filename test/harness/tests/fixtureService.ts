/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not shipped: runs on Node */
import type { IncomingMessage } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface SeenCall {
  method: string;
  path: string;
  headers: IncomingMessage['headers'];
  body: string;
}

type Answer = { status?: number; body: unknown };

/** An HTTP server that records each call and returns the answer that the test set last. */
export async function startFixtureService(answer: (call: SeenCall) => Answer | Promise<Answer>) {
  const calls: SeenCall[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = '', url: path = '', headers } = request;
    const call = { method, path, headers, body: Buffer.concat(chunks).toString() };
    calls.push(call);
    const { status = 200, body } = await answer(call);
    const isText = typeof body === 'string';
    response.writeHead(status, { 'content-type': isText ? 'text/plain' : 'application/json' });
    response.end(isText ? body : JSON.stringify(body));
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  return {
    calls,
    paths: () => calls.map(({ method, path }) => `${method} ${path}`),
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}
