import { createUndefinedListSchema } from '../responses/schemas';
import { permissions } from './apiKey';
import { defineV1 } from './endpoint';

const response = createUndefinedListSchema('automations');

/** Spec: Automations. The spec does not define the responses. */
export const automationEndpoints = {
  run: defineV1('POST /automations/run/{automationId}', { permission: permissions.tasks }),
  getActive: defineV1('GET /automations/status', { response }),
  getExecution: defineV1('GET /automations/status/queue/{automationQueueId}'),
  getExecutions: defineV1('GET /automations/status/automation/{automationId}', { response }),
  getHistory: defineV1('GET /automations/history', { response }),
  terminateExecution: defineV1('POST /automations/terminate/queue/{automationQueueId}', {
    effect: 'idempotent',
    permission: permissions.tasks,
  }),
  terminateAll: defineV1('POST /automations/terminate/automation/{automationId}', {
    effect: 'idempotent',
    permission: permissions.tasks,
  }),
};
