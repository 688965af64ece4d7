import type { IDataObject, ILoadOptionsFunctions, INodePropertyOptions } from 'n8n-workflow';
import type { Client } from '../../client';
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
import { ApiError } from '../../client/errors/apiError';
import { isComputedType } from '../../client/fields/kinds';
import { parseRequestTimeout } from '../../client/http/credential';
import { InputError, formatSeconds } from '../../client/input/inputError';
import { isObject } from '../../client/input/values';
import { memory } from '../../client/memory/memory';
import type { ListResponse } from '../../client/responses/schemas';
import { CREDENTIAL_TYPE, createNodeClient } from '../http/port';
import { readPagedList } from '../operation/returnAll';
import { explainForbidden, toNodeError } from '../operation/toNodeError';

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

/** Milliseconds after which a dropdown stops waiting, including retries, unless the credential has a shorter timeout. */
const MAX_LOOKUP_MS = 30_000;

const createTimeoutError = (timeout: number) =>
  new ApiError({
    code: 'timeout',
    message: `The service did not answer within ${formatSeconds(timeout / 1000)}`,
    description: 'Check the Base URL in the credential, and load the list again.',
  });

/** Reads the time for a list from the credential. An unreadable credential is an error of the client. */
async function readTimeout(context: ILoadOptionsFunctions): Promise<number> {
  const { requestTimeout } = await context
    .getCredentials(CREDENTIAL_TYPE)
    .catch((): { requestTimeout?: unknown } => ({}));
  return Math.min(parseRequestTimeout(requestTimeout), MAX_LOOKUP_MS);
}

/** Runs the requests of a dropdown. Errors have the same text as in an operation. */
export async function runLookup<T>(
  context: ILoadOptionsFunctions,
  find: (client: Client) => Promise<T>,
): Promise<T> {
  let timeout = MAX_LOOKUP_MS;
  let signal: AbortSignal | undefined;
  let client: Client | undefined;
  try {
    timeout = await readTimeout(context);
    signal = AbortSignal.timeout(timeout);
    client = await createNodeClient(context, { timeout, signal });
    return await find(client);
  } catch (error) {
    const cause = signal?.aborted ? createTimeoutError(timeout) : error;
    throw toNodeError(context.getNode(), client ? await explainForbidden(client, cause) : cause);
  }
}

/**
 * The ID in the locator or dropdown `name`; '' if nothing is picked or the node has no such parameter.
 * @throws NodeOperationError for an expression, because it has no value before the node runs
 */
export function getPickedId(context: ILoadOptionsFunctions, name: string): string {
  // `extractValue` throws for a parameter that the node does not have, so check first.
  const given = context.getCurrentNodeParameter(name);
  if (given === undefined || given === null) return '';
  const id = String(context.getCurrentNodeParameter(name, { extractValue: true }) ?? '').trim();
  if (!id.startsWith('=')) return id;
  throw toNodeError(
    context.getNode(),
    new InputError(
      'This list depends on a field whose expression has no value yet',
      'Run the nodes before this one first, or give the value here as an expression too.',
    ),
  );
}

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
export async function fetchListOptions(
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

/** Milliseconds for which a search uses the cached list instead of a new request. */
const CACHE_TTL_MS = 60_000;

/** Each user may see different entries. */
const dropdownLists = memory.cache<unknown, 'user'>('dropdownLists', {
  per: 'user',
  holds: 'a list for searches in its dropdown; of records also the pages of a known wider search',
  ttlMs: CACHE_TTL_MS,
});

/**
 * Reads a list for a dropdown. Opening the dropdown always sends a request. A search (`isSearch`) uses the cached
 * list, because n8n searches again after each typed letter.
 */
export const lookUpList = <T>(
  context: ILoadOptionsFunctions,
  name: string,
  isSearch: boolean,
  fetch: (client: Client) => Promise<T>,
): Promise<T> =>
  runLookup(context, (client) => {
    if (!isSearch) dropdownLists.delete(client, [name]);
    return dropdownLists.get(client, [name], () => fetch(client)) as Promise<T>;
  });

/** The error for requested IDs that the service does not list. An empty result would hide the mistake. */
export const createUnknownEntryError = (noun: string, ids: string[]): InputError =>
  new InputError(
    `The service has no ${noun} with the ID ${ids.map((id) => JSON.stringify(id)).join(', ')}`,
    'Pick it from the list, or leave the field empty for all.',
  );
