import './environment';
import { resolve } from 'node:path';
import { HarnessCredentialsHelper } from './credentialsHelper';
import { CredentialStore } from './credentialStore';
import { Engine } from './engine';
import { HarnessNodeTypes, loadPackage } from './nodeTypes';
import type { BinaryDataMode } from './platform';
import { openPlatform } from './platform';
import type { Runtime } from './runtime';
import { withSlash } from './runtime';
import { WebhookListener } from './webhooks/listener';

export interface EngineOptions {
  /** Folder of a built package with its `package.json`. Default: this repository. */
  packageDir?: string;
  /** Time zone of the instance. Default: n8n's own default, so that a wrong assumption of UTC shows. */
  timezone?: string;
  binaryDataMode?: BinaryDataMode;
  /** Public URL of the instance. Default: where the harness listens. */
  instanceUrl?: string;
  /** Port of the webhook listener on loopback. Default: any free one. */
  port?: number;
}

const REPOSITORY = resolve(__dirname, '../..');

export async function startEngine(options: EngineOptions = {}): Promise<Engine> {
  await openPlatform(options.binaryDataMode ?? 'filesystem');
  const nodeTypes = new HarnessNodeTypes(await loadPackage(options.packageDir ?? REPOSITORY));
  const credentials = new CredentialStore();
  const listener = await new WebhookListener().open(options.port);
  let executions = 0;
  let workflows = 0;
  const runtime: Runtime = {
    nodeTypes,
    credentials,
    credentialsHelper: new HarnessCredentialsHelper(nodeTypes, credentials),
    timezone: options.timezone ?? 'America/New_York',
    instanceUrl: withSlash(options.instanceUrl ?? listener.url),
    nextExecutionId: () => String(++executions),
    nextWorkflowId: () => `workflow-${++workflows}`,
  };
  return new Engine(runtime, listener);
}
