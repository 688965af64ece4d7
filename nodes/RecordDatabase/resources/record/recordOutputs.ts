import { upperFirst } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import { keepChanges } from '../../../n8n/operation/item';
import { mapExplanation, mayHaveChanged } from '../../../service';

/**
 * Names the record in the error of its change. An unknown outcome is said first, as in all other operations.
 * @param progress how far the run came, if it stops
 * @param change the item of the change, for an error that does not name the record: the error keeps it if it may be made
 */
export function explainChange(error: unknown, progress: string, change?: IDataObject): unknown {
  const explained = mapExplanation(error, ({ message, description }) => ({
    message: change
      ? upperFirst(message.replace(/^(Outcome unknown: )?/, `$1record ${String(change.id)}: `))
      : message,
    description: `${description} ${progress}`.trim(),
  }));
  return change && mayHaveChanged(error) ? keepChanges(explained, [change]) : explained;
}
