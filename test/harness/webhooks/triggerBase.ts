import '../environment';
import type { IWebhookData, Workflow } from 'n8n-workflow';
import { makeAdditionalData } from '../additionalData';
import { ExecutionLog } from '../executionLog';
import type { Runtime } from '../runtime';
import type { Endpoint, WebhookListener } from './listener';
import { getWebhooks } from './nodeWebhooks';

export interface PostOptions {
  headers?: Record<string, string>;
  query?: Record<string, string>;
  method?: string;
}

/** What a published workflow and one listening for a test event have in common. */
export abstract class TriggerBase {
  protected readonly log = new ExecutionLog();
  private paths: string[] = [];

  constructor(
    protected readonly runtime: Runtime,
    protected readonly listener: WebhookListener,
    protected readonly endpoint: Endpoint,
  ) {}

  /** The addresses nodes were given: they start with the instance's public URL. */
  get urls(): string[] {
    return this.paths.map((path) => `${this.runtime.instanceUrl}${this.endpoint}/${path}`);
  }

  /** The same on loopback, where the harness listens. */
  get localUrls(): string[] {
    return this.paths.map((path) => `${this.listener.url}${this.endpoint}/${path}`);
  }

  /** Executions that have ended, in order of arrival. */
  get executions() {
    return this.log.finished;
  }

  async waitForExecutions(count: number, timeoutMs?: number) {
    return await this.log.waitFor(count, timeoutMs);
  }

  /** Waits for whatever was started, to show afterwards that nothing more was. */
  async idle() {
    return await this.log.idle();
  }

  /** Sends a request to the first webhook, as the service would; objects go out as JSON. */
  async post(body: unknown, { headers, query, method = 'POST' }: PostOptions = {}): Promise<Response> {
    const [localUrl] = this.localUrls;
    if (localUrl === undefined) throw new Error('The workflow has no webhook');
    const isText = typeof body === 'string';
    return await fetch(`${localUrl}?${new URLSearchParams(query).toString()}`, {
      method,
      headers: { 'content-type': isText ? 'text/plain' : 'application/json', ...headers },
      body: isText ? body : JSON.stringify(body),
    });
  }

  protected webhooksOf(workflow: Workflow): IWebhookData[] {
    return getWebhooks(workflow, makeAdditionalData(this.runtime, { workflowId: workflow.id }));
  }

  protected setPaths(webhooks: IWebhookData[]) {
    this.paths = webhooks.map(({ path }) => path);
  }
}
