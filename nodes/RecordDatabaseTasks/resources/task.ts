import { taskEndpoints } from '../../client/endpoints/catalogue';
import { createLocator } from '../../n8n/lists/listPicker';
import { type Resource, createListOperation } from '../../n8n/operation/operation';
import { createExecutionOperations } from './executionOperations';

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
