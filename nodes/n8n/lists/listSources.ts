import type { IDataObject } from 'n8n-workflow';
import {
  automationEndpoints,
  exportEndpoints,
  importEndpoints,
  pageEndpoints,
  pdfFormEndpoints,
  pdfPageEndpoints,
  tableEndpoints,
  taskEndpoints,
} from '../../client/endpoints/catalogue';
import type { Endpoint } from '../../client/endpoints/endpoint';
import { isComputedType } from '../../client/fields/kinds';
import type { ListResponse } from '../../client/responses/schemas';

/** A searchable list: the endpoints that return its entries, and the keys that hold the ID and the name. */
export interface ListSource {
  endpoints: Array<Endpoint<ListResponse>>;
  id: string;
  /** Keys that may hold the name. The first one with a value is used; without a value, the ID is shown. */
  names: string[];
  /** Keys whose values are shown after the name, to distinguish entries with the same name. */
  details?: string[];
  /** Name of the parent's parameter. The list is empty until a parent is picked. */
  within?: string;
  /** Whether the service returns the list in pages. */
  isPaged?: boolean;
  /** Whether an entry belongs in the list. */
  only?: (entry: IDataObject) => boolean;
  /** Key of a timestamp by which entries are sorted, newest first. Without it they are sorted by name. */
  newest?: string;
}

const NAME_KEYS = ['name', 'title'];

const createExecutionSource = (
  noun: 'task' | 'automation',
  { getActive, getHistory }: Record<'getActive' | 'getHistory', Endpoint<ListResponse>>,
) => ({
  endpoints: [getActive, getHistory],
  id: `${noun}_queue_id`,
  names: ['start_at'],
  details: [`${noun}_name`, 'status'],
  newest: 'start_at',
});

const fieldSource = {
  endpoints: [tableEndpoints.listFullFields],
  names: NAME_KEYS,
  details: ['type'],
  within: 'dataTableId',
  // Recalculate accepts computed fields only.
  only: ({ type }: IDataObject) => isComputedType(String(type)),
};

/** All lists that dropdowns and locators offer. */
export const LIST_SOURCES = {
  AutomationExecutions: createExecutionSource('automation', automationEndpoints),
  Automations: {
    // No endpoint lists automations, so the list is built from their executions.
    endpoints: [automationEndpoints.getHistory, automationEndpoints.getActive],
    id: 'automation_id',
    names: ['automation_name', 'name'],
  },
  ChildPages: {
    endpoints: [pageEndpoints.listChildren],
    id: 'id',
    names: NAME_KEYS,
    within: 'pageId',
  },
  Components: {
    endpoints: [pageEndpoints.listComponents],
    id: 'id',
    names: NAME_KEYS,
    details: ['type'],
    within: 'pageId',
  },
  ExportQueue: {
    endpoints: [exportEndpoints.listQueue],
    id: 'id',
    names: ['exportTemplate.name', 'dataTable.name'],
    details: ['start_date', 'status'],
    newest: 'start_date',
  },
  ExportTemplates: {
    endpoints: [exportEndpoints.listTemplates],
    id: 'id',
    names: NAME_KEYS,
  },
  FieldIds: { ...fieldSource, id: 'fieldId' },
  FieldSlugs: { ...fieldSource, id: 'slug' },
  ImportQueue: {
    endpoints: [importEndpoints.listQueue],
    id: 'id',
    names: ['created_at'],
    details: ['status'],
    newest: 'created_at',
  },
  Imports: { endpoints: [importEndpoints.list], id: 'id', names: NAME_KEYS, isPaged: true },
  Layouts: { endpoints: [pageEndpoints.listLayouts], id: 'id', names: NAME_KEYS },
  Pages: { endpoints: [pageEndpoints.list], id: 'id', names: NAME_KEYS },
  PdfForms: { endpoints: [pdfFormEndpoints.list], id: 'id', names: NAME_KEYS },
  PdfPages: { endpoints: [pdfPageEndpoints.list], id: 'id', names: NAME_KEYS },
  Roles: { endpoints: [tableEndpoints.listRoles], id: 'id', names: NAME_KEYS },
  TaskExecutions: createExecutionSource('task', taskEndpoints),
  Tasks: {
    endpoints: [taskEndpoints.list],
    id: 'task_id',
    names: NAME_KEYS,
    details: ['occurrence'],
  },
} satisfies Record<string, ListSource>;

export type ListName = keyof typeof LIST_SOURCES;
