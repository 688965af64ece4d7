import { taskEndpoints } from '../../client/endpoints/catalogue';
import { createLocator } from '../../n8n/lists/listPicker';
import { type OutputSchema, type Resource, createListOperation } from '../../n8n/operation/operation';
import { startedTaskOutput, taskOutput, taskRunOutput } from '../../n8n/operation/outputs';
import { createExecutionOperations } from './executionOperations';

/** The spec defines the runs of tasks, but not those of automations. */
const RUN_OUTPUTS: Record<string, OutputSchema> = {
  run: startedTaskOutput,
  getActive: taskRunOutput,
  getExecution: taskRunOutput,
  getExecutions: taskRunOutput,
};

/** Spec: Tasks. */
export const task: Resource = {
  name: 'task',
  displayName: 'Task',
  operations: [
    ...createExecutionOperations({
      noun: 'task',
      endpoints: taskEndpoints,
      definition: createLocator('Tasks', 'Task', 'taskId', 'The task to work with'),
    }).map((operation) => ({ ...operation, output: RUN_OUTPUTS[operation.name] })),
    createListOperation({
      name: 'getAll',
      displayName: 'Get Many',
      action: 'Get many tasks',
      description: 'Get all tasks of the application, with their schedule',
      output: taskOutput,
      endpoint: taskEndpoints.list,
    }),
  ],
};
