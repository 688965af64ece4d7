import { locator } from '../../shared/kit/listPicker';
import { callOperation, type Resource } from '../../shared/kit/operation';
import { v1 } from '../../shared/model/endpoint';
import { executionOperations } from './executions';

/** Spec: Tasks. */
export const task: Resource = {
  name: 'task',
  displayName: 'Task',
  operations: [
    callOperation({
      name: 'getAll',
      displayName: 'Get Many',
      action: 'Get many tasks',
      description: 'Get all tasks of the application, with their schedule',
      endpoint: v1('GET /tasks'),
      items: 'tasks',
    }),
    ...executionOperations({
      noun: 'task',
      definition: locator('Tasks', 'Task', 'taskId', 'The task to work with'),
    }),
  ],
};
