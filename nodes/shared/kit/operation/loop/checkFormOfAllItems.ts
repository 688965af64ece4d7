import { isEqual } from 'lodash';
import { asThrown } from '../../../model/input/asThrown';
import { formatForError, InputError } from '../../../model/input/inputError';
import type { Item, Items } from '../item';
import type { AllItemsOperation } from '../operation';
import { getLabel } from '../parameters/parseParameter';
import { checkForm, type FormEntry, isChecked, listFormEntries, readFormEntry } from './checkForm';
import { iterateInTurns } from './iterateInTurns';

/** Types with one value. An object may hold a time, which differs from item to item without a mistake. */
const COMPARED_TYPES: string[] = [
  'boolean',
  'number',
  'options',
  'string',
  'multiOptions',
  'resourceLocator',
];

const hasExpression = (item: Item, { definition: { name }, isOption }: FormEntry): boolean =>
  item.isExpression(isOption ? ['options', name] : name);

const nameItem = (error: unknown, { index }: Item): unknown =>
  error instanceof InputError ? new InputError(`${error.message} (item ${index})`, error.remedy) : error;

/** Reads a value of a later item. @throws InputError that names the item */
function readOfItem(item: Item, entry: FormEntry): unknown {
  try {
    return readFormEntry(item, entry);
  } catch (error) {
    throw asThrown(nameItem(error, item));
  }
}

/** @throws InputError when an item has another value than the first item, which applies to the whole run */
function ensureSameValue(item: Item, entry: FormEntry, first: unknown): void {
  const value = readOfItem(item, entry);
  if (isEqual(value, first)) return;
  throw new InputError(
    `${getLabel(entry.definition)}: item ${item.index} has ${formatForError(value)}, but the first item has ${formatForError(first)}`,
    'Nothing was sent. The operation runs once for all items, with one value. Give all items the same value, or use one node for each.',
  );
}

/**
 * Checks the form of an operation that runs once for all items. Only the value of an expression can differ between
 * items. If it is read for each item, it is checked for each. If it applies to the whole run, all items must have the
 * same value. @throws InputError
 * @throws AbortedError after the run was cancelled
 */
export async function checkFormOfAllItems(items: Items, operation: AllItemsOperation): Promise<void> {
  const first = items.get(0);
  checkForm(first, operation);
  const itemNames = operation.itemParameters?.map(({ name }) => name) ?? [];
  const entries = listFormEntries(operation).filter((entry) => hasExpression(first, entry));
  const ofItems = entries.filter((entry) => itemNames.includes(entry.definition.name) && isChecked(entry));
  const ofRun = entries
    .filter(({ definition: { name, type } }) => !itemNames.includes(name) && COMPARED_TYPES.includes(type))
    .map((entry) => ({ entry, value: readFormEntry(first, entry) }));
  if (ofItems.length + ofRun.length === 0) return;
  for await (const item of iterateInTurns(items)) {
    for (const entry of ofItems) readOfItem(item, entry);
    for (const { entry, value } of ofRun) ensureSameValue(item, entry, value);
  }
}
