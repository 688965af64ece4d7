import type {
  IDataObject,
  ILoadOptionsFunctions,
  INodeListSearchResult,
  INodeProperties,
  INodePropertyOptions,
} from 'n8n-workflow';
import { v1, v11, type Endpoint } from '../model/endpoint';
import { listIn } from '../model/responses';
import { fullFieldsInfo } from '../transport/schema';
import { lookUp, pickedId } from './pickers';

/** A searchable list: where its entries come from, and what in them is the id and the name. */
interface Source {
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
}

const name = ['name', 'title'];
const queue = { id: 'id', details: ['status'] };

const fields = {
  endpoints: [fullFieldsInfo],
  items: 'fields',
  names: name,
  details: ['type'],
  within: 'dataTableId',
};

/** One line of data a list. */
const SOURCES = {
  Automations: {
    // No endpoint lists automations: those that ran are known from their executions.
    endpoints: [v1('GET /automations/history'), v1('GET /automations/status')],
    id: 'automation_id',
    names: ['automation_name', 'name'],
  },
  ChildPages: {
    endpoints: [v11('GET /pages/{pageId}/childs')],
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
    ...queue,
    names: ['exportTemplate.name', 'dataTable.name'],
    details: ['start_date', 'status'],
  },
  ExportTemplates: { endpoints: [v11('GET /exports/templates')], items: 'items', id: 'id', names: name },
  FieldIds: { ...fields, id: 'fieldId' },
  FieldSlugs: { ...fields, id: 'slug' },
  ImportQueue: {
    endpoints: [v11('GET /imports/queues')],
    items: 'items',
    ...queue,
    names: ['created_at'],
  },
  Imports: { endpoints: [v11('GET /imports')], items: 'items', id: 'id', names: name },
  Layouts: { endpoints: [v11('GET /layouts')], items: 'items', id: 'id', names: name },
  Pages: { endpoints: [v11('GET /pages')], id: 'id', names: name },
  PdfForms: { endpoints: [v11('GET /pdf-forms')], items: 'items', id: 'id', names: name },
  PdfPages: { endpoints: [v11('GET /pdf-pages')], items: 'items', id: 'id', names: name },
  Roles: { endpoints: [v1('GET /roles')], items: 'items', id: 'id', names: name },
  Tasks: {
    endpoints: [v1('GET /tasks')],
    items: 'tasks',
    id: 'task_id',
    names: name,
    details: ['occurrence'],
  },
} satisfies Record<string, Source>;

type ListName = keyof typeof SOURCES;

const at = (entry: IDataObject, path: string): unknown =>
  path.split('.').reduce<unknown>((value, key) => (value as IDataObject | undefined)?.[key], entry);

const textAt = (entry: IDataObject, path: string): string => String(at(entry, path) ?? '').trim();

function optionOf(entry: IDataObject, { id, names, details = [] }: Source): INodePropertyOptions {
  const value = textAt(entry, id);
  const shown = names.map((key) => textAt(entry, key)).find(Boolean) ?? value;
  const more = details.map((key) => textAt(entry, key)).filter(Boolean);
  return { name: more.length > 0 ? `${shown} (${more.join(', ')})` : shown, value };
}

async function optionsFrom(context: ILoadOptionsFunctions, source: Source): Promise<INodePropertyOptions[]> {
  const path = source.within ? { [source.within]: pickedId(context, source.within) } : {};
  if (source.within && !path[source.within]) return [];
  const entries = await lookUp(context, async (client) => {
    const answers = source.endpoints.map((endpoint) => client.call(endpoint, { path }));
    return (await Promise.all(answers)).flatMap(
      ({ body }) => listIn(body, source.items) ?? listIn(body) ?? [],
    );
  });
  const options = (entries as IDataObject[]).map((entry) => optionOf(entry, source));
  return [
    ...new Map(options.filter(({ value }) => value !== '').map((one) => [one.value, one])).values(),
  ].sort((a, b) => a.name.localeCompare(b.name));
}

const searchMethod = (source: Source) =>
  async function (this: ILoadOptionsFunctions, filter?: string): Promise<INodeListSearchResult> {
    const wanted = (filter ?? '').toLowerCase();
    const options = await optionsFrom(this, source);
    return {
      results: options
        .filter(({ name: shown, value }) => shown.toLowerCase().includes(wanted) || value === filter)
        .map(({ name: shown, value }) => ({ name: shown, value: String(value) })),
    };
  };

const methodsOf = <T>(prefix: string, make: (source: Source) => T): Record<string, T> =>
  Object.fromEntries(Object.entries(SOURCES).map(([list, source]) => [prefix + list, make(source)]));

/** `searchTasks`, `searchPages` …, for locators. */
export const listSearches = methodsOf('search', searchMethod);

/** `getLayouts`, `getRoles` …, for plain dropdowns. */
export const listOptions = methodsOf(
  'get',
  (source) =>
    async function (this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
      return optionsFrom(this, source);
    },
);

/** In a sentence: "PDF Form" is "PDF form". */
const lowered = (title: string) => title.replace(/\b[A-Z](?=[a-z])/g, (letter) => letter.toLowerCase());

/** A locator over one of the lists: from the list, or by id. */
export const locator = (
  list: ListName,
  displayName: string,
  parameter: string,
  description: string,
): INodeProperties => ({
  displayName,
  name: parameter,
  type: 'resourceLocator',
  default: { mode: 'list', value: '' },
  required: true,
  description,
  modes: [
    {
      displayName: 'From List',
      name: 'list',
      type: 'list',
      placeholder: `Select ${/^[aeiou]/i.test(displayName) ? 'an' : 'a'} ${lowered(displayName)}…`,
      typeOptions: { searchListMethod: `search${list}`, searchable: true },
    },
    { displayName: 'By ID', name: 'id', type: 'string', placeholder: 'e.g. T1x9Kq' },
  ],
});
