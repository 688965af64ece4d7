import { log } from '../platform';
import type { IWebhookData } from 'n8n-workflow';
import { WebhookPathTakenError } from 'n8n-workflow';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { WebhookRequest, WebhookResponse } from './http';
import { asExpressRequest, asExpressResponse, HttpError } from './http';

export type Endpoint = 'webhook' | 'webhook-test';
export type Handler = (request: WebhookRequest, response: WebhookResponse) => Promise<void>;

interface Route {
  workflowId: string;
  node: string;
  handle: Handler;
}

/** The public side of n8n: a loopback server that knows which webhooks are registered. */
export class WebhookListener {
  private readonly routes = new Map<string, Route>();
  private readonly server = createServer((request, response) => void this.answer(request, response));

  async open(port = 0) {
    await new Promise<void>((ready) => this.server.listen(port, '127.0.0.1', ready));
    // A test that forgets to stop its engine must not hang.
    this.server.unref();
    return this;
  }

  get url() {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/`;
  }

  register(endpoint: Endpoint, { httpMethod, path, workflowId, node }: IWebhookData, handle: Handler) {
    const key = `${httpMethod} /${endpoint}/${path}`;
    const known = this.routes.get(key);
    if (known && known.workflowId !== workflowId) throw new WebhookPathTakenError(node);
    this.routes.set(key, { workflowId, node, handle });
  }

  unregister(endpoint: Endpoint, workflowId: string, nodeName?: string) {
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

  private async answer(incoming: IncomingMessage, outgoing: ServerResponse) {
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
      // What is left of an oversized body is not read: the connection cannot be used again.
      else response.status(status).set('connection', 'close').json({ code, message });
    }
  }
}
