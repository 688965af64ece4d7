import type { Endpoint } from '../../client/endpoints/endpoint';
import type { JobPlan } from '../../client/jobs/jobState';
import { startRun } from '../../client/jobs/runJob';
import type { ListResponse } from '../../client/responses/schemas';
import { readWaitSettings, waitOptions, waitParameters } from '../../n8n/jobs/waitForm';
import { createLocator } from '../../n8n/lists/listPicker';
import { type ItemOperation, toOutputs } from '../../n8n/operation/operation';
import { createOptions } from '../../n8n/parameters/parameter';
/** The endpoints that tasks and automations have in common. */
type ExecutionEndpoints = Record<'run' | 'getExecution' | 'terminateExecution' | 'terminateAll', Endpoint> &
  Record<'getActive' | 'getExecutions' | 'getHistory', Endpoint<ListResponse>>;

/** The differences between tasks and automations (spec: Automations, "same pattern as tasks"). */
export interface ExecutionResource {
  noun: 'task' | 'automation';
  endpoints: ExecutionEndpoints;
  /** Locator of the definition; its name is the path parameter, `taskId` or `automationId`. */
  definition: ReturnType<typeof createLocator>;
}

const getQueueIdName = ({ noun }: ExecutionResource) => `${noun}QueueId`;

export const createQueueIdLocator = (resource: ExecutionResource) =>
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

export function createRunOperation(resource: ExecutionResource): ItemOperation {
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
    parameters: [definition, ...waitParameters, createOptions(...waitOptions)],
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
