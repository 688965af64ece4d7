import { createListOperation, type OutputSchema, type Resource } from '../../shared/kit/operation/operation';
import { createLocator } from '../../shared/kit/pickers/listPicker';
import { taskEndpoints } from '../../shared/model/endpoints/tasks';
import { startedTaskOutput, taskOutput, taskRunOutput } from '../../shared/model/outputs/runs';
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
