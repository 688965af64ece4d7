import { ANY_OF } from '../../fields';
import { isObject } from '../../input/isObject';
import { isComparison } from '../comparison';
import { createGroup, type Member } from './jsonGroup';

/** Whether all keys of an object are operators, as in `{"$gte": 5, "$lt": 10}`. */
const isOperatorMap = (value: unknown): value is Record<string, unknown> =>
  isObject(value) && Object.keys(value).length > 0 && Object.keys(value).every(isComparison);

/**
 * Reads an entry of a map: `"status": "open"`, `"status": ["open", "new"]` or `"price": {"$gte": 5, "$lt": 10}`.
 * An object of parts, such as `{"city": "Leeds"}`, is compared as a whole.
 */
export function readFieldMap(field_id: string, value: unknown): Member {
  if (Array.isArray(value)) return { field_id, operator: ANY_OF, val: value };
  if (!isOperatorMap(value)) return { field_id, operator: 'is', val: value };
  const items = Object.entries(value).map(([operator, val]) => ({ field_id, operator, val }));
  const [only] = items;
  return items.length === 1 && only ? only : createGroup('AND', items);
}

/** Reads `{"property": "Price", "number": {"less_than": 5}}`, where the operator stands under the type. */
export function readFieldValue({ property, ...rest }: Record<string, unknown>): Member | undefined {
  const [operators, ...others] = Object.values(rest);
  const isSingle = typeof property === 'string' && others.length === 0;
  return isSingle && isOperatorMap(operators) ? readFieldMap(property, operators) : undefined;
}
