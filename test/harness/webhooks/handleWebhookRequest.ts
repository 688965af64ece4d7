import '../environment';
import { WebhookContext } from 'n8n-core';
import type {
  CloseFunction,
  ExecutionError,
  IDataObject,
  IWebhookData,
  IWebhookResponseData,
  WebhookResponseData,
  Workflow,
} from 'n8n-workflow';
import { Node } from 'n8n-workflow';
import { createAdditionalData } from '../additionalData';
import type { ExecutionPlan } from '../execution/execute';
import type { Run } from '../execution/run';
import type { Runtime } from '../runtime';
import type { WebhookRequest, WebhookResponse } from './http';
import { HttpError, parseBody } from './http';

interface WebhookRequestContext {
  runtime: Runtime;
  workflow: Workflow;
  webhook: IWebhookData;
  mode: 'webhook' | 'manual';
  /** Starts the execution; its promise settles when the execution has ended. */
  startExecution: (plan: Pick<ExecutionPlan, 'startNode' | 'startData' | 'resultData'>) => Promise<Run>;
  /** Called before the answer is sent, when n8n saves static data. */
  onAnswer: () => void;
}

/** Handles one request to a registered webhook. Returns whether it started an execution. */
export async function handleWebhookRequest(
  context: WebhookRequestContext,
  request: WebhookRequest,
  response: WebhookResponse,
): Promise<boolean> {
  const { webhook, startExecution, onAnswer } = context;
  const { responseMode, responseCode, responseData } = readResponseOptions(context);
  await parseBody(request).catch((error: unknown) => {
    if (error instanceof HttpError) throw error;
    throw new Error('There was a problem executing the workflow');
  });

  const sendResponse = (code: number, body: unknown) => {
    onAnswer();
    if (!response.headersSent) response.status(code).send(body);
  };

  let result: IWebhookResponseData;
  try {
    result = await runWebhook(context, request, response);
  } catch (error) {
    // n8n answers, saves no static data, and records an execution that failed in the trigger.
    response.status(500).json({ code: 0, message: 'Workflow Webhook Error: Workflow could not be started!' });
    const resultData = { runData: {}, lastNodeExecuted: webhook.node, error: error as ExecutionError };
    await startExecution({ startNode: webhook.node, startData: [[{ json: {} }]], resultData });
    return true;
  }

  const { workflowData, webhookResponse, noWebhookResponse } = result;
  if (noWebhookResponse) onAnswer();
  if (workflowData === undefined) {
    if (!noWebhookResponse)
      sendResponse(responseCode, webhookResponse ?? { message: 'Webhook call received' });
    return false;
  }

  const execution = startExecution({ startNode: webhook.node, startData: workflowData });
  if (noWebhookResponse) return true;
  if (responseMode === 'lastNode') {
    const run = await execution;
    if (run.error) sendResponse(500, { message: 'Error in workflow' });
    else sendResponse(responseCode, createLastNodeAnswer(run, responseData));
  } else {
    sendResponse(responseCode, createReceivedAnswer(responseData, webhookResponse));
  }
  return true;
}

/**
 * As in n8n 2.40, where a webhook description without `responseData` counts as `firstEntryJson` here
 * too: that word itself is sent, and the `webhookResponse` of the node is not.
 */
function createReceivedAnswer(responseData: string, webhookResponse: unknown) {
  if (responseData === 'noData') return undefined;
  return responseData || (webhookResponse ?? { message: 'Workflow was started' });
}

function readResponseOptions({ workflow, webhook, mode }: WebhookRequestContext) {
  const node = workflow.getNode(webhook.node)!;
  const resolve = (value: unknown, fallback: unknown) =>
    workflow.expression.getSimpleParameterValue(
      node,
      value as string,
      mode,
      {},
      undefined,
      fallback as string,
    );
  const { webhookDescription } = webhook;
  const responseMode = resolve(webhookDescription.responseMode, 'onReceived') as string;
  if (!['onReceived', 'lastNode'].includes(responseMode)) {
    throw new Error(`The response mode '${responseMode}' is not valid!`);
  }
  return {
    responseMode,
    responseCode: resolve(webhookDescription.responseCode, 200) as number,
    responseData: workflow.expression.getComplexParameterValue(
      node,
      webhookDescription.responseData,
      mode,
      {},
      undefined,
      'firstEntryJson',
    ) as WebhookResponseData,
  };
}

async function runWebhook(
  { runtime, workflow, webhook, mode }: WebhookRequestContext,
  httpRequest: WebhookRequest,
  httpResponse: WebhookResponse,
): Promise<IWebhookResponseData> {
  const node = workflow.getNode(webhook.node)!;
  const nodeType = workflow.nodeTypes.getByNameAndVersion(node.type, node.typeVersion);
  if (!nodeType.webhook) throw new Error(`${node.type} declares a webhook but has no webhook()`);
  const additionalData = Object.assign(createAdditionalData(runtime), { httpRequest, httpResponse });
  const closeFunctions: CloseFunction[] = [];
  const context = new WebhookContext(workflow, node, additionalData, mode, webhook, closeFunctions, null);
  try {
    return nodeType instanceof Node
      ? await nodeType.webhook(context as never)
      : await nodeType.webhook.call(context);
  } finally {
    await Promise.allSettled(closeFunctions.map(async (close) => await close()));
  }
}

function createLastNodeAnswer(
  run: Run,
  responseData: WebhookResponseData,
): IDataObject | IDataObject[] | undefined {
  const items = run.getJson(run.data.data.resultData.lastNodeExecuted ?? '');
  if (responseData === 'noData') return undefined;
  if (responseData === 'allEntries') return items;
  if (items[0] === undefined) throw new Error('No item to return was found');
  return items[0];
}
