/** The endpoints of the service. */
import {
  batchUpdateCheckSchema,
  componentRecordsSchema,
  createItemSchema,
  createListSchema,
  createUndocumentedListSchema,
  createdRecordSchema,
  fullFieldListSchema,
  apiKeyStatusSchema,
  logoutSchema,
  logPageSchema,
  loginSchema,
  magicLinkSchema,
  objectSchema,
  recordListByPostSchema,
  recordListSchema,
  recordSchema,
  sessionStatusSchema,
  newSubscriptionSchema,
  subscriptionListSchema,
  tableListSchema,
} from '../responses/schemas';
import { type Permission, defineV1, defineV11 } from './endpoint';

const createPermission = (name: string, flag: string, controls: string): Permission => ({
  name,
  flag,
  controls,
});

/** The permissions of an API key (spec: API key permissions), and their names in `GET /status`. */
export const permissions = {
  createRecords: createPermission('allow_edit', 'create', 'create and update records'),
  deleteRecords: createPermission('allow_delete', 'delete', 'delete records'),
  exports: createPermission('allow_export', 'exports', 'trigger exports'),
  imports: createPermission('allow_import', 'imports', 'trigger imports'),
  logs: { ...createPermission('allow_log', 'logs', 'read logs'), alsoNeeded: 'allow_api_access' },
  pages: createPermission('allow_page', 'pages', 'pages and components'),
  pdfForms: createPermission('pdf_forms', 'pdf_forms', 'create PDFs from forms'),
  pdfPages: createPermission('pdf_pages', 'pdf_pages', 'create PDFs from pages'),
  readRecords: createPermission('allow_get', 'read', 'read records'),
  tasks: createPermission('allow_task', 'tasks', 'run tasks'),
  updateRecords: createPermission('allow_edit', 'update', 'create and update records'),
} satisfies Record<string, Permission>;

export const apiKeyEndpoints = {
  getStatus: defineV1('GET /status', { response: apiKeyStatusSchema }),
};

export const authEndpoints = {
  login: defineV11('POST /auth/login', { response: loginSchema, subject: 'user' }),
  logout: defineV11('POST /auth/logout', {
    effect: 'idempotent',
    alreadyDoneStatus: 401,
    response: logoutSchema,
    subject: 'session',
  }),
  getStatus: defineV11('POST /auth/status', {
    effect: 'read',
    response: sessionStatusSchema,
    subject: 'session',
  }),
  /** The spec does not define the response. An empty one is an error: it has no token. See silences.md: `autoLogin`. */
  autoLogin: defineV11('POST /auth/auto-login', { response: objectSchema, subject: 'user' }),
  createMagicLink: defineV11('POST /auth/magic-link', { response: magicLinkSchema, subject: 'user' }),
};

const listSchema = createUndocumentedListSchema('items');
const itemSchema = createItemSchema();

const runsSchema = createUndocumentedListSchema('automations');

/** The spec does not define the responses of automations. See silences.md: `runResponses`. */
export const automationEndpoints = {
  run: defineV1('POST /automations/run/{automationId}', { permission: permissions.tasks }),
  getActive: defineV1('GET /automations/status', { response: runsSchema }),
  getExecution: defineV1('GET /automations/status/queue/{automationQueueId}'),
  getExecutions: defineV1('GET /automations/status/automation/{automationId}', { response: runsSchema }),
  getHistory: defineV1('GET /automations/history', { response: runsSchema }),
  terminateExecution: defineV1('POST /automations/terminate/queue/{automationQueueId}', {
    effect: 'idempotent',
    alreadyDoneStatus: 404,
    permission: permissions.tasks,
  }),
  terminateAll: defineV1('POST /automations/terminate/automation/{automationId}', {
    effect: 'idempotent',
    permission: permissions.tasks,
  }),
};

/** The spec defines only the response of `listQueue` (Imports and exports). */
export const exportEndpoints = {
  list: defineV11('GET /exports', { response: listSchema }),
  listTemplates: defineV11('GET /exports/templates', { response: listSchema }),
  getTemplate: defineV11('GET /exports/templates/{templateId}', { response: itemSchema }),
  trigger: defineV11('POST /exports/templates/{templateId}/trigger', { permission: permissions.exports }),
  listQueue: defineV11('GET /exports/queues', { response: createListSchema('items') }),
  getQueueEntry: defineV11('GET /exports/queues/{queueId}', { response: itemSchema }),
};

/** A repeated calculation gives the same values. A calculation of a whole application may exceed the timeout. */
const FORMULA_DETAILS = { effect: 'longRunning' } as const;

/** The spec does not define the responses of formulas. See silences.md: `changeResponses`. */
export const formulaEndpoints = {
  updateAll: defineV1('POST /update-all-formula', FORMULA_DETAILS),
  updateTable: defineV1('POST /update-all-formula/{dataTableId}', FORMULA_DETAILS),
  updateBySlug: defineV1('POST /update-field-formula-by-slug/{fieldSlug}', FORMULA_DETAILS),
  forceBySlug: defineV1('POST /update-field-formula-by-slug/{fieldSlug}/force', FORMULA_DETAILS),
  updateById: defineV1('POST /update-field-formula-by-id/{fieldId}', FORMULA_DETAILS),
  forceById: defineV1('POST /update-field-formula-by-id/{fieldId}/force', FORMULA_DETAILS),
};

/** The spec defines only the response of `getStatus` (Imports and exports). */
export const importEndpoints = {
  list: defineV11('GET /imports', { response: listSchema }),
  get: defineV11('GET /imports/{importId}', { response: itemSchema }),
  trigger: defineV11('POST /imports/{importId}/trigger', { permission: permissions.imports }),
  listQueue: defineV11('GET /imports/queues', { response: listSchema }),
  getQueueEntry: defineV11('GET /imports/queues/{queueId}', { response: itemSchema }),
  getStatus: defineV11('GET /imports/status/{queueId}', { response: listSchema }),
};

const LOG_DETAILS = { response: logPageSchema, permission: permissions.logs };

/** Every response is `{type, page, total_pages, total_items, items}` (spec: Logs). */
export const logEndpoints = {
  failedLogins: defineV1('GET /logs/failed-logins', LOG_DETAILS),
  logins: defineV1('GET /logs/logins', LOG_DETAILS),
  pageViews: defineV1('GET /logs/page-views', LOG_DETAILS),
  emails: defineV1('GET /logs/emails', LOG_DETAILS),
  sessions: defineV1('GET /logs/sessions', LOG_DETAILS),
  blockedUsers: defineV1('GET /logs/blocked-users', LOG_DETAILS),
  blockedIps: defineV1('GET /logs/blocked-ips', LOG_DETAILS),
  builderActivities: defineV1('GET /logs/builder-activities', LOG_DETAILS),
};

const PAGE_DETAILS = { permission: permissions.pages };
const CHILD_PAGES_DETAILS = { response: createUndocumentedListSchema('pages', 'items'), ...PAGE_DETAILS };

export const pageEndpoints = {
  listLayouts: defineV11('GET /layouts', { response: listSchema, ...PAGE_DETAILS }),
  list: defineV11('GET /pages', { response: createListSchema('pages', 'items'), ...PAGE_DETAILS }),
  get: defineV11('GET /pages/{pageId}', { response: createItemSchema('page'), ...PAGE_DETAILS }),
  listChildren: defineV11('GET /pages/{pageId}/childs', CHILD_PAGES_DETAILS),
  listSelectedChildren: defineV11('GET /pages/{pageId}/childs/{childIds}', CHILD_PAGES_DETAILS),
  listComponents: defineV11('GET /pages/{pageId}/components', {
    response: createListSchema('components'),
    ...PAGE_DETAILS,
  }),
};

const COMPONENT_RECORDS = { effect: 'read', response: componentRecordsSchema, ...PAGE_DETAILS } as const;
const SAVE_ROUTE = 'POST /pages/{pageId}/components/{componentId}/save';
const SAVE_DETAILS = { mustSaySuccess: true, ...PAGE_DETAILS } as const;

export const componentEndpoints = {
  listRecords: defineV11('GET /pages/{pageId}/components/{componentId}/records', COMPONENT_RECORDS),
  listFilteredRecords: defineV11('POST /pages/{pageId}/components/{componentId}/records', COMPONENT_RECORDS),
  getDetails: defineV11('GET /pages/{pageId}/components/{componentId}/details', {
    response: itemSchema,
    ...PAGE_DETAILS,
  }),
  createRecord: defineV11(SAVE_ROUTE, { ...SAVE_DETAILS, response: createdRecordSchema }),
  /** A body with the `id` of a record updates this record. */
  updateRecord: defineV11(SAVE_ROUTE, { ...SAVE_DETAILS, response: objectSchema }),
};

/** The spec does not define the responses. `create` may return the file itself. See silences.md: `pdfResponse`. */
export const pdfPageEndpoints = {
  list: defineV11('GET /pdf-pages', { response: listSchema, permission: permissions.pdfPages }),
  get: defineV11('GET /pdf-pages/{pdfPageId}', { response: itemSchema, permission: permissions.pdfPages }),
  create: defineV11('POST /pdf-pages/{pdfPageId}/create/{recordId}', { permission: permissions.pdfPages }),
};

export const pdfFormEndpoints = {
  list: defineV11('GET /pdf-forms', { response: listSchema, permission: permissions.pdfForms }),
  get: defineV11('GET /pdf-forms/{pdfFormId}', { response: itemSchema, permission: permissions.pdfForms }),
  create: defineV11('POST /pdf-forms/{pdfFormId}/create', { permission: permissions.pdfForms }),
};

const { readRecords, createRecords, updateRecords, deleteRecords } = permissions;

/** A POST to `/records` lists records if the body has a filter, and creates a record otherwise (spec: Records). */
export const recordEndpoints = {
  list: defineV1('GET /data-tables/{dataTableId}/records', {
    response: recordListSchema,
    permission: readRecords,
  }),
  listFiltered: defineV1('POST /data-tables/{dataTableId}/records', {
    effect: 'read',
    response: recordListByPostSchema,
    permission: readRecords,
  }),
  search: defineV1('POST /data-tables/{dataTableId}/records?_zmode=search', {
    effect: 'read',
    response: recordListByPostSchema,
    permission: readRecords,
  }),
  create: defineV1('POST /data-tables/{dataTableId}/records', {
    response: createdRecordSchema,
    mustSaySuccess: true,
    permission: createRecords,
  }),
  get: defineV1('GET /data-tables/{dataTableId}/records/{recordId}', {
    response: recordSchema,
    isAboutRecord: true,
    permission: readRecords,
  }),
  /** The response has `type` and `msg`, and perhaps `recordId` (evidence 1). */
  update: defineV1('POST /data-tables/{dataTableId}/records/{recordId}', {
    response: objectSchema,
    mustSaySuccess: true,
    isAboutRecord: true,
    permission: updateRecords,
  }),
  delete: defineV1('DELETE /data-tables/{dataTableId}/records/{recordId}', {
    alreadyDoneStatus: 404,
    response: objectSchema,
    mustSaySuccess: true,
    isAboutRecord: true,
    permission: deleteRecords,
  }),
  batchUpdateCheck: defineV1('GET /data-tables/{dataTableId}/records/batch-update-check', {
    response: batchUpdateCheckSchema,
    permission: readRecords,
  }),
  batchUpdate: defineV1('POST /data-tables/{dataTableId}/records/batch-update', {
    response: objectSchema,
    mustSaySuccess: true,
    permission: updateRecords,
  }),
};

export const tableEndpoints = {
  list: defineV1('GET /data-tables', { response: tableListSchema }),
  listFields: defineV1('GET /data-tables/{dataTableId}/fields', { response: createListSchema('fields') }),
  listFullFields: defineV1('GET /data-tables/{dataTableId}/full-fields-info', {
    response: fullFieldListSchema,
  }),
  listRoles: defineV1('GET /roles', { response: createListSchema('items') }),
};

/** The spec does not define the responses of `getHistory` and `terminate…`. See silences.md: `changeResponses`. */
export const taskEndpoints = {
  list: defineV1('GET /tasks', { response: createListSchema('tasks') }),
  run: defineV1('POST /tasks/run/{taskId}', { response: objectSchema, permission: permissions.tasks }),
  getActive: defineV1('GET /tasks/status', { response: createListSchema('tasks') }),
  /** The spec says "Same shape, one execution". Without a schema, a list is accepted, and an execution alone. */
  getExecution: defineV1('GET /tasks/status/queue/{taskQueueId}'),
  getExecutions: defineV1('GET /tasks/status/task/{taskId}', { response: createListSchema('tasks') }),
  getHistory: defineV1('GET /tasks/history', { response: createUndocumentedListSchema('tasks') }),
  terminateExecution: defineV1('POST /tasks/terminate/queue/{taskQueueId}', {
    effect: 'idempotent',
    alreadyDoneStatus: 404,
    permission: permissions.tasks,
  }),
  terminateAll: defineV1('POST /tasks/terminate/task/{taskId}', {
    effect: 'idempotent',
    permission: permissions.tasks,
  }),
};

export const webhookEndpoints = {
  subscribe: defineV1('POST /web-hooks/subscribe', { response: newSubscriptionSchema, subject: 'table' }),
  list: defineV1('GET /web-hooks/list', { response: subscriptionListSchema, subject: 'table' }),
  unsubscribe: defineV1('DELETE /web-hooks/unsubscribe', {
    alreadyDoneStatus: 404,
    subject: 'webhook subscription',
  }),
};
