import { upperFirst } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import { CHANGE_ACTIONS, addOldRecords } from '../../../n8n/operation/item';
import type { RunMode } from '../../../n8n/operation/operation';
import { changeTexts, mayHaveChanged } from '../../../service';

/**
 * Describes how many changes a run made before it stopped; empty with Continue On Fail.
 * @param total the number of changes that the run was to make
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
 * Names the record in the error of its change. The words "Outcome unknown" stay first.
 * @param progress the sentence of `describeProgress`
 * @param change the item of the change, if the error does not name the record. The error keeps it if the change may have
 *   been made
 */
export function explainChangeError(error: unknown, progress: string, change?: IDataObject): unknown {
  const explained = changeTexts(error, ({ message, description }) => ({
    message: change
      ? upperFirst(message.replace(/^(Outcome unknown: )?/, `$1record ${String(change.id)}: `))
      : message,
    description: `${description} ${progress}`.trim(),
  }));
  return change && mayHaveChanged(error) ? addOldRecords(explained, [change]) : explained;
}
