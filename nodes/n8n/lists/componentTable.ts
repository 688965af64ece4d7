import type { Client } from '../../client';
import { pageEndpoints } from '../../client/endpoints/catalogue';
import { asObject } from '../../client/input/values';
import { memory } from '../../client/memory/memory';

const fetchComponents = memory.perClient(
  'components',
  { holds: 'the components of a page' },
  async (client: Client, pageId) => {
    const { body } = await client.call(pageEndpoints.listComponents, { path: { pageId } });
    return body.items.map(asObject);
  },
);

/** The ID of the table that a component shows (spec: Page, `table_id`); '' if the service does not return one. */
export async function findComponentTable(
  client: Client,
  pageId: string,
  componentId: string,
): Promise<string> {
  const components = await fetchComponents(client, pageId);
  return String(components.find(({ id }) => String(id) === componentId)?.table_id ?? '');
}
