/** Filters as JSON, in the short form of this package or in the form of the service. */
import { without } from 'lodash';
import {
  formatForError,
  InputError,
  isBlank,
  isDeeperThan,
  isObject,
  parseJson,
  parseList,
} from '../../service';
import { hasNoContent } from '../fields/inputValues';
import { getKind } from '../fields/kinds';
import { ANY_OF } from '../fields/operators';
import { type Table, labelFields } from '../fields/table';
import {
  type FilterTree,
  createTree,
  invertOperator,
  findOperatorNames,
  isOperatorWord,
  joinFilters,
  takesNoValue,
} from './tree';

const FILTER_JSON_LABEL = 'Filter (JSON)';
const SHORT_EXAMPLE = '{"Status": "Active", "Price": {">": 50}, "or": [{"City": "Leeds"}, {"City": "York"}]}';
const SERVICE_FORM_EXAMPLE =
  '{"condition": "AND", "items": [{"field_id": "status", "operator": "is", "val": "Active"}]}';

/** A much deeper filter would exhaust the call stack. */
const MAX_FILTER_DEPTH = 20;

/** One level of a filter takes up to three levels of JSON: a list, an object in it, and an object of parts. */
const MAX_JSON_DEPTH = 3 * MAX_FILTER_DEPTH;

/** The keys `and` and `or` of the short form, as in `{"or": [{…}, {…}]}`. Their values are lists of filters. */
const AND_OR_KEY_PATTERN = /^\$?(and|or)$/;

/** The keys are values of `condition` in the form of the service, or keys of the short form. */
const MATCH_BY_WORD = new Map<string, FilterTree['match']>([
  ['and', 'all'],
  ['or', 'any'],
]);

/**
 * An operator outside the spec, which some clients of the service use (evidence 17). It becomes one `contains` for each
 * value of its list, or of its text with commas.
 */
const CONTAINS_ANY = 'contains_any';

type JsonObject = Record<string, unknown>;

const joinPath = (path: string, key: string) => (path === '' ? key : `${path}.${key}`);

const normalizeKey = (key: string) => key.trim().toLowerCase();

const isServiceGroup = ({ items, child }: JsonObject) => Array.isArray(items) || Array.isArray(child);

const isOperatorKey = (key: string) => normalizeKey(key) === CONTAINS_ANY || isOperatorWord(key);

/**
 * Formats an example of a filter with two fields of the table, for errors.
 * @example
 * formatFilterExample(table); // {"Company": "Blue", "Price": {">=": 12.5}}
 */
export function formatFilterExample(table?: Table): string {
  const entries = labelFields(table?.fields ?? []).flatMap(({ field, label }) => {
    const { example, operators, rangeOperators, filterInput } = getKind(field);
    const value = field.options[0]?.label ?? parseJson(example);
    const isShown = operators.some(({ name }) => name === 'is') && filterInput !== 'filled';
    if (!isShown || value === undefined || typeof value === 'object') return [];
    const [key, operand] = [JSON.stringify(label), JSON.stringify(value)];
    return rangeOperators ? `${key}: {">=": ${operand}}` : `${key}: ${operand}`;
  });
  return entries.length > 0 ? `{${entries.slice(0, 2).join(', ')}}` : SHORT_EXAMPLE;
}

class FilterParser {
  constructor(
    private readonly parameters: unknown[],
    private readonly table: Table | undefined,
  ) {}

  /** @param path the place of the error in the filter, such as `items[0]`. '' for the whole filter */
  createError(reason: string, path = ''): InputError {
    const valid = `${formatFilterExample(this.table)}, or the form of the service: ${SERVICE_FORM_EXAMPLE}`;
    return new InputError(
      `${FILTER_JSON_LABEL} ${path && `at ${path} `}${reason}`,
      `Nothing was sent. A valid value: ${valid}. For all records: "all".`,
    );
  }

  /** @throws InputError for an empty group: a filter that omitted this group would match more records */
  parseTree(value: unknown, path = ''): FilterTree {
    const tree = this.parseMember(value, path);
    if (path !== '' && tree.conditions.length + tree.groups.length === 0)
      throw this.createError(`has an empty entry at ${path}`);
    return tree;
  }

  private parseMember(value: unknown, path: string): FilterTree {
    if (Array.isArray(value)) return this.parseMembers('all', value, path);
    if (!isObject(value)) throw this.createError(`must be an object, not ${formatForError(value)}`, path);
    if ('field_id' in value) return this.parseItem(value, path);
    return isServiceGroup(value) ? this.parseGroup(value, path) : this.parseShortForm(value, path);
  }

  private parseMembers(match: FilterTree['match'], members: unknown[], path: string): FilterTree {
    const trees = members.map((member, at) => this.parseTree(member, `${path}[${at}]`));
    return joinFilters(match, trees);
  }

  /** Reads a group of the primary form (spec: Filters). */
  private parseGroup(group: JsonObject, path: string): FilterTree {
    const { condition = 'AND', items = [], child = [], ...others } = group;
    const [other] = Object.keys(others);
    if (other !== undefined)
      throw this.createError(
        `has the key ${formatForError(other)} beside "condition", "items" and "child"`,
        path,
      );
    const match = MATCH_BY_WORD.get(normalizeKey(String(condition)));
    if (!match) throw this.createError(`has the condition ${formatForError(condition)}, not AND or OR`, path);
    if (!Array.isArray(items) || !Array.isArray(child))
      throw this.createError('needs lists under "items" and "child"', path);
    const trees = items.map((item: unknown, index) => {
      const itemPath = `${joinPath(path, 'items')}[${index}]`;
      if (isObject(item) && 'field_id' in item) return this.parseItem(item, itemPath);
      throw this.createError('has no "field_id"', itemPath);
    });
    const groups = child.map((one: unknown, index) =>
      this.parseTree(one, `${joinPath(path, 'child')}[${index}]`),
    );
    return joinFilters(match, [...trees, ...groups]);
  }

  /** Reads an item of the primary or the symbolic form (spec: Filters). */
  private parseItem(item: JsonObject, path: string): FilterTree {
    const keys = without(Object.keys(item), 'field_id');
    const hasOnly = (...known: string[]) => keys.every((key) => known.includes(key));
    const isPrimary = hasOnly('operator', 'val');
    if (!isPrimary && !hasOnly('condition', 'value')) {
      throw this.createError(
        `has the keys ${keys.map((key) => formatForError(key)).join(', ')}: "operator" goes with "val", "condition" goes with "value"`,
        path,
      );
    }
    const readText = (key: string): string => {
      const text = item[key];
      if (typeof text === 'string' && text !== '') return text;
      const given = isBlank(text) ? '' : `, not ${formatForError(text)}`;
      throw this.createError(`needs text under "${key}"${given}`, path);
    };
    const field = readText('field_id');
    const operator = readText(isPrimary ? 'operator' : 'condition');
    return this.parseComparison(field, operator, isPrimary ? item.val : item.value);
  }

  /** Reads the short form: `{"status": "active", "or": […]}`. */
  private parseShortForm(map: JsonObject, path: string): FilterTree {
    const trees = Object.entries(map).map(([key, value]): FilterTree => {
      const [word, keyPath] = [normalizeKey(key), joinPath(path, key)];
      const match = MATCH_BY_WORD.get(AND_OR_KEY_PATTERN.exec(word)?.[1] ?? '');
      if (match) return this.parseAndOrList(match, value, keyPath);
      if (/^\$?not$/.test(word))
        throw this.createError('is a negation: use the opposite operator, such as "is not"', keyPath);
      return this.parseFieldEntry(key, value);
    });
    return joinFilters('all', trees);
  }

  private parseAndOrList(match: FilterTree['match'], value: unknown, path: string): FilterTree {
    const word = match === 'any' ? 'or' : 'and';
    if (!Array.isArray(value))
      throw this.createError(`needs a list under "${word}", not ${formatForError(value)}`);
    if (value.length === 0) throw this.createError(`has an empty list under "${word}"`);
    return this.parseMembers(match, value, path);
  }

  /** Reads an entry of the short form: a value, a list of values, or an object of operators or of parts. */
  private parseFieldEntry(field: string, value: unknown): FilterTree {
    if (Array.isArray(value)) return this.parseComparison(field, ANY_OF, value);
    if (!isObject(value)) return this.parseComparison(field, 'is', value);
    const entries = Object.entries(value);
    if (!entries.some(([key]) => isOperatorKey(key))) return this.parseComparison(field, 'is', value);
    return joinFilters(
      'all',
      entries.map(([operator, operand]) =>
        this.parseComparison(field, operator, operand, { takesFlag: true }),
      ),
    );
  }

  /** @param takesFlag whether an operator without a value takes true or false, as in `{"is blank": true}` */
  private parseComparison(
    field: string,
    operator: string,
    given: unknown,
    { takesFlag = false } = {},
  ): FilterTree {
    const value = this.fillPlaceholders(given);
    if (normalizeKey(operator) === CONTAINS_ANY) {
      const values = parseList(value);
      if (values.length === 0) throw this.createError(`needs a value under ${formatForError(operator)}`);
      const trees = values.map((one) => this.parseComparison(field, 'contains', one));
      return joinFilters('any', trees);
    }
    const isList = findOperatorNames(operator).includes(ANY_OF);
    if (takesNoValue(operator)) {
      // The form of the service may have an empty value beside `is blank`. Any other value is a flag, true or false.
      const used = takesFlag || !hasNoContent(given) ? this.invertIfFalse(operator, value) : operator;
      return createTree('all', [{ field, operator: used }]);
    }
    // A text that replaced a placeholder such as `$1` is one value, even if it contains commas.
    const isFilledText = isList && typeof value === 'string' && value !== given;
    return createTree('all', [{ field, operator, value: isFilledText ? [value] : value }]);
  }

  /** Returns the operator that `{"is blank": true}` or `{"is blank": false}` means. */
  private invertIfFalse(operator: string, value: unknown): string {
    if (value === true) return operator;
    const inverse = value === false ? invertOperator(operator) : undefined;
    if (inverse !== undefined) return inverse;
    throw this.createError(
      `has ${formatForError(value)} under ${formatForError(operator)}, which takes true`,
    );
  }

  /** Replaces a text that is only `$1`, `$2` and so on by its parameter, which cannot change the filter's structure. */
  private fillPlaceholders(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((entry) => this.fillPlaceholders(entry));
    if (isObject(value) && Object.getPrototypeOf(value) === Object.prototype)
      return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, this.fillPlaceholders(one)]));
    const number = typeof value === 'string' ? /^\$(\d{1,9})$/.exec(value)?.[1] : undefined;
    if (number === undefined) return value;
    const count = this.parameters.length;
    if (Number(number) >= 1 && Number(number) <= count) return this.parameters[Number(number) - 1];
    throw new InputError(
      `${FILTER_JSON_LABEL}: "$${number}" is no number, and no value of the Filter Parameters, which hold ${count}`,
      `Nothing was sent. Write an amount without a sign: ${number}. "$1", "$2" and so on stand for the Filter Parameters in their order; a text such as "$${number}" must be one of them.`,
    );
  }
}

/** Part of error texts: says how to select all records. Operations that change records do not accept the word "all". */
export const ALL_RECORDS_REMEDY =
  'For all records, give the word "all" as the JSON filter; to change or delete all, {"created_at": {"is not blank": true}}.';

/**
 * Accepts the forms of the service (spec: Filters, primary and symbolic form), as a group or a list of items, and the
 * short form `{"status": "active", "price": {">": 50}, "or": [{…}, {…}]}`.
 * @param parameters the values that replace $1, $2 and so on
 * @param table used for the examples in errors. The filter is not checked against the table
 * @throws InputError for any other form
 */
export function parseFilterJson(input: unknown, parameters: unknown[] = [], table?: Table): FilterTree {
  const reader = new FilterParser(parameters, table);
  const text = typeof input === 'string' ? input.trim() : input;
  if (isBlank(text)) {
    throw new InputError(
      `${FILTER_JSON_LABEL} is empty`,
      `Nothing was sent. ${ALL_RECORDS_REMEDY} For some of them: ${formatFilterExample(table)}. An expression may have returned nothing.`,
    );
  }
  const value = typeof text === 'string' ? parseJson(text) : text;
  if (value === undefined) throw reader.createError(`is not valid JSON: ${formatForError(text)}`);
  if (isDeeperThan(MAX_JSON_DEPTH, value))
    throw reader.createError(`is nested more than ${MAX_FILTER_DEPTH} levels deep`);
  return reader.parseTree(value);
}
