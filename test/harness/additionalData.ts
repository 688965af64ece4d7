import './environment';
import { Container } from '@n8n/di';
import { ExternalSecretsProxy } from 'n8n-core';
import type { IWorkflowExecuteAdditionalData } from 'n8n-workflow';
import { UserError } from 'n8n-workflow';
import type { Runtime } from './runtime';

/**
 * The data that n8n's server gives its engine with each execution. Without `ssrfBridge`, calls to loopback
 * pass, as on a self-hosted instance with default settings.
 */
export function createAdditionalData(
  { credentialsHelper, instanceUrl }: Runtime,
  extra: Partial<IWorkflowExecuteAdditionalData> = {},
): IWorkflowExecuteAdditionalData {
  const rejectUnsupported = async (): Promise<never> => {
    throw new UserError('Not supported by the test harness');
  };
  return {
    currentNodeExecutionIndex: 0,
    credentialsHelper,
    externalSecretsProxy: Container.get(ExternalSecretsProxy),
    executeWorkflow: rejectUnsupported,
    startRunnerTask: rejectUnsupported,
    getRunExecutionData: rejectUnsupported,
    getRuntimeCredential: rejectUnsupported,
    logAiEvent: () => {},
    variables: {},
    restApiUrl: `${instanceUrl}rest`,
    instanceBaseUrl: instanceUrl,
    formBaseUrl: `${instanceUrl}form`,
    formWaitingBaseUrl: `${instanceUrl}form-waiting`,
    formTestBaseUrl: `${instanceUrl}form-test`,
    webhookBaseUrl: `${instanceUrl}webhook`,
    webhookWaitingBaseUrl: `${instanceUrl}webhook-waiting`,
    webhookTestBaseUrl: `${instanceUrl}webhook-test`,
    mcpBaseUrl: `${instanceUrl}mcp`,
    mcpTestBaseUrl: `${instanceUrl}mcp-test`,
    ...extra,
  };
}
