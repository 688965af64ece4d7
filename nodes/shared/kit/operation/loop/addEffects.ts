import { InputError } from '../../../model/input/inputError';
import { mapExplanation } from '../../../transport/errors/apiError';
import type { Item } from '../item';

/** Adds to an item's error what the item changed besides its own record. */
export function addEffects(error: unknown, { effects }: Item): unknown {
  if (effects.length === 0) return error;
  const text = effects.join(' ');
  if (error instanceof InputError) return new InputError(error.message, `${text} ${error.remedy}`);
  return mapExplanation(error, ({ description }) => ({ description: `${text} ${description}` }));
}
