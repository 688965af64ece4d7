import { v11 } from '../model/endpoint';
import { listIn } from '../model/responses';
import type { Client } from '../transport/client';
import { askedOnce } from './askedOnce';

/** Spec: Layouts, pages and components. Each component has the id of the table that it shows. */
export const listComponents = v11('GET /pages/{pageId}/components');

const componentsOf = askedOnce(async (client, pageId) => {
  const { body } = await client.call(listComponents, { path: { pageId } });
  return listIn(body, 'components') ?? [];
});

/** The table behind a component; empty where the service does not say. */
export async function componentTable(client: Client, pageId: string, componentId: string): Promise<string> {
  const components = (await componentsOf(client, pageId)) as Array<{ id?: unknown; table_id?: unknown }>;
  return String(components.find(({ id }) => String(id) === componentId)?.table_id ?? '');
}
