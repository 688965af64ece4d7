import type { IDataObject } from 'n8n-workflow';
import type { Endpoint } from '../../model/endpoints/endpoint';
import type { ListResponse } from '../../model/responses/schemas';
import type { Client } from '../../transport/client';
import { readRows } from '../../transport/paging/readRows';

/** Reads up to `limit` entries of a list that the service returns in pages (spec: query `page` and `limit`). */
export async function readPagedList(
  client: Client,
  endpoint: Endpoint<ListResponse>,
  limit = Infinity,
  query: IDataObject = {},
): Promise<unknown[]> {
  return readRows({
    fetchPage: async (page, size) => {
      const { body } = await client.call(endpoint, { query: { ...query, page, limit: size } });
      return body;
    },
    limit,
    concurrency: 2,
  });
}
