/* eslint-disable @n8n/community-nodes/require-node-api-error, @n8n/community-nodes/no-restricted-imports -- not shipped: runs on Node */
import '../environment';
import { setMaxListeners } from 'node:events';
import type { ExecutionError, IDataObject, IWebhookData, Workflow, WorkflowActivateMode } from 'n8n-workflow';
import { deepCopy } from 'n8n-workflow';
import { execute, type ExecutionPlan } from '../execution/execute';
import { type Cursors, listPollNodes, Poller } from '../polling/poller';
import type { Runtime } from '../runtime';
import type { StoredWorkflow } from '../workflows';
import { toWorkflow } from '../workflows';
import { attempt } from './attempt';
import { handleWebhookRequest } from './handleWebhookRequest';
import type { WebhookHandler, WebhookListener } from './listener';
import { callWebhookMethod, createIfMissing } from './nodeWebhooks';
import { TriggerBase } from './triggerBase';

/** Attempts of n8n 2.40, which waits 1 s, 2 s, … between them; the harness does not wait. */
const ACTIVATION_ATTEMPTS = 5;
const TEARDOWN_ATTEMPTS = 3;

export interface ActivateOptions {
  attempts?: number;
}

/** Ends the executions of a process. Each of them listens, and they may run at the same time. */
function createProcess(): AbortController {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  return controller;
}

/** A published workflow. Its static data lives in a "database": each request reads and saves a copy. */
export class ActiveTrigger extends TriggerBase {
  private saved: IDataObject;
  private readonly cursors: Cursors = new Map();
  private pollers: Poller[] = [];
  private process = createProcess();

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

  /** A copy of the static data that n8n's database holds for a node. */
  getStaticData(nodeName: string): IDataObject {
    return deepCopy((this.saved[`node:${nodeName}`] ?? {}) as IDataObject);
  }

  /** Replaces the static data in the database; without `data` it is lost, as after a crash. */
  replaceStaticData(nodeName: string, data?: IDataObject) {
    if (data) this.saved[`node:${nodeName}`] = deepCopy(data);
    else delete this.saved[`node:${nodeName}`];
  }

  /** Publishes: registers each webhook, then lets its node subscribe. */
  async activate(
    { attempts = ACTIVATION_ATTEMPTS }: ActivateOptions = {},
    activation: 'activate' | 'update' = 'activate',
  ) {
    const workflow = this.loadWorkflow();
    const webhooks = this.listWebhooks(workflow);
    const register = async (webhook: IWebhookData) => {
      try {
        this.listener.register('webhook', webhook, this.createHandler(webhook));
      } catch (error) {
        // The path is that of another workflow. n8n 1 calls `delete` then; n8n 2.41 calls nothing.
        await this.clearWebhooks();
        throw error;
      }
      try {
        await createIfMissing(workflow, webhook, 'trigger', activation);
      } catch (error) {
        // After a failed `create`, n8n calls `delete` with the same static data.
        await callWebhookMethod('delete', workflow, webhook, 'internal', 'update').catch(() => {});
        this.saveStaticData(workflow);
        this.listener.unregister('webhook', workflow.id, webhook.node);
        throw error;
      }
    };
    await Promise.all(
      webhooks.map(async (webhook) => await attempt(attempts, async () => await register(webhook))),
    );
    this.saveStaticData(workflow);
    this.setPaths(webhooks);
    await this.startPollers(activation);
    return this;
  }

  /** Polls each polling node once, as at one of its poll times. Returns when the polls have ended. */
  async poll() {
    for (const poller of this.pollers) await poller.poll();
  }

  /** Starts an execution at a node that does not poll, as n8n's schedule does. Returns when it has ended. */
  async runFrom(startNode: string) {
    return await this.startExecution(
      { startNode, startData: [[{ json: {} }]], mode: 'trigger' },
      this.process.signal,
    );
  }

  /** Unpublishes; deliveries then answer 404. @throws when a node could not unsubscribe */
  async deactivate({ attempts = TEARDOWN_ATTEMPTS }: ActivateOptions = {}) {
    this.stopPollers();
    this.listener.unregister('webhook', this.workflowId);
    const workflow = this.loadWorkflow();
    const outcomes = await Promise.allSettled(
      this.listWebhooks(workflow).map(
        async (webhook) =>
          await attempt(attempts, async () => {
            await callWebhookMethod('delete', workflow, webhook, 'internal', 'update');
          }),
      ),
    );
    this.saveStaticData(workflow);
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
   * Restarts the process: only saved data survives. n8n 2.40 then trusts its own list of webhooks. n8n 1, and 2 with
   * `N8N_USE_WORKFLOW_PUBLICATION_SERVICE=false`, call `checkExists`, and `create` where it returns false. After an error
   * they call `delete` with the static data of the database, and start the workflow again later.
   */
  async restart({ callCheckExists }: { callCheckExists: boolean }) {
    this.stopPollers();
    this.process = createProcess();
    this.listener.unregister('webhook', this.workflowId);
    const workflow = this.loadWorkflow();
    for (const webhook of this.listWebhooks(workflow)) {
      this.listener.register('webhook', webhook, this.createHandler(webhook));
      if (!callCheckExists) continue;
      await createIfMissing(workflow, webhook, 'trigger', 'init').catch(async (error: unknown) => {
        await this.clearWebhooks();
        throw error;
      });
    }
    this.saveStaticData(workflow);
    await this.startPollers('init');
  }

  private async clearWebhooks() {
    const workflow = this.loadWorkflow();
    for (const webhook of this.listWebhooks(workflow)) {
      const isDeleted = await callWebhookMethod('delete', workflow, webhook, 'internal', 'update').then(
        () => true,
        () => false,
      );
      if (!isDeleted) return;
    }
    this.saveStaticData(workflow);
    this.listener.unregister('webhook', this.workflowId);
  }

  /**
   * Ends the process without a warning: running executions stop, deliveries get no answer from the node, and only
   * saved data survives. Call `restart` to start it again.
   */
  async kill() {
    this.stopPollers();
    this.listener.unregister('webhook', this.workflowId);
    this.process.abort();
    await this.waitUntilIdle();
  }

  private stopPollers() {
    for (const poller of this.pollers) poller.stop();
    this.pollers = [];
  }

  /**
   * Each polling node polls once at activation, and an error prevents the activation. If the polls are stored jobs, a start of
   * the process polls nothing, and each later poll loads the workflow. What a job without durable cursors leaves in the
   * static data is saved only if it returns items.
   */
  private async startPollers(activation: WorkflowActivateMode) {
    const workflow = this.loadWorkflow();
    const { signal } = this.process;
    const { durableCursors, pollJobs } = this.runtime;
    let isFirst = true;
    const load = () => (pollJobs && !isFirst ? this.loadWorkflow() : workflow);
    const sink: ConstructorParameters<typeof Poller>[4] = {
      emit: (polled, { name }, startData) => {
        this.saveStaticData(polled, signal);
        void this.startExecution({ startNode: name, startData, mode: 'trigger' }, signal);
      },
      emitError: ({ name }, error) => {
        const resultData = { runData: {}, lastNodeExecuted: name, error: error as ExecutionError };
        const startData = [[{ json: {} }]];
        void this.startExecution({ startNode: name, startData, mode: 'trigger', resultData }, signal);
      },
    };
    const cursors = durableCursors ? this.cursors : undefined;
    this.pollers = listPollNodes(workflow).map(
      (node) => new Poller(this.runtime, node, load, activation, sink, cursors),
    );
    if (!pollJobs || activation !== 'init') for (const poller of this.pollers) await poller.start();
    this.saveStaticData(workflow);
    isFirst = false;
  }

  /** @param signal aborts when the process ends that starts the execution */
  private async startExecution(
    plan: Pick<ExecutionPlan, 'startNode' | 'startData' | 'resultData' | 'mode'>,
    signal: AbortSignal,
  ) {
    return await this.log.add(
      execute(this.runtime, {
        ...plan,
        workflow: this.stored,
        abortSignal: signal,
        staticData: deepCopy(this.saved),
        onStaticData: (staticData) => this.save(staticData, signal),
      }),
    );
  }

  private loadWorkflow(): Workflow {
    return toWorkflow(this.stored, this.runtime.nodeTypes, {
      active: true,
      staticData: deepCopy(this.saved),
    });
  }

  private saveStaticData({ staticData }: Workflow, signal = this.process.signal) {
    if (staticData.__dataChanged) this.save(staticData, signal);
  }

  /** A process that has ended saves nothing, although a delivery that it received is still handled here. */
  private save(staticData: IDataObject, signal: AbortSignal) {
    if (!signal.aborted) this.saved = deepCopy(staticData);
  }

  private createHandler({ node, path, httpMethod }: IWebhookData): WebhookHandler {
    const { signal } = this.process;
    return async (request, response) => {
      const workflow = this.loadWorkflow();
      const webhook = this.listWebhooks(workflow).find(
        (candidate) =>
          candidate.node === node && candidate.path === path && candidate.httpMethod === httpMethod,
      );
      if (!webhook) throw new Error('Could not find node to process webhook.');
      await handleWebhookRequest(
        {
          runtime: this.runtime,
          workflow,
          webhook,
          mode: 'webhook',
          onAnswer: () => this.saveStaticData(workflow, signal),
          startExecution: async (plan) => await this.startExecution({ ...plan, mode: 'webhook' }, signal),
        },
        request,
        response,
      );
    };
  }
}
