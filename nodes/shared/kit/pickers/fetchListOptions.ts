import type { IDataObject, INodePropertyOptions } from 'n8n-workflow';
import type { Endpoint } from '../../model/endpoints/endpoint';
import { isObject } from '../../model/input/isObject';
import type { ListResponse } from '../../model/responses/schemas';
import type { Client } from '../../transport/client';
import { readPagedList } from '../operation/readPagedList';
import type { ListSource } from './listSources';

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
