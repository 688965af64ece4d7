import { isPlainObject } from 'lodash';
import { getKind } from '../fields';
import { parseParts } from '../fields/kinds/composite';
import { parseJsonObject } from '../input/parseJson';
import type { FieldRef } from '../records/table';
import type { Condition, FilterTree } from './tree';

/** Operators that compare a whole value, and whether all parts or any part must match. */
const MATCH_BY_OPERATOR = new Map<string, FilterTree['match']>([
  ['is', 'all'],
  ['is exact', 'all'],
  ['is not', 'any'],
  ['is not exact', 'any'],
]);

/**
 * Splits a comparison with several parts of a composite (`{first_name: 'Ada'}`) into conditions on the parts.
 * Undefined for any other condition.
 */
export function splitComposite(
  { operator, value }: Condition,
  { field, part }: FieldRef,
): FilterTree | undefined {
  const kind = getKind(field);
  const match = MATCH_BY_OPERATOR.get(operator);
  if (!kind.parts || part || !match) return undefined;
  const parts = typeof value === 'string' ? parseJsonObject(value) : value;
  if (!isPlainObject(parts) || Object.keys(parts as object).length === 0) return undefined;
  return {
    match,
    conditions: parseParts(parts, field, kind).map(([compositePart, partValue]) => ({
      field: compositePart.formatKey(field.slug),
      operator,
      value: partValue,
    })),
    groups: [],
  };
}
