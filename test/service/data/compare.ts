import { isBlank } from './field';
import { asText } from './table';

/** Compares two stored values of one field: blank values first, numbers by size, others as text without case. */
export function compareValues(a: unknown, b: unknown): number {
  if (isBlank(a) || isBlank(b)) return Number(isBlank(b)) - Number(isBlank(a));
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  const [left, right] = [asText(a).toLowerCase(), asText(b).toLowerCase()];
  return left < right ? -1 : left > right ? 1 : 0;
}
