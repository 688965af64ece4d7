import { ApiError } from '../../client/errors/apiError';
import { isTool } from '../agent/agent';
import { defineParameter } from '../parameters/parameter';
import type { Item } from './item';
import type { Output } from './operation';

/** Option of the operations that list records. */
export const ifNothingFoundOption = defineParameter({
  displayName: 'If Nothing Found',
  name: 'ifNothingFound',
  type: 'options',
  default: 'nothing',
  options: [
    { name: 'Return an Empty Item', value: 'emptyItem' },
    { name: 'Return an Error', value: 'error' },
    { name: 'Return Nothing', value: 'nothing' },
  ],
});

/** Returns the output for the case that no record matches. @throws ApiError when the option is Return an Error */
export function createEmptyResult(item: Item): Output[] {
  const choice = item.readOption(ifNothingFoundOption);
  if (choice === undefined && isTool(item.context)) return [{ json: { _total: 0 } }];
  if (choice === 'emptyItem') return [{ json: {} }];
  if (choice !== 'error') return [];
  throw new ApiError({
    message: 'No record matches',
    description: 'Choose a filter that matches more records, or change "If Nothing Found" in the options.',
  });
}
