import { v1 } from '../shared/model/endpoint';
import { recordAnswerSchema } from '../shared/model/responses';
import type { Client } from '../shared/transport/client';
import { ApiFailure } from '../shared/transport/errors';
import type { RecordChange } from './delivery';

export const getRecord = v1('GET /data-tables/{dataTableId}/records/{recordId}');

const NOT_FOUND = 404;

/**
 * The record of a delivery as the service holds it now; undefined where there is no such record.
 * @throws ApiFailure when it cannot be read
 */
export async function readBack(
  client: Client,
  { tableId, recordId }: RecordChange,
): Promise<Record<string, unknown> | undefined> {
  const answer = await client
    .call(getRecord, { path: { dataTableId: tableId, recordId } })
    .catch((error: unknown) => unlessNotFound(error));
  const parsed = recordAnswerSchema.safeParse(answer?.body);
  return parsed.success ? parsed.data.item : undefined;
}

function unlessNotFound(error: unknown): undefined {
  if (error instanceof ApiFailure && error.byService && error.status === NOT_FOUND) return undefined;
  throw error;
}

/** Year to second, however the moment is spelt. */
const digits = (moment: unknown) => String(moment).replace(/\D/g, '').slice(0, 14);

/** `created_at` never changes: where it differs, the delivery does not speak of this record. */
export const isSameRecord = (delivered: Record<string, unknown>, held: Record<string, unknown>): boolean =>
  !delivered.created_at || !held.created_at || digits(delivered.created_at) === digits(held.created_at);
