import { v1, v11, type Endpoint } from '../model/endpoint';
import { fullFieldsInfo } from '../transport/schema';

/** A searchable list: where its entries come from, and what in them is the id and the name. */
export interface Source {
  endpoints: Endpoint[];
  /** Key of the list in the answer, where the spec shows it. */
  items?: string;
  id: string;
  /** Keys of the name, first that is there; the id otherwise. */
  names: string[];
  /** Keys that tell entries of the same name apart. */
  details?: string[];
  /** Locator that must be picked before. */
  within?: string;
  /** The list comes in pages. */
  isPaged?: boolean;
  /** Lists what is below an entry, of those that say that there is something. */
  below?: Endpoint;
  /** Key of a time: the newest entry comes first. By name otherwise. */
  newest?: string;
}

const name = ['name', 'title'];
const childPages = v11('GET /pages/{pageId}/childs');

/** In pages of 100 (spec: Imports and exports). */
export const listImports = v11('GET /imports');

const executions = (noun: 'task' | 'automation') => ({
  endpoints: [v1(`GET /${noun}s/status`), v1(`GET /${noun}s/history`)],
  items: `${noun}s`,
  id: `${noun}_queue_id`,
  names: ['start_at'],
  details: [`${noun}_name`, 'status'],
  newest: 'start_at',
});

const fields = {
  endpoints: [fullFieldsInfo],
  items: 'fields',
  names: name,
  details: ['type'],
  within: 'dataTableId',
};

/** One line of data a list. */
export const SOURCES = {
  AutomationExecutions: executions('automation'),
  Automations: {
    // No endpoint lists automations: those that ran are known from their executions.
    endpoints: [v1('GET /automations/history'), v1('GET /automations/status')],
    id: 'automation_id',
    names: ['automation_name', 'name'],
  },
  ChildPages: {
    endpoints: [childPages],
    id: 'id',
    names: name,
    within: 'pageId',
  },
  Components: {
    endpoints: [v11('GET /pages/{pageId}/components')],
    items: 'components',
    id: 'id',
    names: name,
    details: ['type'],
    within: 'pageId',
  },
  ExportQueue: {
    endpoints: [v11('GET /exports/queues')],
    items: 'items',
    id: 'id',
    names: ['exportTemplate.name', 'dataTable.name'],
    details: ['start_date', 'status'],
    newest: 'start_date',
  },
  ExportTemplates: { endpoints: [v11('GET /exports/templates')], items: 'items', id: 'id', names: name },
  FieldIds: { ...fields, id: 'fieldId' },
  FieldSlugs: { ...fields, id: 'slug' },
  ImportQueue: {
    endpoints: [v11('GET /imports/queues')],
    items: 'items',
    id: 'id',
    names: ['created_at'],
    details: ['status'],
    newest: 'created_at',
  },
  Imports: { endpoints: [listImports], items: 'items', id: 'id', names: name, isPaged: true },
  Layouts: { endpoints: [v11('GET /layouts')], items: 'items', id: 'id', names: name },
  Pages: { endpoints: [v11('GET /pages')], id: 'id', names: name, below: childPages },
  PdfForms: { endpoints: [v11('GET /pdf-forms')], items: 'items', id: 'id', names: name },
  PdfPages: { endpoints: [v11('GET /pdf-pages')], items: 'items', id: 'id', names: name },
  Roles: { endpoints: [v1('GET /roles')], items: 'items', id: 'id', names: name },
  TaskExecutions: executions('task'),
  Tasks: {
    endpoints: [v1('GET /tasks')],
    items: 'tasks',
    id: 'task_id',
    names: name,
    details: ['occurrence'],
  },
} satisfies Record<string, Source>;

export type ListName = keyof typeof SOURCES;
