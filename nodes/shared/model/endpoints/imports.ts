import { createItemSchema, createUndefinedListSchema } from '../responses/schemas';
import { permissions } from './apiKey';
import { defineV11 } from './endpoint';

/** Spec: Imports and exports. For imports, the spec defines only the response of the status. */
export const importEndpoints = {
  list: defineV11('GET /imports', { response: createUndefinedListSchema('items') }),
  get: defineV11('GET /imports/{importId}', { response: createItemSchema() }),
  trigger: defineV11('POST /imports/{importId}/trigger', { permission: permissions.imports }),
  listQueue: defineV11('GET /imports/queues', { response: createUndefinedListSchema('items') }),
  getQueueEntry: defineV11('GET /imports/queues/{queueId}', { response: createItemSchema() }),
  getStatus: defineV11('GET /imports/status/{queueId}', { response: createUndefinedListSchema('items') }),
};
