import { recordEndpoints } from '../../model/endpoints/records';
import type { ServiceRecord } from '../../model/responses/records';
import type { Item } from '../operation/item';

/** Reads one record with all its columns. */
export async function readRecord(item: Item, dataTableId: string, recordId: string): Promise<ServiceRecord> {
  const { body } = await item.client.call(recordEndpoints.get, { path: { dataTableId, recordId } });
  return { ...body.item, id: recordId };
}
