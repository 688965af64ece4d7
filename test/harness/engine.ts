import './environment';
import type {
  ICredentialDataDecryptedObject,
  IDataObject,
  INodeCredentialTestResult,
  INodeExecutionData,
} from 'n8n-workflow';
import { testCredential } from './credentialTest';
import type { EditorOptions, ListSearchOptions } from './editor';
import { Editor } from './editor';
import { execute } from './execution';
import { closePlatform, log } from './platform';
import type { Run } from './run';
import type { Runtime } from './runtime';
import { withSlash } from './runtime';
import { planManualRun } from './startNode';
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
  /** `manual`: the editor's "Execute workflow", with pinned data. `trigger`: as in production. */
  mode?: 'manual' | 'trigger';
  abortSignal?: AbortSignal;
}

/** n8n in a nutshell: one package, its credentials, and n8n's engine to run workflows on. */
export class Engine {
  private readonly logStart = log.count;

  constructor(
    private readonly runtime: Runtime,
    private readonly listener: WebhookListener,
  ) {}

  get nodeTypes() {
    return this.runtime.nodeTypes;
  }

  /** What n8n and the nodes logged since this engine started (the last 5,000 lines). */
  get logs() {
    return log.since(this.logStart);
  }

  /** Stores a credential; nodes without a (known) credential of this type use the first one. */
  async setCredential(
    type: string,
    data: ICredentialDataDecryptedObject,
    details?: { id?: string; name?: string },
  ) {
    return await this.runtime.credentials.set(type, data, details);
  }

  /** The stored data, decrypted; after a login it holds the token n8n saved. */
  async storedCredential(type: string, id?: string) {
    const reference = this.runtime.credentials.resolve(type, { id: id ?? null, name: '' });
    if (!reference) throw new Error(`No credential of type "${type}" was set`);
    return await (await this.runtime.credentials.get(reference, type)).getData();
  }

  async run(json: WorkflowJson, options: RunOptions = {}): Promise<Run> {
    return await execute(this.runtime, planManualRun(this.runtime, this.store(json), options));
  }

  /** Publishes a workflow: its trigger nodes subscribe, deliveries run it. */
  async activate(json: WorkflowJson, options?: ActivateOptions): Promise<ActiveTrigger> {
    const staticData = (json.staticData ?? {}) as IDataObject;
    return await new ActiveTrigger(this.runtime, this.listener, this.store(json), staticData).activate(
      options,
    );
  }

  /** Publishes a changed version of a published workflow. */
  async republish(trigger: ActiveTrigger, json: WorkflowJson, options?: ActivateOptions) {
    return await trigger.republish(this.store(json), options);
  }

  /** The editor's "Listen for test event". */
  async listenForTest(json: WorkflowJson): Promise<TestListener> {
    return await new TestListener(this.runtime, this.listener, this.store(json)).start();
  }

  /** A list for a resource locator. `json.parameters` is what the user has set so far. */
  async listSearch(json: NodeJson, method: string, options?: ListSearchOptions) {
    return await this.editorOf(json).listSearch(method, options);
  }

  /** The options of a dropdown. */
  async loadOptions(json: NodeJson, method: string, options?: EditorOptions) {
    return await this.editorOf(json).loadOptions(method, options);
  }

  /** The columns of a resource mapper. */
  async resourceMapperFields(json: NodeJson, method: string, options?: EditorOptions) {
    return await this.editorOf(json).resourceMapperFields(method, options);
  }

  /** Tests a stored credential, or other data for it that is not stored yet. */
  async testCredential(
    type: string,
    data?: ICredentialDataDecryptedObject,
  ): Promise<INodeCredentialTestResult> {
    const { id, name } =
      this.runtime.credentials.resolve(type) ?? (await this.setCredential(type, data ?? {}));
    const credential = { id: id ?? '', name, type, data: data ?? (await this.storedCredential(type)) };
    return await testCredential(this.runtime, type, credential);
  }

  /** Where webhooks are reachable, as nodes see it; an administrator may change it between restarts. */
  get instanceUrl() {
    return this.runtime.instanceUrl;
  }

  set instanceUrl(url: string) {
    this.runtime.instanceUrl = withSlash(url);
  }

  /** Like stopping n8n: published workflows stay subscribed. */
  async stop() {
    await this.listener.close();
    closePlatform();
  }

  private editorOf(json: NodeJson): Editor {
    const [node] = this.store({ nodes: [json] }).nodes;
    return new Editor(this.runtime, node!);
  }

  private store(json: WorkflowJson): StoredWorkflow {
    const { nodeTypes, timezone, nextWorkflowId } = this.runtime;
    const stored = normaliseWorkflow(json, nodeTypes, { id: nextWorkflowId(), timezone });
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
