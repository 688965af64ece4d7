import type { Routes } from '../http/route';
import { executionRoutes } from './executions';

const runs = executionRoutes('automation', ({ app }) => app.automations);

/** There is no endpoint that lists the automations themselves. */
export const automations = {
  'POST /api/v1/automations/run/{automationId}': runs.run,
  'GET /api/v1/automations/status': runs.active,
  'GET /api/v1/automations/status/queue/{automationQueueId}': runs.one,
  'GET /api/v1/automations/status/automation/{automationId}': runs.ofDefinition,
  'GET /api/v1/automations/history': runs.history,
  'POST /api/v1/automations/terminate/queue/{automationQueueId}': runs.terminateOne,
  'POST /api/v1/automations/terminate/automation/{automationId}': runs.terminateAll,
} satisfies Routes;
