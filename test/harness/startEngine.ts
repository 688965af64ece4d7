/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not shipped: runs on Node */
import './environment';
import { resolve } from 'node:path';
import { HarnessCredentialsHelper } from './credentials/credentialsHelper';
import { CredentialStore } from './credentials/credentialStore';
import { Engine } from './engine';
import { HarnessNodeTypes, loadPackage } from './nodeTypes';
import type { BinaryDataMode } from './platform';
import { openPlatform } from './platform';
import type { Runtime } from './runtime';
import { WebhookListener } from './webhooks/listener';

interface EngineOptions {
  /** Folder of a built package with its `package.json`. Default: N8N_PACKAGE (set by `npm run test:compat`) or this repository. */
  packageDir?: string;
  /** Time zone of the instance. Default: America/New_York as in n8n, so that code that assumes UTC fails. */
  timezone?: string;
  binaryDataMode?: BinaryDataMode;
  /** As N8N_SCHEDULER_POLL_TRIGGERS_ENABLED does in n8n 2.41. Default: false, as in n8n; `durableCursors` needs it. */
  pollJobs?: boolean;
  /** As N8N_POLLER_DURABLE_CURSORS_ENABLED does in n8n 2.40. Default: false, as in n8n. */
  durableCursors?: boolean;
}

/** The default of n8n's scheduler, N8N_SCHEDULER_POLL_TIMEOUT. */
const POLL_BUDGET_MS = 45_000;

const REPOSITORY = resolve(__dirname, '../..');

/** All engines of a process count together: what a trigger keeps in memory belongs to the ID of its workflow. */
let workflowCount = 0;

export async function startEngine(options: EngineOptions = {}): Promise<Engine> {
  await openPlatform(options.binaryDataMode ?? 'filesystem');
  const nodeTypes = new HarnessNodeTypes(
    await loadPackage(options.packageDir ?? process.env.N8N_PACKAGE ?? REPOSITORY),
  );
  const credentials = new CredentialStore();
  const listener = await new WebhookListener().open();
  let executions = 0;
  const runtime: Runtime = {
    nodeTypes,
    credentials,
    credentialsHelper: new HarnessCredentialsHelper(nodeTypes, credentials),
    timezone: options.timezone ?? 'America/New_York',
    instanceUrl: listener.url,
    pollBudgetMs: POLL_BUDGET_MS,
    pollJobs: options.pollJobs ?? options.durableCursors ?? false,
    durableCursors: options.durableCursors ?? false,
    createExecutionId: () => String(++executions),
    createWorkflowId: () => `workflow-${++workflowCount}`,
  };
  return new Engine(runtime, listener);
}
