/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not shipped: runs on Node */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Subject } from './checks';
import type { Values } from './contact';

/** Milliseconds between two looks, and how long a delivery is waited for. */
const LOOK_MS = 100;
const WAIT_MS = 30_000;

/** The values of a delivery: JSON, or a form (evidence of public clients). Undefined for anything else. */
function readBody(text: string, isForm: boolean): Values | undefined {
  if (isForm) return Object.fromEntries(new URLSearchParams(text));
  try {
    return JSON.parse(text) as Values;
  } catch {
    return undefined;
  }
}

/**
 * Listens for deliveries on a local port.
 * @param url under which the service reaches the port; without it, the port itself
 */
export async function listenForDeliveries(
  port: number,
  url?: string,
): Promise<{ hook: NonNullable<Subject['hook']>; close(): void }> {
  const bodies: Values[] = [];
  let isForm = false;
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk) => (text += String(chunk)));
    request.on('end', () => {
      isForm = request.headers['content-type']?.startsWith('application/x-www-form-urlencoded') ?? false;
      const body = readBody(text, isForm);
      if (body) bodies.push(body);
      response.end('ok');
    });
  });
  await new Promise<void>((resolve) => server.listen(port, resolve));
  const takeBodies = async () => {
    for (let waited = 0; waited < WAIT_MS && bodies.length === 0; waited += LOOK_MS)
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    return bodies.splice(0);
  };
  const own = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return { hook: { url: url ?? own, takeBodies, isForm: () => isForm }, close: () => server.close() };
}
