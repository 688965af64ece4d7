import type { ListAnswer } from '../../shared/model/answers/schemas';
import type { Endpoint } from '../../shared/model/endpoints/endpoint';
import { createLocator } from '../../shared/kit/pickers/listPicker';
import { createOptions } from '../../shared/kit/operation/parameter';
import {
  createCallOperation,
  createListOperation,
  toOutputs,
  type ItemOperation,
  type Operation,
} from '../../shared/kit/operation/operation';
import { withSimplifiedRuns } from '../../shared/kit/operation/simplify';
import type { JobPlan } from '../../shared/kit/jobs/jobPlan';
import { startJob } from '../../shared/kit/jobs/startJob';
import { waitForCompletion } from '../../shared/kit/jobs/waitForCompletion';
import { createWaitParameters, readWaitSettings, waitOptions } from '../../shared/kit/jobs/waitForm';
import { isAlreadyDone } from '../../shared/transport/errors/apiError';
import { createGetExecutionOperation } from './getExecution';

/** The endpoints that tasks and automations have in common. */
type ExecutionEndpoints = Record<'run' | 'getExecution' | 'terminateExecution' | 'terminateAll', Endpoint> &
  Record<'getActive' | 'getExecutions' | 'getHistory', Endpoint<ListAnswer>>;

/** The differences between tasks and automations (spec: Automations, "same pattern as tasks"). */
export interface ExecutionResource {
  noun: 'task' | 'automation';
  endpoints: ExecutionEndpoints;
  /** Locator of the definition; its name is the path parameter, `taskId` or `automationId`. */
  definition: ReturnType<typeof createLocator>;
}

const getQueueIdName = ({ noun }: ExecutionResource) => `${noun}QueueId`;

const createQueueIdLocator = (resource: ExecutionResource) =>
  createLocator(
    resource.noun === 'task' ? 'TaskExecutions' : 'AutomationExecutions',
    'Execution',
    getQueueIdName(resource),
    `The execution to work with, newest first. Run and Get Active Executions return its ID as "${resource.noun}_queue_id".`,
  );

function createExecutionPlan(resource: ExecutionResource, path: Record<string, string>): JobPlan {
  const { noun, endpoints } = resource;
  return {
    noun,
    one: endpoints.getExecution,
    idName: getQueueIdName(resource),
    active: endpoints.getActive,
    ended: endpoints.getHistory,
    queue: { endpoint: endpoints.getExecutions, path, operation: 'Get Executions' },
    lookAgain: 'Get Execution',
  };
}

function createRunOperation(resource: ExecutionResource): ItemOperation {
  const { noun, endpoints, definition } = resource;
  return {
    name: 'run',
    displayName: 'Run',
    action: `Run ${noun}`,
    description: `Start ${noun === 'task' ? 'a task' : 'an automation'}, and optionally wait until it has ended`,
    endpoints: [
      endpoints.run,
      endpoints.getExecution,
      endpoints.getActive,
      endpoints.getHistory,
      endpoints.getExecutions,
    ],
    parameters: [definition, ...createWaitParameters(false), createOptions(...waitOptions)],
    async run(item) {
      const path = { [definition.name]: item.read(definition) };
      const wait = readWaitSettings(item);
      const startExecution = async () => (await item.client.call(endpoints.run, { path })).body;
      if (!wait) return toOutputs(await startExecution());

      const plan = createExecutionPlan(resource, path);
      const job = await startJob(item, plan, startExecution);
      return toOutputs(await waitForCompletion(item, plan, wait, job));
    },
  };
}

function createReadOperations(resource: ExecutionResource): ItemOperation[] {
  const { noun, endpoints, definition } = resource;
  return [
    createListOperation({
      name: 'getActive',
      displayName: 'Get Active Executions',
      action: `Get active executions of ${noun}s`,
      description: `Get the executions of all ${noun}s that have not ended`,
      endpoint: endpoints.getActive,
    }),
    createGetExecutionOperation({
      noun,
      one: endpoints.getExecution,
      history: endpoints.getHistory,
      queueId: createQueueIdLocator(resource),
    }),
    createListOperation({
      name: 'getExecutions',
      displayName: 'Get Executions',
      action: `Get executions of ${noun}`,
      description: `Get all executions of one ${noun}`,
      endpoint: endpoints.getExecutions,
      parameters: [definition],
    }),
    createListOperation({
      name: 'getHistory',
      displayName: 'Get History',
      action: `Get ended executions of ${noun}s`,
      description: `Get the executions of all ${noun}s that have ended`,
      endpoint: endpoints.getHistory,
    }),
  ];
}

function createTerminateOperation(resource: ExecutionResource): ItemOperation {
  const queueId = createQueueIdLocator(resource);
  const endpoint = resource.endpoints.terminateExecution;
  return {
    name: 'terminateExecution',
    displayName: 'Terminate Execution',
    action: `Terminate execution of ${resource.noun}`,
    description: 'Stop one execution',
    endpoints: [endpoint],
    parameters: [queueId],
    async run(item) {
      const call = item.client.call(endpoint, { path: { [queueId.name]: item.read(queueId) } });
      const { body } = await call.catch((error: unknown) => {
        if (isAlreadyDone(error)) return { body: {} };
        throw error;
      });
      return toOutputs(body);
    },
  };
}

/** The seven operations that tasks and automations share. */
export function createExecutionOperations(resource: ExecutionResource): Operation[] {
  const { noun, endpoints, definition } = resource;
  return [
    ...[createRunOperation(resource), ...createReadOperations(resource)].map(withSimplifiedRuns),
    createCallOperation({
      name: 'terminateAll',
      displayName: 'Terminate All Executions',
      action: `Terminate all executions of ${noun}`,
      description: `Stop every execution of one ${noun}`,
      endpoint: endpoints.terminateAll,
      parameters: [definition],
    }),
    createTerminateOperation(resource),
  ];
}
