import { ANY_OF, BETWEEN } from '../fields';

/** A way to compare, with the names that users and other systems give it. */
export interface Comparison {
  /** Operators of the primary form with this meaning. A field has at most one of them. */
  operators: string[];
  /** Name of the comparison in the symbolic form. */
  symbol?: string;
  /** Words and symbols with this meaning, separated by commas. */
  words: string;
  /** Operator of the negated comparison, which is used for the value false: `exists: false`. */
  negated?: string;
}

/** Spec: Filters, "Operators by field kind" and the symbolic form. */
const COMPARISONS: Comparison[] = [
  {
    operators: ['is'],
    symbol: '=',
    words: '=, ==, ===, :, eq, equal, equals, equal to, is equal to, equals to, matches',
  },
  {
    operators: ['is not'],
    symbol: '!=',
    words:
      '!=, !==, <>, ne, neq, not, not equal, not equals, not equal to, is not equal to, does not equal, isnt, not is',
  },
  {
    operators: ['higher than', 'is after'],
    symbol: '>',
    words:
      '>, gt, greater, greater than, is greater than, more than, above, over, larger than, after, later than, is later than, higher than, is higher than, is after',
  },
  {
    operators: ['higher than or equal to', 'is on or after'],
    symbol: '>=',
    words:
      '>=, =>, gte, ge, greater than or equal, greater than or equal to, greater or equal, is greater than or equal to, at least, is at least, min, on or after, since, higher than or equal to, is on or after, not before',
  },
  {
    operators: ['lower than', 'is before'],
    symbol: '<',
    words:
      '<, lt, less, less than, is less than, fewer than, below, under, smaller than, before, earlier than, is earlier than, lower than, is lower than, is before',
  },
  {
    operators: ['lower than or equal to', 'is on or before'],
    symbol: '<=',
    words:
      '<=, =<, lte, le, less than or equal, less than or equal to, less or equal, is less than or equal to, at most, is at most, max, on or before, until, up to, lower than or equal to, is on or before, not after',
  },
  {
    operators: ['contains'],
    symbol: 'contains',
    words: 'contain, include, includes, has, icontains, substring',
  },
  {
    operators: ['does not contain'],
    words: 'not contains, not contain, doesnt contain, excludes, does not include',
  },
  {
    operators: ['starts with'],
    symbol: 'startswith',
    words: 'start with, begins with, begin with, istartswith, prefix',
  },
  { operators: ['ends with'], words: 'end with, iendswith, suffix' },
  {
    operators: ['is blank'],
    symbol: 'is_blank',
    negated: 'is not blank',
    words: 'blank, empty, is empty, null, is null, is missing, not exists, does not exist, unset',
  },
  {
    operators: ['is not blank'],
    symbol: 'not_blank',
    negated: 'is blank',
    words:
      'not blank, not empty, is not empty, not null, is not null, exists, exist, is set, is present, has value, has any value',
  },
  {
    operators: [ANY_OF],
    words: 'in, any of, one of, is one of, is in, any, has any of, contains any',
  },
  { operators: [BETWEEN], words: 'is between, range, in range, within range' },
  { operators: ['is checked'], negated: 'is unchecked', words: 'checked, is true, true, yes' },
  {
    operators: ['is unchecked'],
    negated: 'is checked',
    words: 'unchecked, is false, false, no, not checked, is not checked, is not true',
  },
];

/**
 * Converts a word or symbol to a key for comparison. Symbols are trimmed. Words lose spaces and a leading `$` or `_`
 * (`$gt`, `_gt`).
 */
export const toWordKey = (word: string): string =>
  word.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '') || word.trim();

const comparisonsByWord = new Map(
  COMPARISONS.flatMap((comparison) =>
    [
      ...comparison.operators,
      ...(comparison.symbol ? [comparison.symbol] : []),
      ...comparison.words.split(', '),
    ].map((word): [string, Comparison] => [toWordKey(word), comparison]),
  ),
);

/** Finds the comparison that a word or symbol means: `equals`, `>=`, `$gt`, `is not empty`. */
export const findComparison = (word: string): Comparison | undefined =>
  comparisonsByWord.get(toWordKey(word));

/** SQL's `like`, `ilike` and `not like`. The pattern decides which comparison they mean. */
export const LIKE = /^(not )?i?like$/i;

/** Whether a word or symbol means a comparison. */
export const isComparison = (word: string): boolean =>
  findComparison(word) !== undefined || LIKE.test(word.trim());
