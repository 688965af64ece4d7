/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not shipped: runs on Node */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isEqual, isUndefined, mapValues, omitBy } from 'lodash';
import { type Endpoint, formatEndpoint } from '../../../../nodes/service';
import { type Effect, type Permission } from '../../../../nodes/service/endpoints/endpoint';
import {
  batchUpdateCheckSchema,
  componentRecordsSchema,
  createdRecordSchema,
  fullFieldListSchema,
  apiKeyStatusSchema,
  logoutSchema,
  loginSchema,
  magicLinkSchema,
  objectSchema,
  recordListByPostSchema,
  logPageSchema,
  recordListSchema,
  recordSchema,
  sessionStatusSchema,
  newSubscriptionSchema,
  subscriptionListSchema,
  tableListSchema,
} from '../../../../nodes/service/responses/schemas';

const CATALOGUE = join(process.cwd(), 'nodes', 'service', 'endpoints');

const SCHEMAS = new Map<unknown, string>([
  [batchUpdateCheckSchema, 'count'],
  [componentRecordsSchema, 'component records'],
  [createdRecordSchema, 'created record'],
  [fullFieldListSchema, 'full fields'],
  [apiKeyStatusSchema, 'key status'],
  [logoutSchema, 'logged out'],
  [logPageSchema, 'log page'],
  [loginSchema, 'login'],
  [magicLinkSchema, 'magic link'],
  [objectSchema, 'object'],
  [recordListByPostSchema, 'posted list'],
  [recordListSchema, 'record list'],
  [recordSchema, 'record'],
  [sessionStatusSchema, 'session'],
  [newSubscriptionSchema, 'subscription'],
  [subscriptionListSchema, 'subscriptions'],
  [tableListSchema, 'tables'],
]);

/** Keys of lists and of single objects. */
const LIST_KEYS = ['items', 'pages', 'records', 'tasks', 'automations', 'fields', 'components'];
const OBJECT_KEYS = ['item', 'page'];

/**
 * Names what the declaration requires of the answer: a schema, or the keys of its list or object. A question mark means
 * that an answer without them is accepted too, because the specification does not define it. '' accepts any answer.
 */
function nameAnswer({ response }: Endpoint): string {
  const schema = SCHEMAS.get(response);
  if (!response || schema) return schema ?? '';
  const entry = { name: 'wanted' };
  const parse = (body: object) =>
    omitBy(response.safeParse({ type: 'success', ...body }).data as object | undefined, isUndefined);
  // With a second list or object beside it, the answer is found by its key only. The only entry of a list could be
  // the answer itself.
  const list = [entry, entry];
  const lists = LIST_KEYS.filter((key) => isEqual(parse({ [key]: list, other: [1] }), { items: list }));
  const objects = OBJECT_KEYS.filter((key) => isEqual(parse({ [key]: entry, other: { name: 'x' } }), entry));
  return [...lists, ...objects].join(' or ') + (response.safeParse({ msg: 'Done' }).success ? '?' : '');
}

/** Request, effect, flag of the permission, answer, and what a 404 is about if the path does not name it. */
type Row = [request: string, effect: Effect, permission: string, answer: string, subject?: string];

const describeEndpoint = (endpoint: Endpoint): Row => {
  const { effect, permission, subject } = endpoint;
  const row = [formatEndpoint(endpoint), effect, permission?.flag ?? '', nameAnswer(endpoint)] as const;
  return subject === undefined ? [...row] : [...row, subject];
};

const isEndpoint = (value: Endpoint | Permission): value is Endpoint => 'method' in value;

/** Every endpoint and permission that the catalogue exports. */
function loadCatalogue() {
  const files = readdirSync(CATALOGUE).filter((file) => file !== 'endpoint.ts');
  const groups = files.map(
    // eslint-disable-next-line @typescript-eslint/no-require-imports
    (file) => require(join(CATALOGUE, file)) as Record<string, Record<string, Endpoint | Permission>>,
  );
  return mapValues(Object.assign({}, ...groups) as (typeof groups)[number], (group) =>
    mapValues(group, (entry) => (isEndpoint(entry) ? describeEndpoint(entry) : entry)),
  );
}

/** Spec: API key permissions; API status record. The PDF permissions are named in the status record only. */
const PERMISSIONS: Record<string, Permission> = {
  readRecords: { name: 'allow_get', flag: 'read', controls: 'read records' },
  createRecords: { name: 'allow_edit', flag: 'create', controls: 'create and update records' },
  updateRecords: { name: 'allow_edit', flag: 'update', controls: 'create and update records' },
  deleteRecords: { name: 'allow_delete', flag: 'delete', controls: 'delete records' },
  tasks: { name: 'allow_task', flag: 'tasks', controls: 'run tasks' },
  exports: { name: 'allow_export', flag: 'exports', controls: 'trigger exports' },
  imports: { name: 'allow_import', flag: 'imports', controls: 'trigger imports' },
  logs: { name: 'allow_log', flag: 'logs', controls: 'read logs', alsoNeeded: 'allow_api_access' },
  pages: { name: 'allow_page', flag: 'pages', controls: 'pages and components' },
  pdfForms: { name: 'pdf_forms', flag: 'pdf_forms', controls: 'create PDFs from forms' },
  pdfPages: { name: 'pdf_pages', flag: 'pdf_pages', controls: 'create PDFs from pages' },
};

const V1 = '/api/v1';
const RECORDS = `${V1}/data-tables/{dataTableId}/records`;
const AUTOMATIONS = `${V1}/automations`;
const FORMULA_BY_SLUG = `${V1}/update-field-formula-by-slug/{fieldSlug}`;
const FORMULA_BY_ID = `${V1}/update-field-formula-by-id/{fieldId}`;
const V11 = '/api/v1.1/{appId}';
const PAGE = `${V11}/pages/{pageId}`;
const COMPONENT = `${PAGE}/components/{componentId}`;

/** Spec: Endpoints, in its order. A call is repeated only if its effect allows it. */
const ENDPOINTS: Record<string, Record<string, Row>> = {
  apiKeyEndpoints: { getStatus: [`GET ${V1}/status`, 'read', '', 'key status'] },
  recordEndpoints: {
    list: [`GET ${RECORDS}`, 'read', 'read', 'record list'],
    listFiltered: [`POST ${RECORDS}`, 'read', 'read', 'posted list'],
    search: [`POST ${RECORDS}?_zmode=search`, 'read', 'read', 'posted list'],
    create: [`POST ${RECORDS}`, 'nonIdempotent', 'create', 'created record'],
    get: [`GET ${RECORDS}/{recordId}`, 'read', 'read', 'record'],
    update: [`POST ${RECORDS}/{recordId}`, 'nonIdempotent', 'update', 'object'],
    delete: [`DELETE ${RECORDS}/{recordId}`, 'idempotent', 'delete', 'object'],
    batchUpdateCheck: [`GET ${RECORDS}/batch-update-check`, 'read', 'read', 'count'],
    batchUpdate: [`POST ${RECORDS}/batch-update`, 'nonIdempotent', 'update', 'object'],
  },
  tableEndpoints: {
    list: [`GET ${V1}/data-tables`, 'read', '', 'tables'],
    listFields: [`GET ${V1}/data-tables/{dataTableId}/fields`, 'read', '', 'fields'],
    listFullFields: [`GET ${V1}/data-tables/{dataTableId}/full-fields-info`, 'read', '', 'full fields'],
    listRoles: [`GET ${V1}/roles`, 'read', '', 'items'],
  },
  taskEndpoints: {
    list: [`GET ${V1}/tasks`, 'read', '', 'tasks'],
    run: [`POST ${V1}/tasks/run/{taskId}`, 'nonIdempotent', 'tasks', 'object'],
    getActive: [`GET ${V1}/tasks/status`, 'read', '', 'tasks'],
    getExecution: [`GET ${V1}/tasks/status/queue/{taskQueueId}`, 'read', '', ''],
    getExecutions: [`GET ${V1}/tasks/status/task/{taskId}`, 'read', '', 'tasks'],
    getHistory: [`GET ${V1}/tasks/history`, 'read', '', 'tasks?'],
    terminateExecution: [`POST ${V1}/tasks/terminate/queue/{taskQueueId}`, 'idempotent', 'tasks', ''],
    terminateAll: [`POST ${V1}/tasks/terminate/task/{taskId}`, 'idempotent', 'tasks', ''],
  },
  automationEndpoints: {
    run: [`POST ${AUTOMATIONS}/run/{automationId}`, 'nonIdempotent', 'tasks', ''],
    getActive: [`GET ${AUTOMATIONS}/status`, 'read', '', 'automations?'],
    getExecution: [`GET ${AUTOMATIONS}/status/queue/{automationQueueId}`, 'read', '', ''],
    getExecutions: [`GET ${AUTOMATIONS}/status/automation/{automationId}`, 'read', '', 'automations?'],
    getHistory: [`GET ${AUTOMATIONS}/history`, 'read', '', 'automations?'],
    terminateExecution: [
      `POST ${AUTOMATIONS}/terminate/queue/{automationQueueId}`,
      'idempotent',
      'tasks',
      '',
    ],
    terminateAll: [`POST ${AUTOMATIONS}/terminate/automation/{automationId}`, 'idempotent', 'tasks', ''],
  },
  webhookEndpoints: {
    subscribe: [`POST ${V1}/web-hooks/subscribe`, 'nonIdempotent', '', 'subscription', 'table'],
    list: [`GET ${V1}/web-hooks/list`, 'read', '', 'subscriptions', 'table'],
    unsubscribe: [`DELETE ${V1}/web-hooks/unsubscribe`, 'idempotent', '', '', 'webhook subscription'],
  },
  formulaEndpoints: {
    updateAll: [`POST ${V1}/update-all-formula`, 'longRunning', '', ''],
    updateTable: [`POST ${V1}/update-all-formula/{dataTableId}`, 'longRunning', '', ''],
    updateBySlug: [`POST ${FORMULA_BY_SLUG}`, 'longRunning', '', ''],
    forceBySlug: [`POST ${FORMULA_BY_SLUG}/force`, 'longRunning', '', ''],
    updateById: [`POST ${FORMULA_BY_ID}`, 'longRunning', '', ''],
    forceById: [`POST ${FORMULA_BY_ID}/force`, 'longRunning', '', ''],
  },
  authEndpoints: {
    login: [`POST ${V11}/auth/login`, 'nonIdempotent', '', 'login', 'user'],
    logout: [`POST ${V11}/auth/logout`, 'idempotent', '', 'logged out', 'session'],
    getStatus: [`POST ${V11}/auth/status`, 'read', '', 'session', 'session'],
    autoLogin: [`POST ${V11}/auth/auto-login`, 'nonIdempotent', '', 'object', 'user'],
    createMagicLink: [`POST ${V11}/auth/magic-link`, 'nonIdempotent', '', 'magic link', 'user'],
  },
  importEndpoints: {
    list: [`GET ${V11}/imports`, 'read', '', 'items?'],
    get: [`GET ${V11}/imports/{importId}`, 'read', '', 'item?'],
    trigger: [`POST ${V11}/imports/{importId}/trigger`, 'nonIdempotent', 'imports', ''],
    listQueue: [`GET ${V11}/imports/queues`, 'read', '', 'items?'],
    getQueueEntry: [`GET ${V11}/imports/queues/{queueId}`, 'read', '', 'item?'],
    getStatus: [`GET ${V11}/imports/status/{queueId}`, 'read', '', 'items?'],
  },
  exportEndpoints: {
    list: [`GET ${V11}/exports`, 'read', '', 'items?'],
    listTemplates: [`GET ${V11}/exports/templates`, 'read', '', 'items?'],
    getTemplate: [`GET ${V11}/exports/templates/{templateId}`, 'read', '', 'item?'],
    trigger: [`POST ${V11}/exports/templates/{templateId}/trigger`, 'nonIdempotent', 'exports', ''],
    listQueue: [`GET ${V11}/exports/queues`, 'read', '', 'items'],
    getQueueEntry: [`GET ${V11}/exports/queues/{queueId}`, 'read', '', 'item?'],
  },
  pdfPageEndpoints: {
    list: [`GET ${V11}/pdf-pages`, 'read', 'pdf_pages', 'items?'],
    get: [`GET ${V11}/pdf-pages/{pdfPageId}`, 'read', 'pdf_pages', 'item?'],
    create: [`POST ${V11}/pdf-pages/{pdfPageId}/create/{recordId}`, 'nonIdempotent', 'pdf_pages', ''],
  },
  pdfFormEndpoints: {
    list: [`GET ${V11}/pdf-forms`, 'read', 'pdf_forms', 'items?'],
    get: [`GET ${V11}/pdf-forms/{pdfFormId}`, 'read', 'pdf_forms', 'item?'],
    create: [`POST ${V11}/pdf-forms/{pdfFormId}/create`, 'nonIdempotent', 'pdf_forms', ''],
  },
  pageEndpoints: {
    listLayouts: [`GET ${V11}/layouts`, 'read', 'pages', 'items?'],
    list: [`GET ${V11}/pages`, 'read', 'pages', 'items or pages'],
    get: [`GET ${PAGE}`, 'read', 'pages', 'page?'],
    listChildren: [`GET ${PAGE}/childs`, 'read', 'pages', 'items or pages?'],
    listSelectedChildren: [`GET ${PAGE}/childs/{childIds}`, 'read', 'pages', 'items or pages?'],
    listComponents: [`GET ${PAGE}/components`, 'read', 'pages', 'components'],
  },
  componentEndpoints: {
    listRecords: [`GET ${COMPONENT}/records`, 'read', 'pages', 'component records'],
    listFilteredRecords: [`POST ${COMPONENT}/records`, 'read', 'pages', 'component records'],
    getDetails: [`GET ${COMPONENT}/details`, 'read', 'pages', 'item?'],
    createRecord: [`POST ${COMPONENT}/save`, 'nonIdempotent', 'pages', 'created record'],
    updateRecord: [`POST ${COMPONENT}/save`, 'nonIdempotent', 'pages', 'object'],
  },
  logEndpoints: {
    failedLogins: [`GET ${V1}/logs/failed-logins`, 'read', 'logs', 'log page'],
    logins: [`GET ${V1}/logs/logins`, 'read', 'logs', 'log page'],
    pageViews: [`GET ${V1}/logs/page-views`, 'read', 'logs', 'log page'],
    emails: [`GET ${V1}/logs/emails`, 'read', 'logs', 'log page'],
    sessions: [`GET ${V1}/logs/sessions`, 'read', 'logs', 'log page'],
    blockedUsers: [`GET ${V1}/logs/blocked-users`, 'read', 'logs', 'log page'],
    blockedIps: [`GET ${V1}/logs/blocked-ips`, 'read', 'logs', 'log page'],
    builderActivities: [`GET ${V1}/logs/builder-activities`, 'read', 'logs', 'log page'],
  },
};

test('each endpoint is declared as the specification describes it (a new one: add its row to ENDPOINTS here)', () => {
  expect(loadCatalogue()).toEqual({ permissions: PERMISSIONS, ...ENDPOINTS });
});
