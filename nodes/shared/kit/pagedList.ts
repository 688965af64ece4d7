import type { IDataObject } from 'n8n-workflow';
import type { Endpoint } from '../model/endpoint';
import { countIn, listIn } from '../model/responses';
import type { Client } from '../transport/client';
import { readRows } from '../transport/rows';

/**
 * A list that comes in pages (spec: query `page` and `limit`), up to `limit` entries. The spec does not show
 * the answer: one without a list is handed on as it is.
 */
export async function pagedList(
  client: Client,
  endpoint: Endpoint,
  limit = Infinity,
  query: IDataObject = {},
): Promise<unknown> {
  let unknown: unknown;
  const found = await readRows({
    fetch: async (page, size) => {
      const { body } = await client.call(endpoint, { query: { ...query, page, limit: size } });
      const total = countIn((body as { total_items?: unknown }).total_items);
      const items = listIn(body, 'items');
      if (!items) unknown = body;
      return { items: items ?? [], total };
    },
    limit,
    parallel: 2,
  });
  return found.length === 0 && unknown !== undefined ? unknown : found;
}
