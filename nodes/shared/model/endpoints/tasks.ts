import { createListSchema, createUndefinedListSchema, objectSchema } from '../responses/schemas';
import { permissions } from './apiKey';
import { defineV1 } from './endpoint';

/**
 * Spec: Tasks. The spec does not define the responses of `getHistory`, `terminateExecution` and
 * `terminateAll`.
 */
export const taskEndpoints = {
  list: defineV1('GET /tasks', { response: createListSchema('tasks') }),
  run: defineV1('POST /tasks/run/{taskId}', { response: objectSchema, permission: permissions.tasks }),
  getActive: defineV1('GET /tasks/status', { response: createListSchema('tasks') }),
  /**
   * The spec describes the response as "Same shape, one execution". No schema is set, so that a response without the
   * envelope is accepted too.
   */
  getExecution: defineV1('GET /tasks/status/queue/{taskQueueId}'),
  getExecutions: defineV1('GET /tasks/status/task/{taskId}', { response: createListSchema('tasks') }),
  getHistory: defineV1('GET /tasks/history', { response: createUndefinedListSchema('tasks') }),
  terminateExecution: defineV1('POST /tasks/terminate/queue/{taskQueueId}', {
    effect: 'idempotent',
    permission: permissions.tasks,
  }),
  terminateAll: defineV1('POST /tasks/terminate/task/{taskId}', {
    effect: 'idempotent',
    permission: permissions.tasks,
  }),
};
