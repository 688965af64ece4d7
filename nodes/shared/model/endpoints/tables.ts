import { createListSchema } from '../responses/schemas';
import { fullFieldListSchema, tableListSchema } from '../responses/tables';
import { defineV1 } from './endpoint';

/** Spec: Tables, fields, roles. */
export const tableEndpoints = {
  list: defineV1('GET /data-tables', { response: tableListSchema }),
  listFields: defineV1('GET /data-tables/{dataTableId}/fields', { response: createListSchema('fields') }),
  listFullFields: defineV1('GET /data-tables/{dataTableId}/full-fields-info', {
    response: fullFieldListSchema,
  }),
  listRoles: defineV1('GET /roles', { response: createListSchema('items') }),
};
