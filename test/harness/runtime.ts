import type { HarnessCredentialsHelper } from './credentialsHelper';
import type { CredentialStore } from './credentialStore';
import type { HarnessNodeTypes } from './nodeTypes';

/** What every part of one engine shares. */
export interface Runtime {
  nodeTypes: HarnessNodeTypes;
  credentials: CredentialStore;
  credentialsHelper: HarnessCredentialsHelper;
  timezone: string;
  /** Ends in a slash. Public address of the instance, from which n8n builds webhook URLs. */
  instanceUrl: string;
  /** `1`, `2`, … as n8n numbers its executions. */
  nextExecutionId: () => string;
  nextWorkflowId: () => string;
}

export const withSlash = (url: string) => url.replace(/\/*$/, '/');
