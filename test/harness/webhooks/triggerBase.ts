import '../environment';
import type { IWebhookData, Workflow } from 'n8n-workflow';
import { createAdditionalData } from '../additionalData';
import { ExecutionLog } from '../execution/executionLog';
import type { Runtime } from '../runtime';
import type { WebhookEndpoint, WebhookListener } from './listener';
import { getWebhooks } from './nodeWebhooks';

interface PostOptions {
  headers?: Record<string, string>;
  query?: Record<string, string>;
  method?: string;
}

/** Base of a published workflow and of one that listens for a test event. */
export abstract class TriggerBase {
  protected readonly log = new ExecutionLog();
  private paths: string[] = [];

  constructor(
    protected readonly runtime: Runtime,
    protected readonly listener: WebhookListener,
    protected readonly endpoint: WebhookEndpoint,
  ) {}

  /** The webhook addresses as nodes see them, with the instance's public URL. */
  get urls(): string[] {
    return this.paths.map((path) => `${this.runtime.instanceUrl}${this.endpoint}/${path}`);
  }

  /** The webhook addresses on loopback, where the harness listens. */
  get localUrls(): string[] {
    return this.paths.map((path) => `${this.listener.url}${this.endpoint}/${path}`);
  }

  /** Executions that have ended, in order of arrival. */
  get executions() {
    return this.log.finished;
  }

  /** Number of executions that have not ended. */
  get runningCount() {
    return this.log.runningCount;
  }

  async waitForExecutions(count: number, timeoutMs?: number) {
    return await this.log.waitFor(count, timeoutMs);
  }

  /** Waits until every started execution has ended; a test can then show that no other one started. */
  async waitUntilIdle() {
    return await this.log.waitUntilIdle();
  }

  /** Sends a request to the first webhook; objects are sent as JSON. */
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

  protected listWebhooks(workflow: Workflow): IWebhookData[] {
    return getWebhooks(workflow, createAdditionalData(this.runtime, { workflowId: workflow.id }));
  }

  protected setPaths(webhooks: IWebhookData[]) {
    this.paths = webhooks.map(({ path }) => path);
  }
}
