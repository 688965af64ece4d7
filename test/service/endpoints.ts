/**
 * The rows of the spec's endpoint tables, in its order. Plain `POST .../records` is one row and
 * two endpoints: it lists or creates, depending on its body. The route tables are typed by this
 * list, so a row without an implementation does not compile.
 */
const ROWS = [
  'GET /api/v1/status',

  'GET /api/v1/data-tables/{dataTableId}/records',
  'POST /api/v1/data-tables/{dataTableId}/records',
  'POST /api/v1/data-tables/{dataTableId}/records?_zmode=search',
  'GET /api/v1/data-tables/{dataTableId}/records/{recordId}',
  'POST /api/v1/data-tables/{dataTableId}/records/{recordId}',
  'DELETE /api/v1/data-tables/{dataTableId}/records/{recordId}',
  'GET /api/v1/data-tables/{dataTableId}/records/batch-update-check',
  'POST /api/v1/data-tables/{dataTableId}/records/batch-update',

  'GET /api/v1/data-tables',
  'GET /api/v1/data-tables/{dataTableId}/fields',
  'GET /api/v1/data-tables/{dataTableId}/full-fields-info',
  'GET /api/v1/roles',

  'GET /api/v1/tasks',
  'POST /api/v1/tasks/run/{taskId}',
  'GET /api/v1/tasks/status',
  'GET /api/v1/tasks/status/queue/{taskQueueId}',
  'GET /api/v1/tasks/status/task/{taskId}',
  'GET /api/v1/tasks/history',
  'POST /api/v1/tasks/terminate/queue/{taskQueueId}',
  'POST /api/v1/tasks/terminate/task/{taskId}',

  'POST /api/v1/automations/run/{automationId}',
  'GET /api/v1/automations/status',
  'GET /api/v1/automations/status/queue/{automationQueueId}',
  'GET /api/v1/automations/status/automation/{automationId}',
  'GET /api/v1/automations/history',
  'POST /api/v1/automations/terminate/queue/{automationQueueId}',
  'POST /api/v1/automations/terminate/automation/{automationId}',

  'POST /api/v1/web-hooks/subscribe',
  'GET /api/v1/web-hooks/list',
  'DELETE /api/v1/web-hooks/unsubscribe',

  'POST /api/v1/update-all-formula',
  'POST /api/v1/update-all-formula/{dataTableId}',
  'POST /api/v1/update-field-formula-by-slug/{fieldSlug}',
  'POST /api/v1/update-field-formula-by-slug/{fieldSlug}/force',
  'POST /api/v1/update-field-formula-by-id/{fieldId}',
  'POST /api/v1/update-field-formula-by-id/{fieldId}/force',

  'POST /api/v1.1/{appId}/auth/login',
  'POST /api/v1.1/{appId}/auth/logout',
  'POST /api/v1.1/{appId}/auth/status',
  'POST /api/v1.1/{appId}/auth/auto-login',
  'POST /api/v1.1/{appId}/auth/magic-link',

  'GET /api/v1.1/{appId}/imports',
  'GET /api/v1.1/{appId}/imports/{importId}',
  'POST /api/v1.1/{appId}/imports/{importId}/trigger',
  'GET /api/v1.1/{appId}/imports/queues',
  'GET /api/v1.1/{appId}/imports/queues/{queueId}',
  'GET /api/v1.1/{appId}/imports/status/{queueId}',
  'GET /api/v1.1/{appId}/exports',
  'GET /api/v1.1/{appId}/exports/templates',
  'GET /api/v1.1/{appId}/exports/templates/{templateId}',
  'POST /api/v1.1/{appId}/exports/templates/{templateId}/trigger',
  'GET /api/v1.1/{appId}/exports/queues',
  'GET /api/v1.1/{appId}/exports/queues/{queueId}',

  'GET /api/v1.1/{appId}/pdf-pages',
  'GET /api/v1.1/{appId}/pdf-pages/{pdfPageId}',
  'POST /api/v1.1/{appId}/pdf-pages/{pdfPageId}/create/{recordId}',
  'GET /api/v1.1/{appId}/pdf-forms',
  'GET /api/v1.1/{appId}/pdf-forms/{pdfFormId}',
  'POST /api/v1.1/{appId}/pdf-forms/{pdfFormId}/create',

  'GET /api/v1.1/{appId}/layouts',
  'GET /api/v1.1/{appId}/pages',
  'GET /api/v1.1/{appId}/pages/{pageId}',
  'GET /api/v1.1/{appId}/pages/{pageId}/childs',
  'GET /api/v1.1/{appId}/pages/{pageId}/childs/{childIds}',
  'GET /api/v1.1/{appId}/pages/{pageId}/components',
  'GET /api/v1.1/{appId}/pages/{pageId}/components/{componentId}/records',
  'POST /api/v1.1/{appId}/pages/{pageId}/components/{componentId}/records',
  'GET /api/v1.1/{appId}/pages/{pageId}/components/{componentId}/details',
  'POST /api/v1.1/{appId}/pages/{pageId}/components/{componentId}/save',

  'GET /api/v1/logs/failed-logins',
  'GET /api/v1/logs/logins',
  'GET /api/v1/logs/page-views',
  'GET /api/v1/logs/emails',
  'GET /api/v1/logs/sessions',
  'GET /api/v1/logs/blocked-users',
  'GET /api/v1/logs/blocked-ips',
  'GET /api/v1/logs/builder-activities',
] as const;

export type Endpoint = (typeof ROWS)[number];

export const ENDPOINTS: readonly Endpoint[] = ROWS;
