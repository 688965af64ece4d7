import { type Field, getKind, RELATIVE } from '../fields';
import { parseChecked } from '../fields/kinds/checkbox';
import { findOperatorNames } from './operators';
import type { Condition } from './tree';

type Comparison = Pick<Condition, 'operator' | 'value'>;

const RELATIVE_TEXT = /^(last|next|this)\s+(?:(\d{1,5})\s+)?(day|week|month|year)s?$/;
const DAY_WORDS = new Set(['today', 'yesterday', 'tomorrow']);

/** Reads `last 7 days`, `this month` and `today` as a relative date. Any other value stays as it is. */
function readRelativeDate(value: unknown): unknown {
  const text = typeof value === 'string' && value.length < 50 ? value.trim().toLowerCase() : '';
  if (DAY_WORDS.has(text)) return { period: text };
  const [, period, amount = '1', unit] = RELATIVE_TEXT.exec(text) ?? [];
  return unit ? { period, amount, unit } : value;
}

/** Reads `[5, 10]`, `5, 10` and `{from: 5, to: 10}` as the two ends of a range. */
export function readRange(value: unknown): { from?: unknown; to?: unknown } {
  const ends: unknown = typeof value === 'string' && value.includes(',') ? value.split(',') : value;
  if (Array.isArray(ends))
    return ends.length === 2 ? { from: ends[0] as unknown, to: ends[1] as unknown } : {};
  return typeof ends === 'object' && ends !== null ? ends : { from: ends };
}

/** Converts `is true` to `is checked` for a Decision Box, whose operators have no comparison value. */
function toCheckboxOperator(operator: string, value: unknown): Comparison | undefined {
  const checked = ['is', 'is not'].includes(operator) && value !== '' ? parseChecked(value) : undefined;
  if (checked === undefined) return undefined;
  return { operator: (checked === 1) === (operator === 'is') ? 'is checked' : 'is unchecked' };
}

/**
 * Resolves the operator of a condition among those of the field: by its name, by a symbol (`>`) or by an alias (`$gt`).
 * An operator that the field does not have stays as it is.
 */
export function resolveComparison({ operator, value }: Comparison, field: Field): Comparison {
  const names = getKind(field).operators.map(({ name }) => name);
  const meant = findOperatorNames(operator);
  const name = names.find((candidate) => meant.includes(candidate));
  if (name !== undefined) return resolveDateWords({ operator: name, value }, names);
  const isCheckbox = names.includes('is checked');
  return (isCheckbox && toCheckboxOperator(meant[0] ?? '', value)) || { operator, value };
}

/** Resolves words for dates in the value: `is last 7 days` becomes a range, `is before` today an operator. */
function resolveDateWords({ operator, value }: Comparison, names: string[]): Comparison {
  if (!names.includes(RELATIVE)) return { operator, value };
  const relative = readRelativeDate(value);
  if (relative === value) return { operator, value };
  if (['is', RELATIVE].includes(operator)) return { operator: RELATIVE, value: relative };
  const withWord = `${operator} ${String(value).trim().toLowerCase()}`;
  return names.includes(withWord) ? { operator: withWord } : { operator, value };
}
