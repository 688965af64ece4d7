import { batchCheckSchema, createdRecordSchema, recordListSchema, recordSchema } from '../responses/records';
import { objectSchema } from '../responses/schemas';
import { permissions } from './apiKey';
import { defineV1 } from './endpoint';

const { readRecords, createRecords, updateRecords, deleteRecords } = permissions;

/**
 * Spec: Records. A POST to `/records` lists records if the body has a filter, and creates a record otherwise.
 */
export const recordEndpoints = {
  list: defineV1('GET /data-tables/{dataTableId}/records', {
    response: recordListSchema,
    permission: readRecords,
  }),
  listFiltered: defineV1('POST /data-tables/{dataTableId}/records', {
    effect: 'read',
    response: recordListSchema,
    permission: readRecords,
  }),
  search: defineV1('POST /data-tables/{dataTableId}/records?_zmode=search', {
    effect: 'read',
    response: recordListSchema,
    permission: readRecords,
  }),
  create: defineV1('POST /data-tables/{dataTableId}/records', {
    response: createdRecordSchema,
    permission: createRecords,
  }),
  get: defineV1('GET /data-tables/{dataTableId}/records/{recordId}', {
    response: recordSchema,
    permission: readRecords,
  }),
  /** The spec does not define the response. */
  update: defineV1('POST /data-tables/{dataTableId}/records/{recordId}', {
    effect: 'idempotent',
    response: objectSchema,
    evidence: ['item'],
    permission: updateRecords,
  }),
  delete: defineV1('DELETE /data-tables/{dataTableId}/records/{recordId}', {
    response: objectSchema,
    evidence: [],
    permission: deleteRecords,
  }),
  batchUpdateCheck: defineV1('GET /data-tables/{dataTableId}/records/batch-update-check', {
    response: batchCheckSchema,
    permission: readRecords,
  }),
  batchUpdate: defineV1('POST /data-tables/{dataTableId}/records/batch-update', {
    effect: 'idempotent',
    response: objectSchema,
    evidence: ['total'],
    permission: updateRecords,
  }),
};
