/** Checks of the whole form, before an operation changes anything. */
import { isEqual } from 'lodash';
import { formatForError, InputError } from '../../service';
import { type ParameterDefinition, getLabel } from '../parameters/parameter';
import { type Item, type Items, iterateWithPauses } from './item';
import type { AllItemsOperation, Operation } from './operation';

interface FormEntry {
  definition: ParameterDefinition;
  isOption: boolean;
}

/** Types whose values are not compared: they may hold the present time, which differs between items. */
const UNCOMPARED_TYPES: string[] = ['fixedCollection', 'json', 'resourceMapper'];

/** Types whose values can be checked without the table. Other values are checked when they are read. */
const CHECKED_TYPES: string[] = ['boolean', 'number', 'options'];

const listEntries = ({ parameters = [] }: Operation): FormEntry[] =>
  parameters.flatMap((definition): FormEntry[] =>
    definition.type === 'collection'
      ? (definition.options as ParameterDefinition[]).map((option) => ({
          definition: option,
          isOption: true,
        }))
      : [{ definition, isOption: false }],
  );

const hasExpression = (item: Item, { definition: { name }, isOption }: FormEntry): boolean =>
  item.isExpression(isOption ? ['options', name] : name);

const readEntry = (item: Item, { definition, isOption }: FormEntry): unknown =>
  isOption ? item.readOption(definition) : item.read(definition);

/**
 * Checks the choices, numbers and switches of a form that changes something: otherwise a wrong value would be an error
 * after the change that it should have modified. n8n has removed the options that the form hides.
 * @throws InputError for an invalid value
 */
export function checkForm(item: Item, operation: Operation): void {
  for (const entry of listEntries(operation))
    if (CHECKED_TYPES.includes(entry.definition.type)) readEntry(item, entry);
}

/**
 * Compares the form of an operation that runs once for all items. Only the value of an expression can differ between
 * items. @throws InputError when an item has another value than the first item, which applies to the whole run
 * @throws AbortedError after the run was cancelled
 */
export async function ensureSameForm(items: Items, operation: AllItemsOperation): Promise<void> {
  const first = items.get(0);
  const itemNames = operation.itemParameters?.map(({ name }) => name) ?? [];
  const entries = listEntries(operation)
    .filter(({ definition: { name, type } }) => !itemNames.includes(name) && !UNCOMPARED_TYPES.includes(type))
    .filter((entry) => hasExpression(first, entry))
    .map((entry) => ({ entry, value: readEntry(first, entry) }));
  if (entries.length === 0) return;
  for await (const item of iterateWithPauses(items)) {
    for (const { entry, value: expected } of entries) {
      const value = readEntry(item, entry);
      if (isEqual(value, expected)) continue;
      throw new InputError(
        `${getLabel(entry.definition)}: item ${item.index + 1} has ${formatForError(value)}, but the first item has ${formatForError(expected)}`,
        'Nothing was sent. The operation runs once for all items, with one value. Give all items the same value, or use one node for each.',
      );
    }
  }
}
