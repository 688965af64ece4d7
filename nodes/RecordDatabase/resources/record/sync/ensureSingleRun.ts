import type { IExecuteFunctions } from 'n8n-workflow';
import { InputError } from '../../../../shared/model/input/inputError';
import { findRepetition } from './findRepetition';

/**
 * Checks that the input has all items, before records without an item are deleted.
 * @throws InputError when the node runs more than once in an execution: each run has only a part of the items, and
 *   would delete the records of the other parts
 */
export function ensureSingleRun(context: IExecuteFunctions): void {
  const reason = findRepetition(context);
  if (reason === undefined) return;
  throw new InputError(
    `Delete Missing Records: the node may run more than once, because ${reason}`,
    'Nothing was sent. One run has only a part of the items, and would delete the records of the others. Collect all items first: place the node behind the output "done" of a loop, or join several connections with a Merge node.',
  );
}
