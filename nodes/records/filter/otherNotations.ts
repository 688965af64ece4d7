/**
 * Filters in the notations of other systems, as their documentation shows them: PostgREST, Supabase, Strapi and
 * Airtable as text, Elasticsearch and JSON Logic as objects. They are read for error messages only; nothing here is
 * ever sent. `readOtherText` and `readOtherObject` read them for error messages only.
 */
import { isObject, parseJson } from '../../service';

/** Reads a text in the notation of another system. Undefined for any other text. */
export function readOtherText(given: string): FilterReading | undefined {
  const text = given.trim();
  if (text.length > MAX_LENGTH) return undefined;
  if (text.startsWith('filters[')) return readStrapiQuery(text);
  if (/^\.?(eq|neq|gte?|lte?|i?like|in)\(/.test(text))
    return readSupabaseCalls(text.startsWith('.') ? text : `.${text}`);
  if (/^(and|or|not|find|search)\(/i.test(text)) return readFormula(text, readBraces);
  if (/^[\w ]+=((not\.)?(eq|neq|gte?|lte?|i?like|is|in)\.|\()/.test(text)) return readPostgrestQuery(text);
  return readBraces(text) ?? (/[=<>(){}[\]]|\bnull\b/i.test(text) ? undefined : readPhrases(text));
}

/** A comparison in the words of another system, or filters that are joined or negated. */
export type FilterReading =
  | { field: string; word: string; value: unknown }
  | { join: 'and' | 'or' | 'not'; members: FilterReading[] };

/** Words that negate the filter that they stand beside, as a key, a value or a word. */
const NEGATION =
  /^[$_!]*((is_?)?not([_-]\w+)?|nor|none|never|neither|negated?|negative|inverse|invert(ed)?|exclud(e[ds]?|ing)|except|unless|without|must_?not)$/i;

export const isNegation = (word: unknown): boolean => typeof word === 'string' && NEGATION.test(word.trim());

/** Whether a text has a negation, as the names that SQL would read in `NOT status = 'new'` and `status not in (…)`. */
export const hasNegation = (text: string): boolean =>
  /^no\s|n['’]t\b/i.test(text.trim()) || text.split(/\s+/).some(isNegation);

/** Longer texts are not read: no person or model writes them as one condition. */
const MAX_LENGTH = 1000;

const compare = (field: string, word: string, value: unknown): FilterReading => ({ field, word, value });

/** Joins readings. Undefined if one of them could not be read. */
const join = (
  word: 'and' | 'or' | 'not',
  members: Array<FilterReading | undefined>,
): FilterReading | undefined => {
  const known = members.filter((member) => member !== undefined);
  return known.length > 0 && known.length === members.length ? { join: word, members: known } : undefined;
};

function readScalar(text: string): unknown {
  const quoted = /^(['"])(.*)\1$/s.exec(text.trim())?.[2];
  if (quoted !== undefined) return quoted;
  const value = parseJson(text.trim());
  return value === undefined || typeof value === 'object' ? text.trim() : value;
}

/** Splits at a sign that is outside of brackets and quotes. */
function splitOutside(text: string, sign: ',' | '&'): string[] {
  const parts = [''];
  let depth = 0;
  let quote = '';
  for (const character of text) {
    if (quote) quote = character === quote ? '' : quote;
    else if (character === "'" || character === '"') quote = character;
    else if ('([{'.includes(character)) depth++;
    else if (')]}'.includes(character)) depth--;
    if (character === sign && depth === 0 && !quote) parts.push('');
    else parts[parts.length - 1] += character;
  }
  return parts;
}

/** Reads `eq.office`, `not.eq.office`, `in.(a,b)`, `is.null` and `like.*text*` of PostgREST. */
function readPostgrest(field: string, text: string): FilterReading | undefined {
  const [, not, word = '', given = ''] = /^(not\.)?(eq|neq|gte?|lte?|i?like|is|in)\.(.*)$/s.exec(text) ?? [];
  if (word === '') return undefined;
  if (not) return word === 'eq' ? compare(field, '!=', readScalar(given)) : undefined;
  if (word === 'in')
    return compare(
      field,
      'in',
      given
        .replace(/^\(|\)$/g, '')
        .split(',')
        .map(readScalar),
    );
  if (word === 'is')
    return given === 'null' ? compare(field, 'isnull', true) : compare(field, 'eq', readScalar(given));
  return compare(field, word, word.endsWith('like') ? given.replaceAll('*', '%') : readScalar(given));
}

function readPostgrestQuery(text: string): FilterReading | undefined {
  const members = splitOutside(text, '&').map((part) => {
    const [, name = '', value = ''] = /^([^=]+)=(.*)$/s.exec(part) ?? [];
    if (name !== 'or' && name !== 'and') return readPostgrest(name, value);
    const inner = splitOutside(value.replace(/^\(|\)$/g, ''), ',');
    return join(
      name,
      inner.map((one) => {
        const [, field = '', rest = ''] = /^([^.]+)\.(.*)$/s.exec(one) ?? [];
        return readPostgrest(field, rest);
      }),
    );
  });
  return join('and', members);
}

/** Reads `filters[stock][$lt]=100` of Strapi. */
const readStrapiQuery = (text: string): FilterReading | undefined =>
  join(
    'and',
    text.split('&').map((part) => {
      const [, field, word, value] = /^filters\[([^\]]+)\]\[\$(\w+)\]=(.*)$/s.exec(part) ?? [];
      return field && word && value !== undefined ? compare(field, word, readScalar(value)) : undefined;
    }),
  );

/** Reads `.eq('category', 'office').lt('stock', 100)` of Supabase. */
function readSupabaseCalls(text: string): FilterReading | undefined {
  const members = text
    .split(/\.(?=(?:eq|neq|gte?|lte?|i?like|in)\()/)
    .slice(1)
    .map((call) => {
      const [, word = '', inner = ''] = /^(\w+)\((.*)\)\s*$/s.exec(call) ?? [];
      const [name = '', given = '', ...others] = splitOutside(inner, ',');
      const field = readScalar(name);
      const list = /^\s*\[(.*)\]\s*$/s.exec(given)?.[1];
      if (typeof field !== 'string' || field === '' || others.length > 0) return undefined;
      return compare(
        field,
        word,
        list === undefined ? readScalar(given) : splitOutside(list, ',').map(readScalar),
      );
    });
  return join('and', members);
}

/** Reads `AND({A} = 1, OR(…))`, `NOT(…)` and `FIND('text', {A})` of Airtable. */
function readFormula(
  text: string,
  readCondition: (text: string) => FilterReading | undefined,
): FilterReading | undefined {
  const [, name = '', inner = ''] = /^(and|or|not|find|search)\((.*)\)$/is.exec(text.trim()) ?? [];
  const word = name.toLowerCase();
  const parts = splitOutside(inner, ',').map((part) => part.trim());
  if (word === 'find' || word === 'search') {
    const field = /^\{([^{}]+)\}$/.exec(parts[1] ?? '')?.[1];
    return field && parts.length === 2 ? compare(field, 'contains', readScalar(parts[0] ?? '')) : undefined;
  }
  if (word === 'and' || word === 'or' || word === 'not')
    return join(
      word,
      parts.map((part) => readFormula(part, readCondition) ?? readCondition(part)),
    );
  return undefined;
}

/** Reads `{Stock} < 100` of Airtable. */
function readBraces(text: string): FilterReading | undefined {
  const [, field, word, value = ''] =
    /^\{([^{}]+)\}\s*(<=|>=|<>|!=|=|<|>)\s*([^\s<>=!].*)$/s.exec(text.trim()) ?? [];
  return field && word && !/[(){}]/.test(value) ? compare(field, word, readScalar(value)) : undefined;
}

const PHRASES = new Map([
  ['greater than or equal to', '>='],
  ['at least', '>='],
  ['less than or equal to', '<='],
  ['at most', '<='],
  ['greater than', '>'],
  ['more than', '>'],
  ['above', '>'],
  ['less than', '<'],
  ['below', '<'],
  ['does not contain', 'does not contain'],
  ['contains', 'contains'],
  ['starts with', 'starts with'],
  ['ends with', 'ends with'],
  ['is not equal to', '!='],
  ['does not equal', '!='],
  ['is equal to', '='],
  ['is not', '!='],
  ['equals', '='],
  ['is', '='],
]);

/** Reads `price is greater than 50` and `category is office`. */
function readPhrase(text: string): FilterReading | undefined {
  for (const [phrase, word] of PHRASES) {
    const at = ` ${text.toLowerCase()} `.indexOf(` ${phrase} `);
    if (at < 2) continue;
    const words = text.slice(0, at - 1).trim();
    const field = words.toLowerCase().endsWith(' is') ? words.slice(0, -3).trim() : words;
    const value = text.slice(at + phrase.length).trim();
    const isShort = field.split(/\s+/).length <= 2 && value.split(/\s+/).length <= 3;
    const isPlain = ![field, value].some(hasNegation);
    return isShort && isPlain && value !== '' ? compare(field, word, readScalar(value)) : undefined;
  }
  return undefined;
}

/** The words between two comparisons, in any case. */
const AND = / and /i;
const OR = / or /i;

function readPhrases(text: string): FilterReading | undefined {
  if (AND.test(text) && OR.test(text)) return undefined;
  if (AND.test(text)) return join('and', text.split(AND).map(readPhrase));
  return OR.test(text) ? join('or', text.split(OR).map(readPhrase)) : readPhrase(text);
}

const FLIPPED = new Map([
  ['<', '>'],
  ['<=', '>='],
  ['>', '<'],
  ['>=', '<='],
]);
const LOGIC_WORDS = new Set(['==', '===', '!=', '!==', '<', '<=', '>', '>=', 'in']);

const readVariable = (value: unknown): string | undefined => {
  const name = isObject(value) && Object.keys(value).length === 1 ? value.var : undefined;
  return typeof name === 'string' ? name : undefined;
};

/** Reads `{"<": [{"var": "stock"}, 100]}` of JSON Logic. */
function readJsonLogic(key: string, value: unknown): FilterReading | undefined {
  if (key === '!') return join('not', [value].flat().map(readOtherObject));
  if ((key === 'and' || key === 'or') && Array.isArray(value)) return join(key, value.map(readOtherObject));
  if (!LOGIC_WORDS.has(key) || !Array.isArray(value) || value.length !== 2) return undefined;
  const [first, second] = value as [unknown, unknown];
  const [left, right] = [readVariable(first), readVariable(second)];
  if (left !== undefined && right === undefined) return compare(left, key, second);
  if (right === undefined || left !== undefined) return undefined;
  return compare(right, key === 'in' ? 'contains' : (FLIPPED.get(key) ?? key), first);
}

const readOnly = (value: unknown): [string, unknown] | undefined => {
  const [only, ...others] = isObject(value) ? Object.entries(value) : [];
  return others.length === 0 ? only : undefined;
};

/** Reads `{"term": {"category": "office"}}`, `{"range": {…}}` and `{"bool": {…}}` of Elasticsearch. */
function readElastic(key: string, value: unknown): FilterReading | undefined {
  if (key === 'query') return readOtherObject(value);
  if (key === 'bool' && isObject(value)) {
    const words = { must: 'and', filter: 'and', should: 'or', must_not: 'not' } as const;
    const members = Object.entries(value).map(([name, list]) => {
      const word = (words as Record<string, 'and' | 'or' | 'not' | undefined>)[name];
      return word && join(word, [list].flat().map(readOtherObject));
    });
    return join('and', members);
  }
  const [field, operand] = readOnly(value) ?? [];
  if (field === undefined) return undefined;
  const inner = readOnly(operand);
  if (key === 'term' || key === 'prefix')
    return compare(field, key === 'term' ? 'eq' : 'prefix', inner?.[0] === 'value' ? inner[1] : operand);
  if (key === 'terms') return compare(field, 'in', operand);
  if (key === 'exists') return field === 'field' ? compare(String(operand), 'exists', true) : undefined;
  if (key !== 'range' || !isObject(operand)) return undefined;
  return join(
    'and',
    Object.entries(operand).map(([word, end]) => compare(field, word, end)),
  );
}

/** Reads an object in the notation of another system. Undefined for any other object. */
export function readOtherObject(value: unknown): FilterReading | undefined {
  const [key, inner] = readOnly(value) ?? [];
  return key === undefined ? undefined : (readJsonLogic(key, inner) ?? readElastic(key, inner));
}
