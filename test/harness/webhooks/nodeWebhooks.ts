import '../environment';
import { HookContext } from 'n8n-core';
import type {
  IHttpRequestMethods,
  INode,
  IWebhookData,
  IWebhookDescription,
  IWorkflowExecuteAdditionalData,
  Workflow,
  WorkflowActivateMode,
  WorkflowExecuteMode,
} from 'n8n-workflow';
import { NodeHelpers } from 'n8n-workflow';

/** All webhooks the nodes of a workflow declare, with their paths and methods resolved. */
export function getWebhooks(
  workflow: Workflow,
  additionalData: IWorkflowExecuteAdditionalData,
): IWebhookData[] {
  return Object.values(workflow.nodes)
    .filter((node) => !node.disabled)
    .flatMap((node) => {
      const { description } = workflow.nodeTypes.getByNameAndVersion(node.type, node.typeVersion);
      return (description.webhooks ?? []).flatMap((webhook) =>
        resolveWebhook(workflow, node, webhook, additionalData),
      );
    });
}

function resolveWebhook(
  workflow: Workflow,
  node: INode,
  webhookDescription: IWebhookDescription,
  workflowExecuteAdditionalData: IWorkflowExecuteAdditionalData,
): IWebhookData[] {
  const resolve = (value: unknown, fallback?: unknown) =>
    workflow.expression.getSimpleParameterValue(
      node,
      value as string,
      'internal',
      {},
      undefined,
      fallback as string,
    );
  if (webhookDescription.restartWebhook === true) return [];
  const ownPath = String(resolve(webhookDescription.path)).replace(/^\/|\/$/g, '');
  const isFullPath = resolve(webhookDescription.isFullPath, false) as boolean;
  const path = NodeHelpers.getNodeWebhookPath(workflow.id, node, ownPath, isFullPath, false);
  if (path.includes('/:')) throw new Error(`The test harness does not support path parameters: ${path}`);
  const methods = String(resolve(webhookDescription.httpMethod, 'GET')).split(',');
  return methods.map((httpMethod) => ({
    httpMethod: httpMethod.trim() as IHttpRequestMethods,
    node: node.name,
    path,
    webhookDescription,
    workflowId: workflow.id,
    workflowExecuteAdditionalData,
  }));
}

/** Calls `checkExists`, `create` or `delete` of a node, if the node has it. */
export async function callWebhookMethod(
  method: 'checkExists' | 'create' | 'delete',
  workflow: Workflow,
  webhook: IWebhookData,
  mode: WorkflowExecuteMode,
  activation: WorkflowActivateMode,
): Promise<boolean | undefined> {
  const node = workflow.getNode(webhook.node);
  if (!node) return undefined;
  const nodeType = workflow.nodeTypes.getByNameAndVersion(node.type, node.typeVersion);
  const run = nodeType.webhookMethods?.[webhook.webhookDescription.name]?.[method];
  const { workflowExecuteAdditionalData } = webhook;
  return await run?.call(
    new HookContext(workflow, node, workflowExecuteAdditionalData, mode, activation, webhook),
  );
}

export async function createIfMissing(
  workflow: Workflow,
  webhook: IWebhookData,
  mode: WorkflowExecuteMode,
  activation: WorkflowActivateMode,
) {
  const exists = await callWebhookMethod('checkExists', workflow, webhook, mode, activation);
  if (!exists) await callWebhookMethod('create', workflow, webhook, mode, activation);
}
