/* eslint-disable @n8n/community-nodes/require-node-api-error -- not shipped: runs on Node */
import '../environment';
import type { IDataObject, IWebhookData, Workflow } from 'n8n-workflow';
import { deepCopy } from 'n8n-workflow';
import { execute } from '../execution/execute';
import type { Runtime } from '../runtime';
import type { StoredWorkflow } from '../workflows';
import { toWorkflow } from '../workflows';
import { handleWebhookRequest } from './handleWebhookRequest';
import type { WebhookHandler, WebhookListener } from './listener';
import { callWebhookMethod, createIfMissing } from './nodeWebhooks';
import { TriggerBase } from './triggerBase';

/**
 * "Listen for test event" of the editor: a subscription beside the production one, with temporary static
 * data. It ends with the first delivery that starts an execution, or by `stop()` (n8n: after two minutes).
 */
export class TestListener extends TriggerBase {
  private staticData: IDataObject = {};
  private webhooks: IWebhookData[] = [];
  private listening = false;
  private end = () => {};

  /** Resolves when the node has unsubscribed. */
  readonly stopped = new Promise<void>((resolve) => (this.end = resolve));

  constructor(
    runtime: Runtime,
    listener: WebhookListener,
    private readonly stored: StoredWorkflow,
  ) {
    super(runtime, listener, 'webhook-test');
  }

  get isListening() {
    return this.listening;
  }

  async start() {
    const workflow = this.loadWorkflow();
    this.webhooks = this.listWebhooks(workflow).map((webhook) => ({ ...webhook, isTest: true }));
    this.setPaths(this.webhooks);
    this.listening = true;
    try {
      for (const webhook of this.webhooks) {
        this.listener.register(this.endpoint, webhook, this.createHandler(webhook));
        await createIfMissing(workflow, webhook, 'manual', 'manual');
        this.staticData = deepCopy(workflow.staticData);
      }
    } catch (error) {
      await this.unsubscribe(workflow);
      throw error;
    }
    return this;
  }

  async stop() {
    if (this.listening) await this.unsubscribe(this.loadWorkflow());
  }

  private async unsubscribe(workflow: Workflow) {
    this.listening = false;
    this.listener.unregister(this.endpoint, workflow.id);
    try {
      for (const webhook of this.webhooks) {
        workflow.overrideStaticData(deepCopy(this.staticData));
        await callWebhookMethod('delete', workflow, webhook, 'internal', 'update');
      }
    } finally {
      this.end();
    }
  }

  private loadWorkflow() {
    return toWorkflow(this.stored, this.runtime.nodeTypes);
  }

  private createHandler(webhook: IWebhookData): WebhookHandler {
    return async (request, response) => {
      const workflow = this.loadWorkflow();
      workflow.setTestStaticData(deepCopy(this.staticData));
      const { stored, runtime } = this;
      const started = await handleWebhookRequest(
        {
          runtime,
          workflow,
          webhook,
          mode: 'manual',
          onAnswer: () => {},
          startExecution: async (plan) =>
            await this.log.add(
              execute(runtime, { ...plan, workflow: stored, mode: 'manual', pinData: stored.pinData }),
            ),
        },
        request,
        response,
      );
      if (started) await this.stop();
    };
  }
}
