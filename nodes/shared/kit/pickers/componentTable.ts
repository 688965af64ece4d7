import { pageEndpoints } from '../../model/endpoints/pages';
import { asObject } from '../../model/input/isObject';
import type { Client } from '../../transport/client';
import { memoizePerClient } from '../operation/memoizePerClient';

const fetchComponents = memoizePerClient(async (client, pageId) => {
  const { body } = await client.call(pageEndpoints.listComponents, { path: { pageId } });
  return body.items.map(asObject);
});

/** The ID of the table that a component shows (spec: Page, `table_id`); '' if the service does not return one. */
export async function findComponentTable(
  client: Client,
  pageId: string,
  componentId: string,
): Promise<string> {
  const components = await fetchComponents(client, pageId);
  return String(components.find(({ id }) => String(id) === componentId)?.table_id ?? '');
}
