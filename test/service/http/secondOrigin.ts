/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not shipped: runs on Node */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Application } from '../state/application';
import { getKeyHeaderNames } from './authorize';
import { parseQuery } from './brackets';
import type { RecordedRequest, Recorder } from './recorder';

/**
 * The host of every `download_url` and a target of redirects. It needs no credentials: any that arrive
 * are noted as a leak.
 */
export class SecondOrigin {
  readonly requests: RecordedRequest[] = [];
  baseUrl = '';
  private readonly server: Server;

  constructor(
    private readonly app: Application,
    private readonly recorder: Recorder,
  ) {
    this.server = createServer((request, response) => this.handleRequest(request, response));
  }

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    this.baseUrl = `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
    this.app.files.baseUrl = this.baseUrl;
  }

  async stop(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    this.server.closeAllConnections();
    await closed;
  }

  private handleRequest(request: IncomingMessage, response: ServerResponse): void {
    const url = request.url ?? '/';
    const [path = '/', query = ''] = url.split('?');
    const file = this.app.files.find(path);
    const entry: RecordedRequest = {
      method: request.method ?? '',
      url,
      path,
      pattern: '',
      query: parseQuery(query),
      headers: request.headers,
      body: undefined,
      status: file ? 200 : 404,
      at: this.app.options.clock.now(),
      inFlight: 0,
    };
    this.requests.push(entry);
    for (const name of [...getKeyHeaderNames(this.app.options.headerPrefix), 'authorization', 'cookie']) {
      if (name in request.headers) this.recorder.report(entry, `${name} sent to another origin`);
    }
    request.resume();
    response.writeHead(entry.status, {
      'content-type': file?.contentType ?? 'text/plain',
      ...(file && {
        'content-disposition': `attachment; filename="${encodeURIComponent(file.filename)}"`,
        'content-length': file.bytes.length,
      }),
    });
    response.end(file?.bytes ?? 'nothing here');
  }
}
