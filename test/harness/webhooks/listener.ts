/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not shipped: runs on Node */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { IWebhookData } from 'n8n-workflow';
import { WebhookPathTakenError } from 'n8n-workflow';
import { log } from '../platform';
import type { WebhookRequest, WebhookResponse } from './http';
import { asExpressRequest, asExpressResponse, HttpError } from './http';

export type WebhookEndpoint = 'webhook' | 'webhook-test';
export type WebhookHandler = (request: WebhookRequest, response: WebhookResponse) => Promise<void>;

interface WebhookRoute {
  workflowId: string;
  node: string;
  handle: WebhookHandler;
}

/** n8n's webhook server, on loopback. */
export class WebhookListener {
  private readonly routes = new Map<string, WebhookRoute>();
  private readonly server = createServer((request, response) => void this.handleRequest(request, response));

  async open() {
    // Milliseconds. With Node's 5 seconds, a busy machine closes an idle connection while the service sends on it.
    this.server.keepAliveTimeout = 600_000;
    await new Promise<void>((ready) => this.server.listen(0, '127.0.0.1', ready));
    // The process can end although a test did not stop its engine.
    this.server.unref();
    return this;
  }

  get url() {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/`;
  }

  register(
    endpoint: WebhookEndpoint,
    { httpMethod, path, workflowId, node }: IWebhookData,
    handle: WebhookHandler,
  ) {
    const key = `${httpMethod} /${endpoint}/${path}`;
    const known = this.routes.get(key);
    if (known && known.workflowId !== workflowId) throw new WebhookPathTakenError(node);
    this.routes.set(key, { workflowId, node, handle });
  }

  unregister(endpoint: WebhookEndpoint, workflowId: string, nodeName?: string) {
    for (const [key, route] of this.routes) {
      const isNode = nodeName === undefined || route.node === nodeName;
      if (route.workflowId === workflowId && isNode && key.includes(` /${endpoint}/`))
        this.routes.delete(key);
    }
  }

  async close() {
    this.server.closeAllConnections();
    await new Promise((closed) => this.server.close(closed));
  }

  private async handleRequest(incoming: IncomingMessage, outgoing: ServerResponse) {
    const request = asExpressRequest(incoming);
    const response = asExpressResponse(outgoing);
    try {
      const route = this.routes.get(`${request.method} ${request.path.replace(/\/$/, '')}`);
      if (!route) {
        const path = request.path.split('/').slice(2).join('/');
        throw new HttpError(404, `The requested webhook "${request.method} ${path}" is not registered.`);
      }
      await route.handle(request, response);
    } catch (error) {
      const { message } = error as Error;
      log.error(`Error in handling webhook request ${request.method} ${request.path}: ${message}`, { error });
      const { status, code } = error instanceof HttpError ? error : { status: 500, code: 0 };
      if (response.headersSent) response.end();
      // The rest of an oversized body is not read, so the connection cannot be used again.
      else response.status(status).set('connection', 'close').json({ code, message });
    }
  }
}
