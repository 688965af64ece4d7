import type { IDataObject } from 'n8n-workflow';
import type { Endpoint } from '../model/endpoint';
import { countIn, listIn } from '../model/responses';
import type { Client } from '../transport/client';
import { readPages } from '../transport/pages';

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
  const found = await readPages({
    fetch: async (page, size) => {
      const { body } = await client.call(endpoint, { query: { ...query, page, limit: size } });
      const total = countIn((body as { total_items?: unknown }).total_items);
      const items = listIn(body, 'items');
      if (!items) unknown = body;
      return { items: items ?? [], total };
    },
    limit,
    parallel: 2,
    idOf: (one) => String((one as { id?: unknown }).id ?? JSON.stringify(one)),
  });
  return found.length === 0 && unknown !== undefined ? unknown : found;
}
