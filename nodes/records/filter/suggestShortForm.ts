/**
 * The short form of a filter that is written as in another system, for error messages only. `suggestShortForm` converts
 * a filter. `suggestOperator` finds the operator that a word most often means.
 */
import { omit, pickBy, some } from 'lodash';
import { isBlank, isObject, parseJson } from '../../service';
import { toFieldKey } from '../fields/names';
import {
  type FilterReading,
  hasNegation,
  isNegation,
  readOtherObject,
  readOtherText,
} from './otherNotations';
import { findOperatorNames, isOperatorWord, needsNoValue } from './tree';

/** Returns the short form of a filter as JSON text. Undefined if its fields and values cannot be recognized. */
export function suggestShortForm(input: unknown): string | undefined {
  const filter = readAny(input, 0);
  const text = filter && JSON.stringify(filter);
  return text && text.length <= MAX_SUGGESTION ? text : undefined;
}

/**
 * Finds the short form of a filter in a form of another system, for error messages only: nothing here is ever sent. The
 * user or the model compares the suggestion with what was meant. A filter with a key or a join that is not understood has no
 * suggestion: the key may be a negation.
 */

type Filter = Record<string, unknown>;

/** Words of other systems and the operators that they most often mean. */
const OTHER_WORDS = new Map(
  Object.entries({
    '=': '== === : eq eqi equal equals equalto isequalto',
    '!=': '<> !== ne nei neq notequal notequals notequalto isnotequalto doesnotequal',
    '>': 'gt greater greaterthan morethan above over later laterthan after',
    '>=': 'gte ge greaterthanorequal greaterthanorequalto atleast min since onorafter',
    '<': 'lt less lessthan below under earlier earlierthan before',
    '<=': 'lte le lessthanorequal lessthanorequalto atmost max until onorbefore',
    contains: 'contain include includes has icontains containsi',
    'does not contain': 'notcontains notcontainsi ncontains nicontains excludes',
    'starts with': 'beginswith prefix istartswith startswithi',
    'ends with': 'suffix iendswith endswithi',
    'is any of': 'in anyof oneof isoneof',
    'is blank': 'empty isempty null isnull isnone',
    'is not blank': 'nnull nempty notempty isnotempty notnull isnotnull exists isset',
  }).flatMap(([operator, words]) => words.split(' ').map((word): [string, string] => [word, operator])),
);

/** Finds the operator that a word of another system most often means: `equals`, `gte`, `_gt`, `<>`. */
export function suggestOperator(word: string): string | undefined {
  if (word.length > 50) return undefined;
  if (isOperatorWord(word)) return word.trim();
  const key = toFieldKey(word).replace(/^[$_]+/, '');
  return OTHER_WORDS.get(key) ?? (findOperatorNames(key).length > 0 ? key : undefined);
}

/** Splits a name with an operator in it: `status !=`, `price__gte`. Undefined for any other name. */
function splitName(name: string): [field: string, operator: string] | undefined {
  if (name.length > 200) return undefined;
  const [, field, word = ''] =
    /^(.*[^\s<>=!])\s*([<>=!]{1,3})$/.exec(name.trim()) ?? /^(.+?)__(\w+)$/.exec(name.trim()) ?? [];
  const operator = suggestOperator(word);
  return field !== undefined && operator !== undefined ? [field, operator] : undefined;
}

const createEntry = (field: string, word: string, value: unknown): Filter | undefined => {
  const operator = suggestOperator(word);
  if (operator === undefined) return undefined;
  if (operator === '=' || operator === 'is') return { [field]: value };
  const isFlag = needsNoValue(operator) && isBlank(value);
  return { [field]: { [operator]: isFlag ? true : value } };
};

/** Joins filters: under "or", or in one object if no key is repeated. */
function joinFilters(match: 'and' | 'or', filters: Array<Filter | undefined>): Filter | undefined {
  const known = filters.filter((filter) => filter !== undefined);
  if (known.length === 0 || known.length < filters.length) return undefined;
  const [only] = known;
  if (known.length === 1) return only;
  if (match === 'or') return { or: known };
  const keys = known.flatMap((filter) => Object.keys(filter));
  return new Set(keys).size === keys.length ? Object.assign({}, ...known) : { and: known };
}

const findJoin = (word: unknown): 'and' | 'or' | undefined => {
  const text = typeof word === 'string' ? word.trim().toLowerCase().replace(/^[$_]/, '') : '';
  if (['and', '&&', 'all', 'every'].includes(text)) return 'and';
  return ['or', '||', 'any', 'some'].includes(text) ? 'or' : undefined;
};

/** Reads the text of a value in SQL: `'O''Neil'`, `5`, `('a', 'b')`. */
function readSqlValue(text: string): unknown {
  const list = /^\((.*)\)$/s.exec(text)?.[1];
  if (list !== undefined) return (list.match(/'[^']*'|"[^"]*"|[^\s,]+/g) ?? []).map(readSqlValue);
  const quoted = /^(['"])(.*)\1$/s.exec(text)?.[2];
  if (quoted !== undefined) return quoted.replaceAll("''", "'");
  const value = parseJson(text);
  return value === undefined || typeof value === 'object' ? text : value;
}

const SQL_COMPARISON =
  /\s*(?:\b(and|or)\s+)?(?:"([^"]+)"|`([^`]+)`|([^\s<>=!'"()][^<>=!'"()]*?))\s*(<=|>=|<>|!=|===?|=|<|>|\bis\s+not\s+null\b|\bis\s+null\b|\bnot\s+like\b|\bi?like\b|\bin\b|\bcontains\b)\s*('(?:[^']|'')*'|"[^"]*"|\([^()]*\)|[^\s'"()]+)?/iy;

const LIKE = /^(not[ _]?)?i?like$/i;

/** Reads `'%text%'` of SQL's LIKE. */
function readLike(field: string, word: string, value: unknown): Filter | undefined {
  const [, start, text, end] = /^(%?)([^%]*)(%?)$/.exec(String(value)) ?? [];
  if (text === undefined) return undefined;
  if (/not/i.test(word)) return start && end ? { [field]: { 'does not contain': text } } : undefined;
  if (start) return { [field]: { [end ? 'contains' : 'ends with']: text } };
  return { [field]: end ? { 'starts with': text } : text };
}

/** Reads `status = 'open' and price < 5`. Undefined for any other text, and for text with both AND and OR. */
function readSql(text: string): Filter | undefined {
  if (text.length > 1000) return undefined;
  const filters: Array<Filter | undefined> = [];
  const joins = new Set<'and' | 'or'>();
  const body = text.trim().replace(/^(?:select\b.*?\bwhere|where)\s/is, '');
  const pattern = new RegExp(SQL_COMPARISON);
  while (pattern.lastIndex < body.length) {
    const found = pattern.exec(body);
    const join = findJoin(found?.[1]);
    if (!found || (filters.length === 0) === (join !== undefined)) return undefined;
    if (join) joins.add(join);
    const field = (found[2] ?? found[3] ?? found[4] ?? '').trim();
    if (found[4] !== undefined && hasNegation(field)) return undefined;
    const [word = '', value] = [found[5]?.replace(/\s+/g, ' '), found[6] && readSqlValue(found[6])];
    const isNull = /null$/i.test(word);
    // `is null` has no value, so what stands behind it is the next comparison.
    if (isNull && found[6]) pattern.lastIndex -= found[6].length;
    filters.push(
      LIKE.test(word) ? readLike(field, word, value) : createEntry(field, word, isNull ? true : value),
    );
  }
  const [join = 'and', ...others] = joins;
  return others.length > 0 ? undefined : joinFilters(join, filters);
}

const findKey = (value: Filter, names: string[]) =>
  Object.keys(value).find((key) => names.includes(toFieldKey(key)));

/** An object whose keys are not all understood. */
const UNCLEAR = Symbol('unclear');

/** Reads an item of another system: `{"field": "price", "op": "gt", "value": 5}`. Undefined for an object that is none. */
function readItem(value: Filter): Filter | typeof UNCLEAR | undefined {
  const name = findKey(value, [
    'fieldid',
    'field',
    'fieldname',
    'slug',
    'column',
    'property',
    'keyname',
    'attribute',
    'key',
  ]);
  const word = findKey(value, ['operator', 'op', 'condition', 'comparison', 'comparator', 'operation']);
  const operand = findKey(value, ['val', 'value', 'values', 'data', 'keyvalue']);
  const field = name === undefined ? undefined : value[name];
  if (typeof field !== 'string' || (word === undefined && operand === undefined)) return undefined;
  const isWhole = Object.keys(value).every((key) => [name, word, operand].includes(key));
  if (!isWhole) return UNCLEAR;
  const given = operand === undefined ? undefined : value[operand];
  if (word === undefined) return { [field]: given };
  return createEntry(field, String(value[word]), given) ?? UNCLEAR;
}

/** Reads `{"property": "Price", "number": {"less_than": 5}}`, where the operators stand under the type. */
function readTyped({ property, ...rest }: Filter): Filter | undefined {
  const [operators, ...others] = Object.values(rest);
  return typeof property === 'string' && others.length === 0 && isObject(operators)
    ? readEntry(property, operators)
    : undefined;
}

/** Reads an entry of a map, with the operators in its name or in its value. */
function readEntry(key: string, value: unknown): Filter | undefined {
  if (isObject(value)) {
    const [first, ...others] = Object.entries(value);
    if (first && LIKE.test(first[0]) && others.length === 0) return readLike(key, ...first);
    const operators = Object.entries(value).map(
      ([word, operand]) => [suggestOperator(word), operand] as const,
    );
    const isMap = operators.some(([operator]) => operator !== undefined);
    if (!isMap) return { [key]: value };
    return operators.every(([operator]) => operator !== undefined)
      ? { [key]: Object.fromEntries(operators) as Filter }
      : undefined;
  }
  const [field, operator] = splitName(key) ?? [];
  return field === undefined || operator === undefined
    ? { [key]: value }
    : createEntry(field, operator, value);
}

const LIST_KEYS = ['items', 'child', 'conditions', 'filters', 'rules', 'criteria', 'children', 'groups'];

/** Reads a group of another system: lists of filters, and a word that joins them. */
function readGroup(value: Filter, lists: Filter, depth: number): Filter | undefined {
  const words = Object.values(omit(value, Object.keys(lists)));
  const joins = words.map(findJoin);
  if (joins.length > 1 || joins.includes(undefined)) return undefined;
  return joinFilters(
    joins[0] ?? 'and',
    Object.values(lists)
      .flat()
      .map((member) => readAny(member, depth + 1)),
  );
}

const isNegatedEntry = (value: unknown, key: string): boolean =>
  isNegation(value) || (isNegation(key) && !/^[$]?not$/i.test(key.trim()));

function readObject(value: Filter, depth: number): Filter | undefined {
  const item = readItem(value) ?? readTyped(value);
  if (item) return item === UNCLEAR ? undefined : item;
  const lists = pickBy(value, (list, key) => LIST_KEYS.includes(toFieldKey(key)) && Array.isArray(list));
  if (Object.keys(lists).length > 0) return readGroup(value, lists, depth);
  if (some(value, isNegatedEntry)) return undefined;
  const [only, ...others] = Object.entries(value);
  if (only && others.length === 0 && ['filter', 'filters', 'where', 'query'].includes(toFieldKey(only[0])))
    return readAny(only[1], depth + 1);
  return joinFilters(
    'and',
    Object.entries(value).map(([key, entry]) => {
      const join = /^[$_]?(and|or)$/i.test(key.trim()) ? findJoin(key) : undefined;
      if (isNegation(key)) return negate(readAny(entry, depth + 1));
      if (!join) return readEntry(key, entry);
      const members = isObject(entry) ? Object.entries(entry).map(([name, one]) => ({ [name]: one })) : entry;
      return Array.isArray(members)
        ? joinFilters(
            join,
            members.map((member) => readAny(member, depth + 1)),
          )
        : undefined;
    }),
  );
}

function readList(list: unknown[], depth: number): Filter | undefined {
  const [field, word, value, ...others] = list;
  if (typeof field === 'string' && typeof word === 'string' && others.length === 0 && !findJoin(field)) {
    const entry = createEntry(field, word, value);
    if (entry) return entry;
  }
  const joins = new Set(list.map(findJoin).filter((join) => join !== undefined));
  const members = list.filter((member) => findJoin(member) === undefined);
  if (joins.size > 1) return undefined;
  const [join = 'and'] = joins;
  return joinFilters(
    join,
    members.map((member) => readAny(member, depth + 1)),
  );
}

const negate = (filter: Filter | undefined): Filter | undefined => filter && { not: filter };

/** Converts a filter of another system to the short form. */
function fromReading(reading: FilterReading): Filter | undefined {
  if (!('join' in reading)) {
    const { field, word, value } = reading;
    return LIKE.test(word) ? readLike(field, word, value) : createEntry(field, word, value);
  }
  const members = reading.members.map(fromReading);
  if (reading.join !== 'not') return joinFilters(reading.join, members);
  return negate(joinFilters('or', members));
}

function readAny(value: unknown, depth: number): Filter | undefined {
  if (depth > 10) return undefined;
  const other = typeof value === 'string' ? readOtherText(value) : readOtherObject(value);
  if (other) return fromReading(other);
  if (typeof value === 'string') {
    const parsed = parseJson(value);
    return typeof parsed === 'object' && parsed !== null ? readAny(parsed, depth + 1) : readSql(value);
  }
  if (Array.isArray(value)) return readList(value, depth);
  return isObject(value) ? readObject(value, depth) : undefined;
}

/** Longer suggestions help less than an example. */
const MAX_SUGGESTION = 600;
