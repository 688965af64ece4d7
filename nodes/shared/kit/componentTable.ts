import { v11 } from '../model/endpoint';
import { listIn } from '../model/responses';
import type { Client } from '../transport/client';

/** Spec: Layouts, pages and components. Each component has the id of the table that it shows. */
export const listComponents = v11('GET /pages/{pageId}/components');

/** Components by page, for as long as the client lives: one execution, one load of a dropdown. */
const known = new WeakMap<Client, Map<string, Promise<unknown[]>>>();

function componentsOf(client: Client, pageId: string): Promise<unknown[]> {
  const pages = known.get(client) ?? new Map<string, Promise<unknown[]>>();
  known.set(client, pages);
  const found =
    pages.get(pageId) ??
    client.call(listComponents, { path: { pageId } }).then(({ body }) => listIn(body, 'components') ?? []);
  pages.set(pageId, found);
  // A failure is not kept: the next item asks again.
  found.catch(() => pages.delete(pageId));
  return found;
}

/** The table behind a component; empty where the service does not say. */
export async function componentTable(client: Client, pageId: string, componentId: string): Promise<string> {
  const components = (await componentsOf(client, pageId)) as Array<{ id?: unknown; table_id?: unknown }>;
  return String(components.find(({ id }) => String(id) === componentId)?.table_id ?? '');
}
