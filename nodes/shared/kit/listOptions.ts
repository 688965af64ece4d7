import type { IDataObject, INodePropertyOptions } from 'n8n-workflow';
import type { Endpoint } from '../model/endpoint';
import { listIn } from '../model/responses';
import type { Client } from '../transport/client';
import type { Source } from './listSources';
import { pagedList } from './pagedList';

type Path = Record<string, string>;

const at = (entry: IDataObject, path: string): unknown =>
  path.split('.').reduce<unknown>((value, key) => (value as IDataObject | undefined)?.[key], entry);

const textAt = (entry: IDataObject, path: string): string => String(at(entry, path) ?? '').trim();

const nameOf = (entry: IDataObject, { id, names }: Source): string =>
  names.map((key) => textAt(entry, key)).find(Boolean) ?? textAt(entry, id);

function optionOf(entry: IDataObject, source: Source): INodePropertyOptions {
  const shown = nameOf(entry, source);
  const more = (source.details ?? []).map((key) => textAt(entry, key)).filter(Boolean);
  return {
    name: more.length > 0 ? `${shown} (${more.join(', ')})` : shown,
    value: textAt(entry, source.id),
  };
}

/** What can be read of several lists: fails only where none can be. */
async function whatCanBeRead<T>(asked: Array<Promise<T[]>>): Promise<T[]> {
  const settled = await Promise.allSettled(asked);
  const read = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const [failure] = settled.flatMap((one) => (one.status === 'rejected' ? [one.reason as Error] : []));
  if (failure && read.length === 0) throw failure;
  return read.flat();
}

async function listAt(client: Client, endpoint: Endpoint, { items, isPaged }: Source, path: Path) {
  const body = isPaged ? await pagedList(client, endpoint) : (await client.call(endpoint, { path })).body;
  return (listIn(body, items) ?? listIn(body) ?? []) as IDataObject[];
}

/** Child pages under the name of their page: "Customers > Customer Details". */
async function below(client: Client, pages: IDataObject[], source: Source): Promise<IDataObject[]> {
  const { below: endpoint, id, names } = source;
  if (!endpoint) return [];
  // Asked only of pages that say so (spec: Page, `total_child_pages`): each costs a request.
  const parents = pages.filter(({ total_child_pages: count }) => Number(count) > 0);
  const asked = parents.map(async (page) => {
    const children = await listAt(client, endpoint, source, { pageId: textAt(page, id) });
    return children.map((child) => ({
      ...child,
      [names[0]!]: `${nameOf(page, source)} > ${nameOf(child, source)}`,
    }));
  });
  return whatCanBeRead(asked).catch(() => []);
}

const inOrder = (entries: IDataObject[], { newest }: Source): IDataObject[] =>
  newest === undefined
    ? entries
    : [...entries].sort((a, b) => textAt(b, newest).localeCompare(textAt(a, newest)));

/** The entries of a list as options, each id once: newest first, or by name. */
export async function readOptions(
  client: Client,
  source: Source,
  path: Path,
): Promise<INodePropertyOptions[]> {
  const entries = await whatCanBeRead(
    source.endpoints.map((endpoint) => listAt(client, endpoint, source, path)),
  );
  const all = [...entries, ...(await below(client, entries, source))];
  const options = inOrder(all, source).map((entry) => optionOf(entry, source));
  const unique = [
    ...new Map(options.filter(({ value }) => value !== '').map((one) => [one.value, one])).values(),
  ];
  return source.newest === undefined ? unique.sort((a, b) => a.name.localeCompare(b.name)) : unique;
}
