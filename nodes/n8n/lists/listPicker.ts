/** The lists of dropdowns and pickers, such as tasks, pages and templates. */
import { get, orderBy, uniqBy, zipObject } from 'lodash';
import type { IDataObject, INodeListSearchResult, INodePropertyMode } from 'n8n-workflow';
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
import { defineParameter, type ParameterDefinition } from '../parameters/parameter';
import { getPickedId, type EditorLoader, type OptionsLoader, readEditorList } from './editorList';

export interface ListSource {
  endpoints: Array<Endpoint<ListResponse>>;
  /** Key of the ID; `id` by default. */
  idKey?: string;
  /** Keys that may hold the name; `name` and `title` by default. Without a name, the ID is shown. */
  nameKeys?: string[];
  /** Keys whose values are shown after the name, to distinguish entries with the same name. */
  detailKeys?: string[];
  /**
   * The pickers of the parent. The last picker with a value applies, and the first one is also the name of
   * the path parameter. The list is empty until a parent is picked.
   */
  parentPickers?: string[];
  isPaged?: boolean;
  isListed?: (entry: IDataObject) => boolean;
  /** Key of the time by which entries are sorted, newest first. By default, entries are sorted by name. */
  timeKey?: string;
}

const createListSourceOfRuns = (
  noun: 'task' | 'automation',
  { getActive, getHistory }: Record<'getActive' | 'getHistory', Endpoint<ListResponse>>,
) => ({
  endpoints: [getHistory, getActive],
  idKey: `${noun}_queue_id`,
  nameKeys: ['start_at'],
  detailKeys: [`${noun}_name`, 'status'],
  timeKey: 'start_at',
});

export const LIST_SOURCES = {
  AutomationRuns: createListSourceOfRuns('automation', automationEndpoints),
  Automations: {
    // No endpoint lists automations, so the list comes from their runs.
    endpoints: [automationEndpoints.getHistory, automationEndpoints.getActive],
    idKey: 'automation_id',
    nameKeys: ['automation_name', 'name'],
  },
  ChildPages: { endpoints: [pageEndpoints.listChildren], parentPickers: ['pageId'] },
  Components: {
    endpoints: [pageEndpoints.listComponents],
    detailKeys: ['type'],
    parentPickers: ['pageId', 'childPageId'],
  },
  ExportRuns: {
    endpoints: [exportEndpoints.listQueue],
    nameKeys: ['exportTemplate.name', 'dataTable.name'],
    detailKeys: ['start_date', 'status'],
    timeKey: 'start_date',
  },
  ExportTemplates: { endpoints: [exportEndpoints.listTemplates] },
  FormulaFields: {
    endpoints: [tableEndpoints.listFullFields],
    idKey: 'fieldId',
    detailKeys: ['type'],
    parentPickers: ['dataTableId'],
    // Recalculate accepts calculated fields only.
    isListed: ({ type }: IDataObject) => isCalculatedType(String(type)),
  },
  ImportRuns: {
    endpoints: [importEndpoints.listQueue],
    nameKeys: ['created_at'],
    detailKeys: ['status'],
    timeKey: 'created_at',
  },
  Imports: { endpoints: [importEndpoints.list], isPaged: true },
  Pages: { endpoints: [pageEndpoints.list] },
  PdfForms: { endpoints: [pdfFormEndpoints.list] },
  PdfPages: { endpoints: [pdfPageEndpoints.list] },
  Tables: { endpoints: [tableEndpoints.list] },
  TaskRuns: createListSourceOfRuns('task', taskEndpoints),
  Tasks: { endpoints: [taskEndpoints.list], idKey: 'task_id', detailKeys: ['occurrence'] },
} satisfies Record<string, ListSource>;

export type ListName = keyof typeof LIST_SOURCES;

const getText = (entry: IDataObject, path: string): string => String(get(entry, path) ?? '').trim();

function toListOption(
  entry: IDataObject,
  { idKey = 'id', nameKeys = ['name', 'title'], detailKeys = [] }: ListSource,
) {
  const value = getText(entry, idKey);
  const shown = nameKeys.map((key) => getText(entry, key)).find(Boolean) ?? value;
  const more = detailKeys.map((key) => getText(entry, key)).filter(Boolean);
  return { name: more.length > 0 ? `${shown} (${more.join(', ')})` : shown, value };
}

async function readListOptions(client: Client, source: ListSource, path: Record<string, string>) {
  const { endpoints, isPaged, isListed = () => true, timeKey } = source;
  const lists = await Promise.all(
    endpoints.map(async (endpoint) =>
      isPaged ? readPagedList(client, endpoint) : (await client.call(endpoint, { path })).body.items,
    ),
  );
  const listed = (lists.flat().filter(isObject) as IDataObject[]).filter(isListed);
  const sorted = timeKey === undefined ? listed : orderBy(listed, (entry) => getText(entry, timeKey), 'desc');
  const options = sorted.map((entry) => toListOption(entry, source)).filter(({ value }) => value !== '');
  const unique = uniqBy(options, 'value');
  return timeKey === undefined ? unique.sort((a, b) => a.name.localeCompare(b.name)) : unique;
}

const createLoadMethod =
  (list: ListName): OptionsLoader =>
  async (context, client, filter) => {
    const { parentPickers = [], ...source }: ListSource = LIST_SOURCES[list];
    const parent = parentPickers.reduceRight((picked, name) => picked || getPickedId(context, name), '');
    if (parentPickers.length > 0 && parent === '') return [];
    const path = zipObject(parentPickers.slice(0, 1), [parent]);
    const isSearch = filter !== undefined;
    return readEditorList(client, `${list} ${parent}`, isSearch, () => readListOptions(client, source, path));
  };

const createSearchMethod =
  (list: ListName): EditorLoader<INodeListSearchResult> =>
  async (context, client, filter) => {
    const wanted = (filter ?? '').toLowerCase();
    const options = await createLoadMethod(list)(context, client, filter);
    return {
      results: options.filter(({ name, value }) => name.toLowerCase().includes(wanted) || value === filter),
    };
  };

/** The methods of resource locators: `searchTasks`, `searchPages` and so on. */
export const searchMethods = Object.fromEntries(
  (Object.keys(LIST_SOURCES) as ListName[]).map((list) => [`search${list}`, createSearchMethod(list)]),
);

export const getChildPages = createLoadMethod('ChildPages');
export const getTables = createLoadMethod('Tables');

/** The hint of pickers for entries that no operation can create. */
export const MADE_IN_BUILDER_HINT = 'Made in the builder of the service';

/** Changes "PDF Form" to "PDF form", for use in a sentence. */
const lowercaseTitle = (title: string) =>
  title.replace(/\b[A-Z](?=[a-z])/g, (letter) => letter.toLowerCase());

interface LocatorSettings extends Pick<
  ParameterDefinition,
  'hint' | 'required' | 'displayOptions' | 'inTools'
> {
  /** Further ways to give the entry, shown between the list and the ID. */
  modes?: INodePropertyMode[];
  /** The locators on which the list depends. n8n clears the field when one of them changes. */
  dependsOn?: string[];
}

/** Creates a resource locator, n8n's input for one entry: picked from a list, or given by its ID. */
export function createLocator(
  list: ListName | 'Records',
  displayName: string,
  name: string,
  description: string,
  { modes = [], dependsOn, ...change }: LocatorSettings = {},
) {
  const parents = dependsOn ?? (LIST_SOURCES as Record<string, ListSource>)[list]?.parentPickers ?? [];
  const noun = displayName.replace(/ ID$/, '');
  return defineParameter({
    displayName,
    name,
    description,
    type: 'resourceLocator',
    default: { mode: 'list', value: '' },
    required: true,
    ...(parents.length > 0 && {
      typeOptions: { loadOptionsDependsOn: parents.map((parent) => `${parent}.value`) },
    }),
    modes: [
      {
        displayName: 'From List',
        name: 'list',
        type: 'list',
        placeholder: `Select ${/^[aeiou]/i.test(noun) ? 'an' : 'a'} ${lowercaseTitle(noun)}…`,
        typeOptions: { searchListMethod: `search${list}`, searchable: true },
      },
      ...modes,
      { displayName: 'By ID', name: 'id', type: 'string', placeholder: 'e.g. K7pQ2xW9Lm' },
    ],
    ...change,
  });
}
