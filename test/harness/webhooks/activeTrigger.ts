import '../environment';
import type { IDataObject, IWebhookData, Workflow } from 'n8n-workflow';
import { deepCopy } from 'n8n-workflow';
import { execute } from '../execution';
import type { Runtime } from '../runtime';
import type { StoredWorkflow } from '../workflows';
import { toWorkflow } from '../workflows';
import { handleDelivery } from './delivery';
import type { Handler, WebhookListener } from './listener';
import { callWebhookMethod, createIfMissing } from './nodeWebhooks';
import { attempt } from './attempt';
import { TriggerBase } from './triggerBase';

/** How often n8n 2.40 tries; it waits 1 s, 2 s, … in between, the harness does not. */
const ACTIVATION_ATTEMPTS = 5;
const TEARDOWN_ATTEMPTS = 3;

export interface ActivateOptions {
  attempts?: number;
}

/** A published workflow. Its static data lives in a "database": each request reads and saves a copy. */
export class ActiveTrigger extends TriggerBase {
  private saved: IDataObject;

  constructor(
    runtime: Runtime,
    listener: WebhookListener,
    private stored: StoredWorkflow,
    staticData: IDataObject = {},
  ) {
    super(runtime, listener, 'webhook');
    this.saved = deepCopy(staticData);
  }

  get workflowId() {
    return this.stored.id;
  }

  /** What n8n's database holds for a node (a copy). */
  staticData(nodeName: string): IDataObject {
    return deepCopy((this.saved[`node:${nodeName}`] ?? {}) as IDataObject);
  }

  /** Writes to the database behind n8n's back; without `data` it is lost, as after a crash. */
  replaceStaticData(nodeName: string, data?: IDataObject) {
    if (data) this.saved[`node:${nodeName}`] = deepCopy(data);
    else delete this.saved[`node:${nodeName}`];
  }

  /** Publishes: registers each webhook, then lets its node subscribe. */
  async activate(
    { attempts = ACTIVATION_ATTEMPTS }: ActivateOptions = {},
    activation: 'activate' | 'update' = 'activate',
  ) {
    const workflow = this.load();
    const webhooks = this.webhooksOf(workflow);
    const register = async (webhook: IWebhookData) => {
      this.listener.register('webhook', webhook, this.handler(webhook));
      try {
        await createIfMissing(workflow, webhook, 'trigger', activation);
      } catch (error) {
        // A `create` that failed half way gets the chance to clean up, with the same static data.
        await callWebhookMethod('delete', workflow, webhook, 'internal', 'update').catch(() => {});
        this.save(workflow);
        this.listener.unregister('webhook', workflow.id, webhook.node);
        throw error;
      }
    };
    await Promise.all(
      webhooks.map(async (webhook) => await attempt(attempts, async () => await register(webhook))),
    );
    this.save(workflow);
    this.setPaths(webhooks);
    return this;
  }

  /** Unpublishes. From the first moment on deliveries get 404; throws if a node could not unsubscribe. */
  async deactivate({ attempts = TEARDOWN_ATTEMPTS }: ActivateOptions = {}) {
    this.listener.unregister('webhook', this.workflowId);
    const workflow = this.load();
    const outcomes = await Promise.allSettled(
      this.webhooksOf(workflow).map(
        async (webhook) =>
          await attempt(attempts, async () => {
            await callWebhookMethod('delete', workflow, webhook, 'internal', 'update');
          }),
      ),
    );
    this.save(workflow);
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failed) throw failed.reason;
  }

  /** Publishes a changed version: the old one unsubscribes first, then the new one subscribes. */
  async republish(stored: StoredWorkflow, options?: ActivateOptions) {
    await this.deactivate(options).catch(() => {});
    this.stored = { ...stored, id: this.workflowId };
    return await this.activate(options, 'update');
  }

  /**
   * The process stops and starts again: only what was saved survives. n8n 2.40 then trusts its own list
   * of webhooks; older versions ask `checkExists` and call `create` where that says no.
   */
  async restart({ callCheckExists }: { callCheckExists: boolean }) {
    this.listener.unregister('webhook', this.workflowId);
    const workflow = this.load();
    for (const webhook of this.webhooksOf(workflow)) {
      this.listener.register('webhook', webhook, this.handler(webhook));
      if (callCheckExists) await createIfMissing(workflow, webhook, 'trigger', 'init');
    }
    this.save(workflow);
  }

  private load(): Workflow {
    return toWorkflow(this.stored, this.runtime.nodeTypes, {
      active: true,
      staticData: deepCopy(this.saved),
    });
  }

  private save({ staticData }: Workflow) {
    if (staticData.__dataChanged) this.saved = deepCopy(staticData);
  }

  private handler({ node, path, httpMethod }: IWebhookData): Handler {
    return async (request, response) => {
      const workflow = this.load();
      const webhook = this.webhooksOf(workflow).find(
        (candidate) =>
          candidate.node === node && candidate.path === path && candidate.httpMethod === httpMethod,
      );
      if (!webhook) throw new Error('Could not find node to process webhook.');
      await handleDelivery(
        {
          runtime: this.runtime,
          workflow,
          webhook,
          mode: 'webhook',
          onAnswer: () => this.save(workflow),
          startExecution: async (plan) =>
            await this.log.add(
              execute(this.runtime, {
                ...plan,
                workflow: this.stored,
                mode: 'webhook',
                staticData: deepCopy(this.saved),
                onStaticData: (staticData) => (this.saved = deepCopy(staticData)),
              }),
            ),
        },
        request,
        response,
      );
    };
  }
}
