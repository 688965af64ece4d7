import type { IDataObject, ILoadOptionsFunctions, INodePropertyOptions } from 'n8n-workflow';
import type { Client } from '../../client';
import type { Endpoint } from '../../client/endpoints/endpoint';
import { InputError } from '../../client/input/inputError';
import { isObject } from '../../client/input/values';
import { memory } from '../../client/memory/memory';
import type { ListResponse } from '../../client/responses/schemas';
import { readPagedList } from '../operation/returnAll';
import type { ListSource } from './listSources';
import { runLookup } from './runLookup';

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
