import { isAlreadyDone } from '../../client/errors/apiError';
import {
  type ItemOperation,
  type Operation,
  createCallOperation,
  createListOperation,
  toOutputs,
} from '../../n8n/operation/operation';
import { withSimplifiedRuns } from '../../n8n/operation/returnAll';
import { createGetExecutionOperation } from './getExecution';
import { type ExecutionResource, createQueueIdLocator, createRunOperation } from './runExecution';

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
