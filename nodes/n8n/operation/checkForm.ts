/** Checks of the whole form, before an operation changes anything. */
import { isEqual } from 'lodash';
import { formatForError, InputError } from '../../service';
import { type ParameterDefinition, getLabelForErrors } from '../parameters/parameter';
import { type Item, type Items, iterateWithPauses } from './item';
import type { AllItemsOperation, Operation } from './operation';

interface FormInput {
  definition: ParameterDefinition;
  /** The path of the value in the node's parameters. */
  path: string | string[];
  read: (item: Item) => unknown;
}

/** Types whose values are not compared: they may contain the present time, which differs between items. */
const UNCOMPARED_TYPES: string[] = ['fixedCollection', 'json', 'resourceMapper'];

/** Types whose values can be checked without the table. An operation checks all other values when it reads them. */
const EARLY_CHECKED_TYPES: string[] = ['boolean', 'number', 'options'];

const listFormInputs = ({ parameters = [] }: Operation): FormInput[] =>
  parameters.flatMap((definition): FormInput | FormInput[] => {
    const { type, name, options } = definition;
    if (type !== 'collection') return { definition, path: name, read: (item) => item.read(definition) };
    return (options as ParameterDefinition[]).map((option) => ({
      definition: option,
      path: [name, option.name],
      read: (item) => item.readOption(option),
    }));
  });

/**
 * Checks choices, numbers and switches before anything is changed. Hidden options cause no error, because n8n
 * has already removed them. @throws InputError for an invalid value
 */
export function checkForm(item: Item, operation: Operation): void {
  for (const entry of listFormInputs(operation))
    if (EARLY_CHECKED_TYPES.includes(entry.definition.type)) entry.read(item);
}

/**
 * Compares only values of expressions, because only these can differ between items.
 * @throws InputError if an item has another value than the first item
 * @throws ApiError after the run was cancelled
 */
export async function ensureEqualFormValues(items: Items, operation: AllItemsOperation): Promise<void> {
  const first = items.get(0);
  const itemNames = operation.itemParameters?.map(({ name }) => name) ?? [];
  const entries = listFormInputs(operation)
    .filter(({ definition: { name, type } }) => !itemNames.includes(name) && !UNCOMPARED_TYPES.includes(type))
    .filter(({ path }) => first.isExpression(path))
    .map((entry) => ({ ...entry, expected: entry.read(first) }));
  if (entries.length === 0) return;
  for await (const item of iterateWithPauses(items)) {
    for (const { definition, read, expected } of entries) {
      const value = read(item);
      if (isEqual(value, expected)) continue;
      throw new InputError(
        `${getLabelForErrors(definition)}: item ${item.index + 1} has ${formatForError(value)}, but the first item has ${formatForError(expected)}`,
        'Nothing was sent. The operation runs once for all items, with one value. Give all items the same value, or use one node for each.',
      );
    }
  }
}
