import type { Field } from '../fields/field';
import { getKind } from '../fields/kinds';
import { type FieldRef, type Table, getValueField } from '../fields/table';
import { InputError, formatForError } from '../input/inputError';
import { isObject } from '../input/values';
import { resolveComparison } from './resolveComparison';
import { suggestOperator } from './suggestShortForm';
import {
  type Condition,
  type FilterTree,
  type OperatorContext,
  SYMBOLS,
  findInverse,
  getOperators,
  isObjectValue,
  needsNoValue,
} from './tree';

/** An operator that the field does not have. */
export class UnknownOperatorError extends InputError {}

/** @throws InputError for two names of one field in a JSON object, since only one of them may be meant */
function ensureNamedOnce({ field: name, siblings = [] }: Condition, ref: FieldRef): void {
  const isSame = (other: string) => {
    const found = ref.table.find(other);
    return other !== name && found?.field === ref.field && found.part === ref.part;
  };
  const other = siblings.find(isSame);
  if (other === undefined) return;
  throw new InputError(
    `Filter: ${formatForError(name)} and ${formatForError(other)} are the same field, "${ref.field.name}"`,
    `Nothing was sent. Name it once, with several operators if needed: {${JSON.stringify(ref.field.slug)}: {">=": 5, "<": 10}}.`,
  );
}

/** Lists the operators that a field has, with the one that was probably meant. */
export function createUnknownOperatorError(
  operator: string,
  field: Field,
  context: OperatorContext,
): InputError {
  const names = getOperators(field.kind, context).map(({ name }) => name);
  const isKnown = (word: string) => names.includes(resolveComparison({ operator: word }, field).operator);
  const suggested = suggestOperator(operator);
  const hint =
    suggested && suggested !== operator.trim() && isKnown(suggested)
      ? `Did you mean ${formatForError(suggested)}? `
      : '';
  const symbols = SYMBOLS.filter(isKnown);
  const others = symbols.length > 0 ? `, or ${symbols.join(' ')}` : '';
  return new UnknownOperatorError(
    `Filter: "${field.name}" has no operator ${formatForError(operator)}`,
    `${hint}Operators of the type ${field.type}: ${names.join(', ')}${others}.`,
  );
}

/** @throws InputError for an operator that has no value, with the value false: the opposite is meant */
function ensureNoFalse({ operator, value }: Condition, field: Field): void {
  if (!needsNoValue(operator) || (value !== false && value !== 'false')) return;
  const inverse = findInverse(operator);
  throw new InputError(
    `Filter: "${field.name}" has the value false for the operator ${formatForError(operator)}, which takes none`,
    `Nothing was sent. ${inverse ? `If the opposite is meant, use "${inverse}".` : 'Leave the value out.'}`,
  );
}

/** Finds a key of an object that is neither a value nor a part: `{"price": {"gt": 5}}` is read as the value of "is". */
function findUnknownOperator(value: unknown, field: Field): string | undefined {
  if (!isObject(value) || Object.getPrototypeOf(value) !== Object.prototype) return undefined;
  const keys = Object.keys(value);
  if (getKind(field).parts) return keys.find((key) => suggestOperator(key) !== undefined);
  return isObjectValue(value) ? undefined : keys[0];
}

/** A condition with its field, and with an operator that the field has or an unknown one. */
interface ResolvedCondition {
  ref: FieldRef;
  field: Field;
  condition: Condition;
}

/**
 * Finds the field of a condition, and its operator among those of the field.
 * @throws InputError for an unknown field, for two names of one field, and for an object of unknown operators
 */
export function resolveCondition(condition: Condition, table: Table): ResolvedCondition {
  const ref = table.resolveFilterField(condition.field, 'Filter');
  const field = getValueField(ref);
  ensureNamedOnce(condition, ref);
  ensureNoFalse(condition, field);
  const { operator, value } = condition;
  const word = operator === 'is' ? findUnknownOperator(value, field) : undefined;
  if (word !== undefined) throw createUnknownOperatorError(word, field, { userLogin: true });
  return { ref, field, condition: { ...condition, ...resolveComparison(condition, field) } };
}

/**
 * Checks the fields and operators of a tree. Call it before names of connected records are looked up, so that a wrong
 * filter sends no request. @throws InputError as `resolveCondition` does
 */
export function checkFilterTree({ conditions, groups }: FilterTree, table: Table): void {
  for (const condition of conditions) resolveCondition(condition, table);
  for (const group of groups) checkFilterTree(group, table);
}
