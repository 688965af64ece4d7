import { automationEndpoints, taskEndpoints } from '../../client/endpoints/catalogue';
import type { Endpoint } from '../../client/endpoints/endpoint';
import { ApiError, isAlreadyDone, isNotFoundByService } from '../../client/errors/apiError';
import { asThrown } from '../../client/input/inputError';
import { type JobPlan, findJobEntry } from '../../client/jobs/jobState';
import { startRun } from '../../client/jobs/runJob';
import { type ListResponse, findList, unwrapItem } from '../../client/responses/schemas';
import { readWaitSettings, waitOptions, waitParameter } from '../../n8n/jobs/waitForm';
import { createLocator } from '../../n8n/lists/listPicker';
import {
  type ItemOperation,
  type Operation,
  type Resource,
  createCallOperation,
  createListOperation,
  toOutputs,
} from '../../n8n/operation/operation';
import { withSimplifiedRuns } from '../../n8n/operation/returnAll';
import { createOptions } from '../../n8n/parameters/parameter';

interface GetExecutionOptions {
  noun: 'task' | 'automation';
  /**
   * Endpoint that returns one execution. The spec does not define how long an ended execution remains available.
   * Open point: `runResponses`.
   */
  one: Endpoint;
  history: Endpoint;
  /** Locator of the execution. Its name is the path parameter of `one`. */
  queueId: ReturnType<typeof createLocator>;
}

/**
 * Creates the operation that returns one execution, read from the endpoint `one`. The history is read only if the service
 * itself answers 404 there (a proxy's 404 is an error), or if the answer holds no execution.
 */
const createGetExecutionOperation = ({
  noun,
  one,
  history,
  queueId,
}: GetExecutionOptions): ItemOperation => ({
  name: 'getExecution',
  displayName: 'Get Execution',
  action: `Get execution of ${noun}`,
  description: 'Get the status and progress of one running or ended execution',
  parameters: [queueId],
  async run(item) {
    const id = item.read(queueId);
    const body = await item.client.jobs.read(one, { path: { [queueId.name]: id } }, isNotFoundByService);
    const entry = findJobEntry(body, id, { isSingle: true });
    if (entry) return toOutputs(entry);
    // An answer of an unknown form is returned as it is.
    const shown = findList(body, `${noun}s`) ?? (body === undefined ? [] : [unwrapItem(body)]);
    if (shown.length > 0) return toOutputs(shown);
    const ended = await item.client.jobs.findListed(history, id);
    if (ended) return toOutputs(ended);
    throw new ApiError({
      message: `The service has no running or ended execution with the ID ${id}`,
      description: `Pick it from the list, or give the "${noun}_queue_id" that Run returned, which differs from the ID of the ${noun}. The service may have deleted an old execution.`,
    });
  },
});

/** The endpoints that tasks and automations have in common. */
type ExecutionEndpoints = Record<'run' | 'getExecution' | 'terminateExecution' | 'terminateAll', Endpoint> &
  Record<'getActive' | 'getExecutions' | 'getHistory', Endpoint<ListResponse>>;

/** The differences between tasks and automations (spec: Automations, "same pattern as tasks"). */
interface ExecutionResource {
  noun: 'task' | 'automation';
  endpoints: ExecutionEndpoints;
  /** Locator of the task or automation. Its name is the path parameter, `taskId` or `automationId`. */
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
    writes: true,
    makes: {
      noun: `runs of the ${noun}`,
      remedy: 'Look at the runs with "Get Executions".',
    },
    parameters: [definition, waitParameter, createOptions(...waitOptions)],
    done: ['run', 'started'],
    async run(item) {
      const path = { [definition.name]: item.read(definition) };
      const wait = readWaitSettings(item);
      const startExecution = async () => (await item.client.call(endpoints.run, { path })).body;
      const plan = createExecutionPlan(resource, path);
      if (!wait) return toOutputs(await startRun(plan, startExecution));
      const job = await item.client.jobs.start(plan, startExecution, item.noteStart);
      return toOutputs(await item.client.jobs.wait(plan, wait, job));
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
    writes: true,
    parameters: [queueId],
    async run(item) {
      const path = { [queueId.name]: item.read(queueId) };
      try {
        return toOutputs((await item.client.call(endpoint, { path })).body);
      } catch (error) {
        // An earlier attempt stopped the execution, and its answer was lost.
        if (isAlreadyDone(error)) return toOutputs({});
        throw asThrown(error);
      }
    },
  };
}

/** The seven operations that tasks and automations share. */
function createExecutionOperations(resource: ExecutionResource): Operation[] {
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

/** Spec: Tasks. */
export const task: Resource = {
  name: 'task',
  displayName: 'Task',
  operations: [
    ...createExecutionOperations({
      noun: 'task',
      endpoints: taskEndpoints,
      definition: createLocator('Tasks', 'Task', 'taskId', 'The task to work with'),
    }),
    createListOperation({
      name: 'getAll',
      displayName: 'Get Many',
      action: 'Get many tasks',
      description: 'Get all tasks of the application, with their schedule',
      endpoint: taskEndpoints.list,
    }),
  ],
};

/** Spec: Automations. No endpoint lists automations, so the dropdown lists those that have run. */
export const automation: Resource = {
  name: 'automation',
  displayName: 'Automation',
  operations: createExecutionOperations({
    noun: 'automation',
    endpoints: automationEndpoints,
    definition: createLocator(
      'Automations',
      'Automation',
      'automationId',
      'The automation to work with. The list shows automations that have run before. For others, enter the ID that the service shows.',
    ),
  }),
};
