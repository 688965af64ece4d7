import './environment';
import type {
  ICredentialDataDecryptedObject,
  IDataObject,
  INodeCredentialTestResult,
  INodeExecutionData,
} from 'n8n-workflow';
import { testCredential } from './credentials/testCredential';
import type { EditorOptions, ListSearchOptions } from './editor';
import { Editor } from './editor';
import { execute, resume } from './execution/execute';
import { planManualRun } from './execution/planManualRun';
import type { Run } from './execution/run';
import { closePlatform, log } from './platform';
import type { Runtime } from './runtime';
import { withSlash } from './runtime';
import type { ActivateOptions } from './webhooks/activeTrigger';
import { ActiveTrigger } from './webhooks/activeTrigger';
import type { WebhookListener } from './webhooks/listener';
import { TestListener } from './webhooks/testListener';
import type { NodeJson, StoredWorkflow, WorkflowJson } from './workflows';
import { normaliseWorkflow } from './workflows';

export interface RunOptions {
  /** Items the start node emits (a trigger) or receives (any other node). */
  input?: INodeExecutionData[];
  startNode?: string;
  /** `manual`: the editor's "Execute workflow", with pinned data. `trigger`: as in production. `retry`: a failed execution again. */
  mode?: 'manual' | 'trigger' | 'retry';
  abortSignal?: AbortSignal;
}

/** One package with its credentials, on n8n's engine. */
export class Engine {
  private readonly logStart = log.count;

  constructor(
    private readonly runtime: Runtime,
    private readonly listener: WebhookListener,
  ) {}

  get nodeTypes() {
    return this.runtime.nodeTypes;
  }

  /** Lines that n8n and the nodes logged since this engine started; at most the last 5,000. */
  get logs() {
    return log.readSince(this.logStart);
  }

  /** Stores a credential; nodes without a (known) credential of this type use the first one. */
  async setCredential(
    type: string,
    data: ICredentialDataDecryptedObject,
    details?: { id?: string; name?: string },
  ) {
    return this.runtime.credentials.set(type, data, details);
  }

  /** The stored data; after a login it holds the saved token. */
  async getStoredCredential(type: string, id?: string) {
    const reference = this.runtime.credentials.resolve(type, { id: id ?? null, name: '' });
    if (!reference) throw new Error(`No credential of type "${type}" was set`);
    return this.runtime.credentials.read(reference, type);
  }

  async run(json: WorkflowJson, options: RunOptions = {}): Promise<Run> {
    return await execute(this.runtime, planManualRun(this.runtime, this.storeWorkflow(json), options));
  }

  /** Continues an execution that waits. It does not check the time. */
  async resume(run: Run): Promise<Run> {
    return await resume(this.runtime, run);
  }

  /** Publishes a workflow: its trigger nodes subscribe, deliveries run it. */
  async activate(json: WorkflowJson, options?: ActivateOptions): Promise<ActiveTrigger> {
    const staticData = (json.staticData ?? {}) as IDataObject;
    return await new ActiveTrigger(
      this.runtime,
      this.listener,
      this.storeWorkflow(json),
      staticData,
    ).activate(options);
  }

  /** Publishes a changed version of a published workflow. */
  async republish(trigger: ActiveTrigger, json: WorkflowJson, options?: ActivateOptions) {
    return await trigger.republish(this.storeWorkflow(json), options);
  }

  /** The editor's "Listen for test event". */
  async listenForTest(json: WorkflowJson): Promise<TestListener> {
    return await new TestListener(this.runtime, this.listener, this.storeWorkflow(json)).start();
  }

  /** A list for a resource locator. `json.parameters` is what the user has set so far. */
  async listSearch(json: NodeJson, method: string, options?: ListSearchOptions) {
    return await this.createEditor(json).listSearch(method, options);
  }

  /** The options of a dropdown. */
  async loadOptions(json: NodeJson, method: string, options?: EditorOptions) {
    return await this.createEditor(json).loadOptions(method, options);
  }

  /** The columns of a resource mapper. */
  async getResourceMapperFields(json: NodeJson, method: string, options?: EditorOptions) {
    return await this.createEditor(json).getResourceMapperFields(method, options);
  }

  /** Tests a stored credential, or other data for it that is not stored yet. */
  async testCredential(
    type: string,
    data?: ICredentialDataDecryptedObject,
  ): Promise<INodeCredentialTestResult> {
    const { id, name } =
      this.runtime.credentials.resolve(type) ?? (await this.setCredential(type, data ?? {}));
    const credential = { id: id ?? '', name, type, data: data ?? (await this.getStoredCredential(type)) };
    return await testCredential(this.runtime, type, credential);
  }

  /** Public URL of the instance, with which n8n builds webhook addresses. */
  get instanceUrl() {
    return this.runtime.instanceUrl;
  }

  set instanceUrl(url: string) {
    this.runtime.instanceUrl = withSlash(url);
  }

  /** Milliseconds that a poll may take. The harness does not end it; the node must. */
  set pollBudgetMs(ms: number) {
    this.runtime.pollBudgetMs = ms;
  }

  /** Stops the engine; published workflows stay subscribed, as when n8n stops. */
  async stop() {
    await this.listener.close();
    closePlatform();
  }

  private createEditor(json: NodeJson): Editor {
    const [node] = this.storeWorkflow({ nodes: [json] }).nodes;
    return new Editor(this.runtime, node!);
  }

  private storeWorkflow(json: WorkflowJson): StoredWorkflow {
    const { nodeTypes, timezone, createWorkflowId } = this.runtime;
    const stored = normaliseWorkflow(json, nodeTypes, { id: createWorkflowId(), timezone });
    for (const node of stored.nodes) this.assignCredentials(node);
    return stored;
  }

  private assignCredentials(node: StoredWorkflow['nodes'][number]) {
    const { description } = this.runtime.nodeTypes.getByNameAndVersion(node.type, node.typeVersion);
    for (const { name } of description.credentials ?? []) {
      const reference = this.runtime.credentials.resolve(name, node.credentials?.[name]);
      if (reference) node.credentials = { ...node.credentials, [name]: reference };
    }
  }
}
