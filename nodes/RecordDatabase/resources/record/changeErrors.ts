/** Error texts of runs that stopped: how many changes were made before the error. */
import { upperFirst } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import { CHANGE_ACTIONS, attachOldRecords } from '../../../n8n/operation/item';
import type { RunMode } from '../../../n8n/operation/operation';
import { rewordError, mayHaveWritten } from '../../../service';

/**
 * Describes the progress of a run that stopped. With Continue On Fail, no run stops: the text is empty.
 * @param total number of changes that the run was to make
 */
export function describeProgress(
  { continuesOnFail }: RunMode,
  results: Array<{ action?: string }>,
  total: number,
): string {
  if (continuesOnFail) return '';
  const { length } = results.filter(({ action }) => CHANGE_ACTIONS.some((change) => change === action));
  return `${length} of ${total} changes were made. A repeated run makes the others. To go on after a failure, set "On Error" in the node's settings.`;
}

/**
 * Adds the record and the progress to an error. "Outcome unknown" stays first in the message.
 * @param change the output item of the change, if the message does not name the record. If the change may have been
 * made, the error stores this item, so that the old values are not lost
 */
export function explainChangeError(error: unknown, progress: string, change?: IDataObject): unknown {
  const explained = rewordError(error, ({ message, description }) => ({
    message: change
      ? upperFirst(message.replace(/^(Outcome unknown: )?/, `$1record ${String(change.id)}: `))
      : message,
    description: `${description} ${progress}`.trim(),
  }));
  return change && mayHaveWritten(error) ? attachOldRecords(explained, [change]) : explained;
}
