import type { Item } from '../../../shared/kit/item';
import { recordAnswerSchema, type ServiceRecord } from '../../../shared/model/responses';
import { ApiFailure } from '../../../shared/transport/errors';
import { endpoints } from './endpoints';

/** One record, whole. */
export async function readRecord(item: Item, dataTableId: string, recordId: string): Promise<ServiceRecord> {
  const { body } = await item.client.call(endpoints.get, { path: { dataTableId, recordId } });
  const parsed = recordAnswerSchema.safeParse(body);
  if (parsed.success) return parsed.data.item;
  throw new ApiFailure({
    message: 'The service did not answer with a record',
    description: 'Check the table and the record ID.',
  });
}
