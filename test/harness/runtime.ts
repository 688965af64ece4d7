import type { HarnessCredentialsHelper } from './credentials/credentialsHelper';
import type { CredentialStore } from './credentials/credentialStore';
import type { HarnessNodeTypes } from './nodeTypes';

/** What every part of one engine shares. */
export interface Runtime {
  nodeTypes: HarnessNodeTypes;
  credentials: CredentialStore;
  credentialsHelper: HarnessCredentialsHelper;
  timezone: string;
  /** Ends in a slash. Public address of the instance, from which n8n builds webhook URLs. */
  instanceUrl: string;
  /** Milliseconds after which n8n's scheduler ends a poll. */
  pollBudgetMs: number;
  /** Whether polls are jobs of n8n's scheduler, each with the static data of the database: N8N_SCHEDULER_POLL_TRIGGERS_ENABLED. */
  pollJobs: boolean;
  /** Whether n8n stores the static data of polling nodes in a table of their own: N8N_POLLER_DURABLE_CURSORS_ENABLED. */
  durableCursors: boolean;
  /** `1`, `2`, … as n8n numbers its executions. */
  createExecutionId: () => string;
  createWorkflowId: () => string;
}

export const withSlash = (url: string) => url.replace(/\/*$/, '/');
