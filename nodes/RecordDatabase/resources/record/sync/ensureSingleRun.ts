import type { Items } from '../../../../shared/kit/operation/item';
import { InputError } from '../../../../shared/model/input/inputError';
import { findRepetition } from './findRepetition';

/**
 * Checks that the input has all items, before records without an item are deleted.
 * @throws InputError with the setting Execute Once, or when the node runs more than once in an execution: it has only a
 *   part of the items then, and would delete the records of the others
 */
export function ensureWholeInput(items: Items): void {
  if (items.isExecuteOnce) {
    throw new InputError(
      'Delete Missing Records: the node has the setting "Execute Once", so it receives only the first item',
      'Nothing was sent, because the records of all other items would be deleted. Turn off "Execute Once" in the settings of the node, or "Delete Missing Records".',
    );
  }
  const reason = findRepetition(items.get(0).context);
  if (reason === undefined) return;
  throw new InputError(
    `Delete Missing Records: the node may run more than once, because ${reason}`,
    'Nothing was sent. One run has only a part of the items, and would delete the records of the others. Collect all items first: place the node behind the output "done" of a loop, or join several connections with a Merge node.',
  );
}
