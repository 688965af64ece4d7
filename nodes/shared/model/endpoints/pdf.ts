import { createItemSchema, createUndefinedListSchema } from '../responses/schemas';
import { permissions } from './apiKey';
import { defineV11 } from './endpoint';

const list = createUndefinedListSchema('items');
const item = createItemSchema();

/** Spec: PDF. The spec does not define the responses. The response to `create` may be the file itself. */
export const pdfPageEndpoints = {
  list: defineV11('GET /pdf-pages', { response: list, permission: permissions.pdfPages }),
  get: defineV11('GET /pdf-pages/{pdfPageId}', { response: item, permission: permissions.pdfPages }),
  create: defineV11('POST /pdf-pages/{pdfPageId}/create/{recordId}', { permission: permissions.pdfPages }),
};

export const pdfFormEndpoints = {
  list: defineV11('GET /pdf-forms', { response: list, permission: permissions.pdfForms }),
  get: defineV11('GET /pdf-forms/{pdfFormId}', { response: item, permission: permissions.pdfForms }),
  create: defineV11('POST /pdf-forms/{pdfFormId}/create', { permission: permissions.pdfForms }),
};
