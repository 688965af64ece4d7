import {
  explainUncertainWrite,
  REPEAT_IS_SAFE,
} from '../../../../shared/kit/operation/explainUncertainWrite';
import { recordEndpoints } from '../../../../shared/model/endpoints/records';
import type { Client } from '../../../../shared/transport/client';
import {
  isAlreadyDone,
  isServiceNotFound,
  mayHaveChanged,
} from '../../../../shared/transport/errors/apiError';

type RecordPath = Record<'dataTableId' | 'recordId', string>;

/** Whether a record no longer exists after a delete request whose outcome is unknown. */
async function isRecordDeleted(client: Client, path: RecordPath, error: Error): Promise<boolean> {
  if (!mayHaveChanged(error)) return false;
  return isServiceNotFound(
    await client.call(recordEndpoints.get, { path }).catch((failure: unknown) => failure),
  );
}

/**
 * Deletes one record. When a response is lost, it checks whether the record still exists.
 * @throws ApiError that states whether the record may have been deleted
 */
export async function sendDelete(client: Client, path: RecordPath): Promise<void> {
  const result = await client.call(recordEndpoints.delete, { path }).catch((error: unknown) => error);
  if (result instanceof Error && !isAlreadyDone(result) && !(await isRecordDeleted(client, path, result)))
    throw explainUncertainWrite(result, REPEAT_IS_SAFE);
}
