/** The lists of dropdowns and pickers, such as tasks, pages and templates. */
import type {
  IDataObject,
  ILoadOptionsFunctions,
  INodeListSearchResult,
  INodePropertyMode,
  INodePropertyOptions,
} from 'n8n-workflow';
import { isCalculatedType } from '../../records';
import {
  automationEndpoints,
  type Client,
  type Endpoint,
  exportEndpoints,
  importEndpoints,
  isObject,
  type ListResponse,
  pageEndpoints,
  pdfFormEndpoints,
  pdfPageEndpoints,
  tableEndpoints,
  taskEndpoints,
} from '../../service';
import { readPagedList } from '../operation/returnAll';
import { createResourceLocator, getPickedId, lookUpList } from './lookUp';
import { getPickedPageId } from './tablePickers';

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

const createRunSource = (
  noun: 'task' | 'automation',
  { getActive, getHistory }: Record<'getActive' | 'getHistory', Endpoint<ListResponse>>,
) => ({
  endpoints: [getActive, getHistory],
  id: `${noun}_queue_id`,
  names: ['start_at'],
  details: [`${noun}_name`, 'status'],
  newest: 'start_at',
});

/** All lists that dropdowns and locators offer. */
export const LIST_SOURCES = {
  AutomationRuns: createRunSource('automation', automationEndpoints),
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
  ExportRuns: {
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
  FormulaFields: {
    endpoints: [tableEndpoints.listFullFields],
    id: 'fieldId',
    names: NAME_KEYS,
    details: ['type'],
    within: 'dataTableId',
    // Recalculate accepts calculated fields only.
    only: ({ type }: IDataObject) => isCalculatedType(String(type)),
  },
  ImportRuns: {
    endpoints: [importEndpoints.listQueue],
    id: 'id',
    names: ['created_at'],
    details: ['status'],
    newest: 'created_at',
  },
  Imports: { endpoints: [importEndpoints.list], id: 'id', names: NAME_KEYS, isPaged: true },
  Pages: { endpoints: [pageEndpoints.list], id: 'id', names: NAME_KEYS },
  PdfForms: { endpoints: [pdfFormEndpoints.list], id: 'id', names: NAME_KEYS },
  PdfPages: { endpoints: [pdfPageEndpoints.list], id: 'id', names: NAME_KEYS },
  TaskRuns: createRunSource('task', taskEndpoints),
  Tasks: {
    endpoints: [taskEndpoints.list],
    id: 'task_id',
    names: NAME_KEYS,
    details: ['occurrence'],
  },
} satisfies Record<string, ListSource>;

export type ListName = keyof typeof LIST_SOURCES;

type PathParameters = Record<string, string>;

const getByPath = (entry: IDataObject, path: string): unknown =>
  path.split('.').reduce<unknown>((value, key) => (value as IDataObject | undefined)?.[key], entry);

const getText = (entry: IDataObject, path: string): string => String(getByPath(entry, path) ?? '').trim();

const getEntryName = (entry: IDataObject, { id, names }: ListSource): string =>
  names.map((key) => getText(entry, key)).find(Boolean) ?? getText(entry, id);

function toListOption(entry: IDataObject, source: ListSource): INodePropertyOptions {
  const shown = getEntryName(entry, source);
  const more = (source.details ?? []).map((key) => getText(entry, key)).filter(Boolean);
  return {
    name: more.length > 0 ? `${shown} (${more.join(', ')})` : shown,
    value: getText(entry, source.id),
  };
}

/** The entries of all lists that could be read. Throws the first error if every list failed. */
async function readAvailable<T>(asked: Array<Promise<T[]>>): Promise<T[]> {
  const settled = await Promise.allSettled(asked);
  const read = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const [failure] = settled.flatMap((one) => (one.status === 'rejected' ? [one.reason as Error] : []));
  if (failure && read.length === 0) throw failure;
  return read.flat();
}

async function fetchEntries(
  client: Client,
  endpoint: Endpoint<ListResponse>,
  { isPaged }: ListSource,
  path: PathParameters,
): Promise<IDataObject[]> {
  const entries = isPaged
    ? await readPagedList(client, endpoint)
    : (await client.call(endpoint, { path })).body.items;
  return entries.filter(isObject) as IDataObject[];
}

const sortEntries = (entries: IDataObject[], { newest }: ListSource): IDataObject[] =>
  newest === undefined
    ? entries
    : [...entries].sort((a, b) => getText(b, newest).localeCompare(getText(a, newest)));

/** Reads a list as dropdown options without duplicate IDs, sorted newest first or by name. */
async function fetchListOptions(
  client: Client,
  source: ListSource,
  path: PathParameters,
): Promise<INodePropertyOptions[]> {
  const entries = await readAvailable(
    source.endpoints.map((endpoint) => fetchEntries(client, endpoint, source, path)),
  );
  const listed = source.only ? entries.filter(source.only) : entries;
  const options = sortEntries(listed, source).map((entry) => toListOption(entry, source));
  const unique = [
    ...new Map(options.filter(({ value }) => value !== '').map((one) => [one.value, one])).values(),
  ];
  return source.newest === undefined ? unique.sort((a, b) => a.name.localeCompare(b.name)) : unique;
}

async function loadListOptions(
  context: ILoadOptionsFunctions,
  list: ListName,
  isSearch: boolean,
): Promise<INodePropertyOptions[]> {
  const { within, ...source }: ListSource = LIST_SOURCES[list];
  const parent = within && getParentId(context, list, within);
  if (parent === '') return [];
  const path: Record<string, string> = within && parent ? { [within]: parent } : {};
  return lookUpList(context, `${list} ${parent ?? ''}`, isSearch, (client) =>
    fetchListOptions(client, source, path),
  );
}

/** The ID of the parent. Child pages belong to the picked page; components may belong to a picked child page. */
const getParentId = (context: ILoadOptionsFunctions, list: ListName, within: string): string =>
  within === 'pageId' && list !== 'ChildPages' ? getPickedPageId(context) : getPickedId(context, within);

const createSearchMethod = (list: ListName) =>
  async function (this: ILoadOptionsFunctions, filter?: string): Promise<INodeListSearchResult> {
    const wanted = (filter ?? '').toLowerCase();
    const options = await loadListOptions(this, list, filter !== undefined);
    return {
      results: options
        .filter(({ name: shown, value }) => shown.toLowerCase().includes(wanted) || value === filter)
        .map(({ name: shown, value }) => ({ name: shown, value: String(value) })),
    };
  };

/** The search methods of resource locators: `searchTasks`, `searchPages` and so on. */
export const listSearchMethods = Object.fromEntries(
  (Object.keys(LIST_SOURCES) as ListName[]).map((list) => [`search${list}`, createSearchMethod(list)]),
);

/** The child pages of the picked page, for a list with multiple selection. */
export async function getChildPages(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
  return loadListOptions(this, 'ChildPages', false);
}

/**
 * The locators of the parent. When the user picks another parent, n8n clears the value, because it belongs to the old
 * parent.
 */
function listParents(list: ListName): string[] {
  const { within }: ListSource = LIST_SOURCES[list];
  if (!within) return [];
  return list === 'Components' ? [within, 'childPageId'] : [within];
}

/** The hint for entries that no operation can create. */
export const MADE_IN_BUILDER = 'Made in the builder of the service';

/** Creates the locator of an entry of a list. `modes` are further ways to give the entry, shown between the list and the ID. */
export const createLocator = (
  list: ListName,
  displayName: string,
  name: string,
  description: string,
  { modes, hint }: { modes?: INodePropertyMode[]; hint?: string } = {},
) =>
  createResourceLocator(
    { displayName, name, description, ...(hint && { hint }) },
    { searchMethod: `search${list}`, dependsOn: listParents(list), modes },
  );
