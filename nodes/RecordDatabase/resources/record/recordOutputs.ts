import type { RunMode } from '../../../n8n/operation/operation';
import { ApiError, joinFirst, mapExplanation, mayHaveChanged, type ServiceRecord } from '../../../service';

/**
 * Adds to a failure how much of the run was completed. Without Continue On Fail the outputs are lost, so the error is
 * the only information for the user.
 * @param subject what failed, for example a record, when the error does not name it
 */
const explainPartialRun = (error: unknown, progress: string, subject?: string): unknown =>
  mapExplanation(error, ({ message, description }) => ({
    message: subject ? `${subject}: ${message}` : message,
    description: `${description} ${progress}`.trim(),
  }));

/**
 * Adds records with their old values to an error, because the outputs are lost and the service does not keep old values.
 * @param remedy what to do with the records
 */
export function keepRecords(error: unknown, records: Array<{ id?: unknown }>, remedy: string): unknown {
  if (!(error instanceof ApiError) || records.length === 0) return error;
  const count = records.length === 1 ? '1 record' : `${records.length} records`;
  const ids = records.map(({ id }) => String(id));
  return error.explain({
    description: `${error.description} This error holds ${count} (${joinFirst(ids, ', ', 5)}): as "oldRecords" under "details" of the error item, or under "context.data" of the error in the data of the execution. ${remedy}`,
    details: { ...error.details, oldRecords: records },
  });
}

const RESTORE = 'To restore deleted records, give them to the operation Create.';

/**
 * Explains a failure of an operation that deletes records. Without Continue On Fail, it holds those that were deleted.
 * @param deleted records as they were
 * @param progress how far the run came
 * @param failed the record whose deletion failed
 */
export function explainDeletionRun(
  error: unknown,
  { continuesOnFail }: RunMode,
  deleted: ServiceRecord[],
  progress: string,
  failed?: ServiceRecord,
): unknown {
  const explained = explainPartialRun(
    error,
    continuesOnFail ? '' : progress,
    failed && `Record ${failed.id}`,
  );
  const mayBeGone = failed && mayHaveChanged(error) ? [failed] : [];
  return keepRecords(explained, [...(continuesOnFail ? [] : deleted), ...mayBeGone], RESTORE);
}
