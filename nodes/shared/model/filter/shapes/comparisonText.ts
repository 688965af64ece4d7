import { parseList } from '../../input/parseList';
import { isComparison } from '../comparison';
import { createGroup, findMatch, type JsonGroup, type JsonItem } from './jsonGroup';

/** Longer text is not read as a comparison, because the time for the patterns grows with its length. */
const MAX_LENGTH = 1000;

/** Splits at ` AND ` and ` OR ` outside quotation marks. The words themselves are odd entries. */
const splitByLogic = (text: string): string[] => text.split(/\s+(and|or)\s+(?=(?:[^'"]|'[^']*'|"[^"]*")*$)/i);

const SYMBOL_COMPARISON = /^([^<>=!]+?)\s*(<=|>=|<>|!=|==|=|<|>)\s*([^<>=!].*)$/;
const WORD_COMPARISON =
  /^(\S.*?)\s+(is not null|is null|is not|is|not like|ilike|like|contains|starts with|ends with|in)(?:\s+(.*))?$/i;

/** Removes the quotation marks of a name or value. SQL doubles a mark within: `'O''Neil'`. */
function unquote(text: string): string {
  const [, mark = '', inner] = /^(["'`])(.*)\1$/.exec(text.trim()) ?? [];
  return inner?.replaceAll(mark + mark, mark) ?? text.trim();
}

/** Reads `('a', 'b')` as a list. */
function parseValueText(text: string): unknown {
  const list = /^\((.*)\)$/.exec(text.trim())?.[1];
  return list === undefined ? unquote(text) : parseList(list).map((entry) => unquote(String(entry)));
}

function readComparison(text: string): JsonItem | undefined {
  const [, field, operator, value] = SYMBOL_COMPARISON.exec(text) ?? WORD_COMPARISON.exec(text) ?? [];
  if (field === undefined || operator === undefined || !isComparison(operator)) return undefined;
  return { field_id: unquote(field), operator, ...(value !== undefined && { val: parseValueText(value) }) };
}

/**
 * Reads comparisons such as `status = 'open' AND price < 5`. Undefined for any other text, and for text with
 * both AND and OR, whose precedence may not be meant.
 */
export function parseComparisonText(text: string): JsonGroup | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  const parts = splitByLogic(text.trim());
  const words = new Set(parts.filter((_, index) => index % 2 === 1).map(findMatch));
  const items = parts.filter((_, index) => index % 2 === 0).map(readComparison);
  if (words.size > 1 || items.some((item) => item === undefined)) return undefined;
  const [match = 'AND'] = words;
  return createGroup(match, items);
}
