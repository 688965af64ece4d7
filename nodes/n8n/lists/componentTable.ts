import { pageEndpoints } from '../../client/endpoints/catalogue';
import type { Client } from '../../client/http/client';
import { memoizePerClient } from '../../client/http/memoizePerClient';
import { asObject } from '../../client/input/values';

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
