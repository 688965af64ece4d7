import { joinFirst } from '../../../../shared/model/input/inputError';
import type { ServiceRecord } from '../../../../shared/model/responses/records';
import { ApiError } from '../../../../shared/transport/errors/apiError';

/** Lists the IDs of records for an error message, at most five of them. */
export const formatIds = (records: ServiceRecord[]): string =>
  joinFirst(
    records.map(({ id }) => id),
    ', ',
    5,
  );

/**
 * Adds records as they were to an error, because the outputs are lost and the service does not keep old values.
 * @param undo what to do with the records
 */
export function keepOldRecords(error: unknown, records: ServiceRecord[], undo: string): unknown {
  if (!(error instanceof ApiError) || records.length === 0) return error;
  const count = records.length === 1 ? '1 record as it was' : `${records.length} records as they were`;
  return error.withExplanation(
    {
      description: `${error.explanation.description} This error holds ${count} (${formatIds(records)}): as "oldRecords" under "details" of the error item, or under "context.data" of the error in the data of the execution. ${undo}`,
    },
    { ...error.details, oldRecords: records },
  );
}
