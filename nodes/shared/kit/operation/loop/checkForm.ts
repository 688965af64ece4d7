import type { Item } from '../item';
import type { Operation } from '../operation';
import type { ParameterDefinition } from '../parameter';

/** Types whose values have few forms. Others are checked where they are read, because their rules depend on the table. */
const CHECKED_TYPES: string[] = ['boolean', 'number', 'options'];

/** A text is checked only as an option: another text may be required only where the form shows it. */
const CHECKED_OPTION_TYPES = [...CHECKED_TYPES, 'string'];

/** A parameter or an option of a form. */
export interface FormEntry {
  definition: ParameterDefinition;
  isOption: boolean;
}

/** Lists the parameters and the options of an operation. */
export function listFormEntries({ parameters = [] }: Operation): FormEntry[] {
  return parameters.flatMap((definition): FormEntry[] =>
    definition.type === 'collection'
      ? (definition.options as ParameterDefinition[]).map((option) => ({
          definition: option,
          isOption: true,
        }))
      : [{ definition, isOption: false }],
  );
}

export const isChecked = ({ definition: { type }, isOption }: FormEntry): boolean =>
  (isOption ? CHECKED_OPTION_TYPES : CHECKED_TYPES).includes(type);

/** Returns the checked value; undefined for an option that was not added. @throws InputError */
export const readFormEntry = (item: Item, { definition, isOption }: FormEntry): unknown =>
  isOption ? item.readOption(definition) : item.read(definition);

/**
 * Checks choices, numbers and switches of an operation's form, and the texts of its options, so that a wrong one is an
 * error before anything is sent, and not after the change that it should have modified. n8n has removed the options
 * that the form hides. @throws InputError
 */
export function checkForm(item: Item, operation: Operation): void {
  for (const entry of listFormEntries(operation).filter(isChecked)) readFormEntry(item, entry);
}
