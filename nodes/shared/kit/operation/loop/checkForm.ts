import type { Item } from '../item';
import type { Operation } from '../operation';
import type { ParameterDefinition } from '../parameter';

/** Types whose values have few forms. Others are checked where they are read, because their rules depend on the table. */
const CHECKED_TYPES: string[] = ['boolean', 'number', 'options'];

/** A text is checked only as an option: another text may be required only where the form shows it. */
const CHECKED_OPTION_TYPES = [...CHECKED_TYPES, 'string'];

/**
 * Checks choices, numbers and switches of an operation's form, and the texts of its options, so that a wrong one is an
 * error before anything is sent, and not after the change that it should have modified. n8n has removed the options
 * that the form hides. @throws InputError
 */
export function checkForm(item: Item, { parameters = [] }: Operation): void {
  for (const parameter of parameters) {
    if (CHECKED_TYPES.includes(parameter.type)) item.read(parameter);
    if (parameter.type !== 'collection') continue;
    for (const option of parameter.options as ParameterDefinition[]) {
      if (CHECKED_OPTION_TYPES.includes(option.type)) item.readOption(option);
    }
  }
}
