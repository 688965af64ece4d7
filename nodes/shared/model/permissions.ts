import type { Endpoint } from './endpoint';

/** A permission of an API key: its name in the service, and its name in the answer of `GET /status`. */
export interface Permission {
  name: string;
  flag: string;
  controls: string;
}

type Rule = [method: RegExp, path: RegExp, permission: Permission];

const permission = (name: string, flag: string, controls: string): Permission => ({ name, flag, controls });

const READ = permission('allow_get', 'read', 'read records');
const LOG = permission('allow_log', 'logs', 'read logs');

/** Spec: API key permissions, and the names that the API status record has for them. */
const RULES: Rule[] = [
  [/POST/, /\/(tasks|automations)\/(run|terminate)\//, permission('allow_task', 'tasks', 'run tasks')],
  [/POST/, /\/imports\//, permission('allow_import', 'imports', 'trigger imports')],
  [/POST/, /\/exports\//, permission('allow_export', 'exports', 'trigger exports')],
  [/./, /\/pdf-forms/, permission('pdf_forms', 'pdf_forms', 'make PDFs from forms')],
  [/./, /\/pdf-pages/, permission('pdf_pages', 'pdf_pages', 'make PDFs from pages')],
  [/./, /\/(layouts|pages)/, permission('allow_page', 'pages', 'pages and components')],
  [/./, /\/logs\//, LOG],
  [/DELETE/, /\/records\//, permission('allow_delete', 'delete', 'delete records')],
  [/GET/, /\/records/, READ],
  [/POST/, /\/records\?/, READ],
  [/POST/, /\/batch-update$/, permission('allow_edit', 'update', 'create and update records')],
  [/POST/, /\/records\/\{recordId\}$/, permission('allow_edit', 'update', 'create and update records')],
];

const EDIT = permission('allow_edit', 'create', 'create and update records');

/** The permission that a call needs; undefined for those that any key may make. */
export function permissionFor({ method, path, effect }: Endpoint): Permission | undefined {
  // The collection's POST lists or creates; its effect tells which.
  if (method === 'POST' && path.endsWith('/records') && path.includes('/data-tables/'))
    return effect === 'read' ? READ : EDIT;
  return RULES.find(([methods, paths]) => methods.test(method) && paths.test(path))?.[2];
}

/** Whether a call needs a permission besides, which the status record cannot tell (spec: API key permissions). */
export const isLog = (endpoint: Endpoint): boolean => permissionFor(endpoint) === LOG;
