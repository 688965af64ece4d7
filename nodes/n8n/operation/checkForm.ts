/**
 * The check of a form before anything is sent. `createFormCheck` checks the values of one item. `checkFormOfAllItems`
 * checks those of an operation that runs once for all items.
 */
import { isEqual } from 'lodash';
import { asThrown, formatForError, InputError } from '../../service';
import { type ParameterDefinition, getLabel } from '../parameters/parameter';
import { type Item, type Items, iterateInTurns } from './item';
import type { AllItemsOperation, Operation } from './operation';

/** Types whose values have few forms. Others are checked where they are read, because their rules depend on the table. */
const CHECKED_TYPES: string[] = ['boolean', 'number', 'options'];

/** A text or a list is checked only as an option: others may be required only where the form shows them. */
const CHECKED_OPTION_TYPES = [...CHECKED_TYPES, 'string', 'multiOptions'];

/** A parameter or an option of a form. */
interface FormEntry {
  definition: ParameterDefinition;
  isOption: boolean;
}

/** Lists the parameters and the options of an operation. */
function listFormEntries({ parameters = [] }: Operation): FormEntry[] {
  return parameters.flatMap((definition): FormEntry[] =>
    definition.type === 'collection'
      ? (definition.options as ParameterDefinition[]).map((option) => ({
          definition: option,
          isOption: true,
        }))
      : [{ definition, isOption: false }],
  );
}

const isChecked = ({ definition: { type }, isOption }: FormEntry): boolean =>
  (isOption ? CHECKED_OPTION_TYPES : CHECKED_TYPES).includes(type);

/** Returns the checked value; undefined for an option that was not added. @throws InputError */
const readFormEntry = (item: Item, { definition, isOption }: FormEntry): unknown =>
  isOption ? item.readOption(definition) : item.read(definition);

/**
 * Creates a check of choices, numbers and switches of an operation's form, and of the texts of its options, so that a
 * wrong one is an error before anything is sent, and not after the change that it should have modified. n8n has removed
 * the options that the form hides.
 * @returns a function that checks an item. @throws InputError
 */
export function createFormCheck(operation: Operation): (item: Item) => void {
  const entries = listFormEntries(operation).filter(isChecked);
  return (item) => {
    for (const entry of entries) readFormEntry(item, entry);
  };
}

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
  error instanceof InputError ? error.explain({ message: `${error.message} (item ${index})` }) : error;

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
  createFormCheck(operation)(first);
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
