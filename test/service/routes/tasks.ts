import { defineRoute, type Routes } from '../http/route';
import { DAY, formatTimestamp } from '../state/time';
import { createSuccess } from './common';
import { createExecutionRoutes } from './executions';

const runs = createExecutionRoutes('task', ({ app }) => app.tasks);

export const tasks = {
  'GET /api/v1/tasks': defineRoute({
    handle: ({ app }) => {
      const nextMidnight = Math.ceil(app.options.clock.now() / DAY) * DAY;
      const items = app.tasks.definitions.map(({ id, name, tableId, occurrence, type }) => ({
        task_id: id,
        name,
        status: 'Active',
        data_table_id: tableId,
        occurrence,
        next_run_at: formatTimestamp(nextMidnight, app.options.timeZone),
        type,
      }));
      return createSuccess({ total_tasks: items.length, tasks: items });
    },
  }),
  'POST /api/v1/tasks/run/{taskId}': runs.run,
  'GET /api/v1/tasks/status': runs.active,
  'GET /api/v1/tasks/status/queue/{taskQueueId}': runs.one,
  'GET /api/v1/tasks/status/task/{taskId}': runs.ofDefinition,
  'GET /api/v1/tasks/history': runs.history,
  'POST /api/v1/tasks/terminate/queue/{taskQueueId}': runs.terminateOne,
  'POST /api/v1/tasks/terminate/task/{taskId}': runs.terminateAll,
} satisfies Routes;
