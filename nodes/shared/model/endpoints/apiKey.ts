import { keyStatusSchema } from '../responses/keyStatus';
import { defineV1, type Permission } from './endpoint';

const createPermission = (name: string, flag: string, controls: string): Permission => ({
  name,
  flag,
  controls,
});

/** Spec: API key permissions, with their names in the API status record. */
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

/** Spec: Status. */
export const apiKeyEndpoints = {
  getStatus: defineV1('GET /status', { response: keyStatusSchema }),
};
