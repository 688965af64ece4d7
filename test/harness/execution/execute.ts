/* eslint-disable @n8n/community-nodes/no-restricted-globals -- not shipped: runs on Node */
import '../environment';
import { ExecutionLifecycleHooks, WorkflowExecute } from 'n8n-core';
import type {
  ExecuteWorkflowData,
  ExecutionError,
  IDataObject,
  IExecuteWorkflowInfo,
  INodeExecutionData,
  IPinData,
  IRun,
  IRunExecutionData,
  IWorkflowBase,
  WorkflowExecuteMode,
} from 'n8n-workflow';
import { createRunExecutionData, jsonParse } from 'n8n-workflow';
import { createAdditionalData } from '../additionalData';
import type { Runtime } from '../runtime';
import type { StoredWorkflow } from '../workflows';
import { toWorkflow } from '../workflows';
import type { UiMessage } from './run';
import { Run } from './run';

export interface ExecutionPlan {
  workflow: StoredWorkflow;
  mode: WorkflowExecuteMode;
  startNode: string;
  /** One array of items per input of the start node; for a trigger it is what the trigger emits. */
  startData: INodeExecutionData[][];
  pinData?: IPinData;
  /** The stored data of an execution that waited: it continues where it stopped. */
  stored?: IRunExecutionData;
  /** Initial result data: the error of a trigger that failed before the execution. */
  resultData?: Partial<IRunExecutionData['resultData']>;
  staticData?: IDataObject;
  abortSignal?: AbortSignal;
  /** Called when nodes changed static data; n8n keeps that of production executions only. */
  onStaticData?: (staticData: IDataObject) => void;
}

/** Continues an execution that waits, from a copy of what n8n stores of it. n8n does so at `run.data.waitTill`. */
export const resume = (runtime: Runtime, { workflow, data: { mode, data } }: Run): Promise<Run> =>
  execute(runtime, {
    workflow,
    mode,
    startNode: data.resultData.lastNodeExecuted ?? '',
    startData: [],
    stored: jsonParse<IRunExecutionData>(JSON.stringify(data)),
  });

/** Runs a workflow on n8n's engine. An execution that fails resolves too: see `Run.error`. */
export async function execute(runtime: Runtime, plan: ExecutionPlan): Promise<Run> {
  const { mode, startData: main, pinData, workflow: stored } = plan;
  const executionId = runtime.createExecutionId();
  const uiMessages: UiMessage[] = [];
  const workflow = toWorkflow(stored, runtime.nodeTypes, {
    active: mode !== 'manual',
    staticData: plan.staticData,
  });
  const node = workflow.getNode(plan.startNode);
  if (!node) throw new Error(`The workflow has no node "${plan.startNode}" to start from`);

  const hooks = new ExecutionLifecycleHooks(mode, executionId, stored as unknown as IWorkflowBase);
  hooks.addHandler('workflowExecuteAfter', (_run, newStaticData) => {
    if (newStaticData !== undefined) plan.onStaticData?.(newStaticData);
  });
  const { executionTimeout = -1 } = stored.settings;
  const additionalData = createAdditionalData(runtime, {
    hooks,
    executionId,
    workflowId: stored.id,
    executionTimeoutTimestamp: executionTimeout > 0 ? Date.now() + executionTimeout * 1000 : undefined,
    executeWorkflow: (info, _data, { inputData }) => executeSubworkflow(runtime, plan, info, inputData),
    sendDataToUI: (_type, data) => uiMessages.push(data as unknown as UiMessage),
  });
  const runData =
    plan.stored ??
    createRunExecutionData({
      executionData: { nodeExecutionStack: [{ node, data: { main }, source: null }] },
      resultData: { pinData, ...plan.resultData },
    });
  const engine = new WorkflowExecute(additionalData, mode, runData);

  const startedAt = new Date();
  const createRun = (data: IRun) => new Run(executionId, data, uiMessages, stored);
  try {
    const execution = engine.processRunExecutionData(workflow);
    const cancel = () => execution.cancel();
    const timer = executionTimeout > 0 ? setTimeout(cancel, executionTimeout * 1000) : undefined;
    plan.abortSignal?.addEventListener('abort', cancel);
    // An earlier abort does not call the listener.
    if (plan.abortSignal?.aborted) cancel();
    try {
      return createRun(await execution);
    } finally {
      clearTimeout(timer);
      plan.abortSignal?.removeEventListener('abort', cancel);
    }
  } catch (error) {
    // A workflow with issues, such as an empty required parameter, does not start; n8n records an execution.
    return createRun(createFailedRun(error as ExecutionError, mode, startedAt));
  }
}

const SUBWORKFLOW_TRIGGER = 'n8n-nodes-base.executeWorkflowTrigger';

/** Runs the workflow itself as its own sub-workflow; other workflows are not stored here. */
async function executeSubworkflow(
  runtime: Runtime,
  { workflow, abortSignal }: ExecutionPlan,
  { id }: IExecuteWorkflowInfo,
  items: INodeExecutionData[] = [],
): Promise<ExecuteWorkflowData> {
  const trigger = workflow.nodes.find(({ type }) => type === SUBWORKFLOW_TRIGGER);
  if (id !== workflow.id || !trigger) throw new Error(`There is no workflow "${id}" to execute`);
  const run = await execute(runtime, {
    workflow,
    mode: 'integrated',
    startNode: trigger.name,
    startData: [items],
    abortSignal,
  });
  if (run.error) throw run.error;
  const { lastNodeExecuted = trigger.name } = run.data.data.resultData;
  return { executionId: run.id, data: [run.getItems(lastNodeExecuted)] };
}

function createFailedRun(error: ExecutionError, mode: WorkflowExecuteMode, startedAt = new Date()): IRun {
  const { message, stack } = error;
  return {
    data: createRunExecutionData({
      resultData: { runData: {}, error: { ...error, message, stack } as ExecutionError },
    }),
    mode,
    startedAt,
    stoppedAt: new Date(),
    status: 'error',
    storedAt: 'db',
  };
}
