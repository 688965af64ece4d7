import { v1 } from '../model/endpoint';
import { recordAnswerSchema, type ServiceRecord } from '../model/responses';
import { ApiFailure } from '../transport/errors';
import type { Item } from './item';

export const getRecord = v1('GET /data-tables/{dataTableId}/records/{recordId}');

/** One record, whole. */
export async function readRecord(item: Item, dataTableId: string, recordId: string): Promise<ServiceRecord> {
  const { body } = await item.client.call(getRecord, { path: { dataTableId, recordId } });
  const parsed = recordAnswerSchema.safeParse(body);
  if (parsed.success) return parsed.data.item;
  throw new ApiFailure({
    message: 'The service did not answer with a record',
    description: 'Check the table and the record ID.',
  });
}
