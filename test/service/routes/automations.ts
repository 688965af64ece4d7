import type { Routes } from '../http/route';
import { createExecutionRoutes } from './executions';

const runs = createExecutionRoutes('automation', ({ app }) => app.automations);

/** No endpoint lists the automations. */
export const automations = {
  'POST /api/v1/automations/run/{automationId}': runs.run,
  'GET /api/v1/automations/status': runs.active,
  'GET /api/v1/automations/status/queue/{automationQueueId}': runs.one,
  'GET /api/v1/automations/status/automation/{automationId}': runs.ofDefinition,
  'GET /api/v1/automations/history': runs.history,
  'POST /api/v1/automations/terminate/queue/{automationQueueId}': runs.terminateOne,
  'POST /api/v1/automations/terminate/automation/{automationId}': runs.terminateAll,
} satisfies Routes;
