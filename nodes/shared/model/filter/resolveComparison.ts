import { type Field, getKind, RELATIVE } from '../fields';
import { parseChecked } from '../fields/kinds/checkbox';
import { findComparison, LIKE, toWordKey } from './comparison';
import type { Condition } from './tree';

type Comparison = Pick<Condition, 'operator' | 'value'>;

const LIKE_PATTERN = /^(%?)([^%]*)(%?)$/;

/** Reads SQL's `like '%text%'`. Undefined for any other operator, and for a pattern with a % inside. */
function readLike({ operator, value }: Comparison): Comparison | undefined {
  const like = LIKE.exec(operator.trim());
  const [, start, text, end] = (like && typeof value === 'string' && LIKE_PATTERN.exec(value)) || [];
  if (text === undefined) return undefined;
  if (start && end) return { operator: like?.[1] ? 'does not contain' : 'contains', value: text };
  if (like?.[1]) return start || end ? undefined : { operator: 'is not', value: text };
  if (start) return { operator: 'ends with', value: text };
  return { operator: end ? 'starts with' : 'is', value: text };
}

const RELATIVE_TEXT = /^(last|past|next|this|current)\s+(?:(\d+)\s+)?(day|week|month|year)s?$/i;
const DAY_WORD = /^(today|yesterday|tomorrow)$/i;
const PERIODS = new Map([
  ['past', 'last'],
  ['current', 'this'],
]);

/** Reads `last 7 days`, `this month` and `today` as a relative date. Any other value stays as it is. */
function readRelativeDate(value: unknown): unknown {
  const text = typeof value === 'string' ? value.trim().toLowerCase() : '';
  if (DAY_WORD.test(text)) return { period: text };
  const [, period = '', amount = '1', unit] = RELATIVE_TEXT.exec(text) ?? [];
  return unit ? { period: PERIODS.get(period) ?? period, amount, unit } : value;
}

/** Reads `[5, 10]`, `{min: 5, max: 10}` and `5 and 10` as the two ends of a range. */
export function readRange(value: unknown): { from?: unknown; to?: unknown } {
  if (typeof value === 'string') {
    const ends = value.split(/\s*(?:,|\.\.\.?|\s(?:and|to|bis)\s)\s*/i);
    return ends.length === 2 ? { from: ends[0], to: ends[1] } : { from: value };
  }
  if (Array.isArray(value))
    return value.length === 2 ? { from: value[0] as unknown, to: value[1] as unknown } : {};
  const { from, to, min, max, start, end } = (value ?? {}) as Record<string, unknown>;
  return { from: from ?? min ?? start, to: to ?? max ?? end };
}

const isFalse = (value: unknown) => value === false || value === 'false';

/** Converts `is true` to `is checked` for a Decision Box, whose operators have no comparison value. */
function toChecked(operator: string, value: unknown): Comparison | undefined {
  const checked = ['is', 'is not'].includes(operator) ? parseChecked(value) : undefined;
  if (checked === undefined || value === '') return undefined;
  return { operator: (checked === 1) === (operator === 'is') ? 'is checked' : 'is unchecked' };
}

/**
 * Resolves the operator of a condition among those of the field: by its name in any spelling, or by a word or symbol
 * with the same meaning (`equals`, `>`, `$gt`, `is empty`, `like`). An unknown operator stays as it is.
 */
export function resolveComparison(condition: Comparison, field: Field): Comparison {
  const names = getKind(field).operators.map(({ name }) => name);
  const { negated } = findComparison(condition.operator) ?? {};
  if (negated !== undefined && isFalse(condition.value)) return { operator: negated, value: condition.value };
  if (names.includes(condition.operator)) return resolveDateWords(condition, names);
  const { operator, value } = readLike(condition) ?? condition;
  const spelled = names.find((name) => toWordKey(name) === toWordKey(operator));
  const meant = findComparison(operator)?.operators;
  const name = spelled ?? names.find((candidate) => meant?.includes(candidate));
  if (name !== undefined) return resolveDateWords({ operator: name, value }, names);
  return toChecked(meant?.[0] ?? operator, value) ?? { operator, value };
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
