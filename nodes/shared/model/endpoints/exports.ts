import { createItemSchema, createListSchema, createUndefinedListSchema } from '../responses/schemas';
import { permissions } from './apiKey';
import { defineV11 } from './endpoint';

/** Spec: Imports and exports. For exports, the spec defines only the response of the queue. */
export const exportEndpoints = {
  list: defineV11('GET /exports', { response: createUndefinedListSchema('items') }),
  listTemplates: defineV11('GET /exports/templates', { response: createUndefinedListSchema('items') }),
  getTemplate: defineV11('GET /exports/templates/{templateId}', { response: createItemSchema() }),
  trigger: defineV11('POST /exports/templates/{templateId}/trigger', { permission: permissions.exports }),
  listQueue: defineV11('GET /exports/queues', { response: createListSchema('items') }),
  getQueueEntry: defineV11('GET /exports/queues/{queueId}', { response: createItemSchema() }),
};
