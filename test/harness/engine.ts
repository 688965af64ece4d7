import './environment';
import type { ICredentialDataDecryptedObject, INodeExecutionData } from 'n8n-workflow';
import { resolve } from 'node:path';
import { HarnessCredentialsHelper } from './credentialsHelper';
import { CredentialStore } from './credentialStore';
import { execute } from './execution';
import { HarnessNodeTypes, loadPackage } from './nodeTypes';
import type { BinaryDataMode } from './platform';
import { closePlatform, log, openPlatform } from './platform';
import type { Run } from './run';
import type { Runtime } from './runtime';
import { planManualRun } from './startNode';
import type { StoredWorkflow, WorkflowJson } from './workflows';
import { normaliseWorkflow } from './workflows';

export interface EngineOptions {
  /** Folder of a built package with its `package.json`. Default: this repository. */
  packageDir?: string;
  /** Time zone of the instance. Default: n8n's own default, so that a wrong assumption of UTC shows. */
  timezone?: string;
  binaryDataMode?: BinaryDataMode;
}

export interface RunOptions {
  /** Items the start node emits (a trigger) or receives (any other node). */
  input?: INodeExecutionData[];
  startNode?: string;
  /** `manual`: the editor's "Execute workflow", with pinned data. `trigger`: as in production. */
  mode?: 'manual' | 'trigger';
  abortAfterMs?: number;
  abortSignal?: AbortSignal;
}

const REPOSITORY = resolve(__dirname, '../..');

export async function startEngine(options: EngineOptions = {}): Promise<Engine> {
  await openPlatform(options.binaryDataMode ?? 'filesystem');
  const nodeTypes = new HarnessNodeTypes(await loadPackage(options.packageDir ?? REPOSITORY));
  const credentials = new CredentialStore();
  let executions = 0;
  let workflows = 0;
  return new Engine({
    nodeTypes,
    credentials,
    credentialsHelper: new HarnessCredentialsHelper(nodeTypes, credentials),
    timezone: options.timezone ?? 'America/New_York',
    instanceUrl: 'http://127.0.0.1/',
    nextExecutionId: () => String(++executions),
    nextWorkflowId: () => `workflow-${++workflows}`,
  });
}

/** n8n in a nutshell: one package, its credentials, and n8n's engine to run workflows on. */
export class Engine {
  constructor(private readonly runtime: Runtime) {}

  get nodeTypes() {
    return this.runtime.nodeTypes;
  }

  /** What n8n and the nodes logged in this process so far. */
  get logs() {
    return log.lines;
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

  async stop() {
    closePlatform();
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
