/**
 * Sort rules. `parseSortJson` reads them from JSON, in the notations that models write. `buildSortBy` checks them against a
 * table.
 */
import { formatForError, InputError, isBlank, isObject, parseLooseJson } from '../../service';
import { toFieldKey } from '../fields/names';
import type { Table } from '../fields/table';

/** A row of the sort form. Its values are not checked yet. */
interface SortRule {
  field?: unknown;
  direction?: unknown;
}

const DIRECTIONS = new Map<string, 'asc' | 'desc'>([
  ...['asc', 'ascending'].map((word) => [word, 'asc'] as const),
  ...['desc', 'descending'].map((word) => [word, 'desc'] as const),
]);

/**
 * Builds `sort_by`, an array of {sort, by} (spec: Records). @throws InputError for an unknown field or
 * direction
 */
export function buildSortBy(rules: SortRule[], table: Table): Array<{ sort: string; by: 'asc' | 'desc' }> {
  return rules.map(({ field, direction: given }) => {
    const direction = DIRECTIONS.get(String(given).trim().toLowerCase());
    if (direction === undefined)
      throw new InputError(`Sort: the direction cannot be "${String(given)}"`, 'Choose asc or desc.');
    const name = String(field ?? '').trim();
    if (name === '') {
      throw new InputError(
        'Sort: a rule has no field',
        'Choose the field, or remove the rule. An expression may have returned nothing.',
      );
    }
    // The service cannot sort by a part of a composite; only filters have parts (spec: Filters).
    return { sort: table.field(name, 'Sort').slug, by: direction };
  });
}

const LABEL = 'Sort (JSON)';
const EXAMPLE = '{"Status": "asc", "Created At": "desc"}';
const DIRECTION = /^\s*(asc|ascending|desc|descending)\s*$/i;

/** No one sorts by more rules. Longer texts are refused without a closer look. */
const MAX_RULES = 20;

/** Words of other systems for a direction, in error messages only. */
function suggestDirection(word: unknown): 'asc' | 'desc' | undefined {
  const text = String(word).trim().toLowerCase();
  if (['asc', 'ascending', '1', 'true', '+', 'up', 'asc_nulls_first', 'asc_nulls_last'].includes(text))
    return 'asc';
  return ['desc', 'descending', '-1', 'false', '-', 'down', 'desc_nulls_first', 'desc_nulls_last'].includes(
    text,
  )
    ? 'desc'
    : undefined;
}

const FIELD_KEYS = ['sort', 'field', 'fieldid', 'property', 'column', 'key', 'name', 'timestamp', 'path'];
const DIRECTION_KEYS = ['by', 'direction', 'order', 'dir', 'orderby', 'sortorder'];

type Rule = [field: string, direction: 'asc' | 'desc'];

/** Reads `price desc`, `price.desc`, `-price`, `price:desc` and `price`. */
function suggestFromText(text: string): Rule[] | undefined {
  const parts = text.replace(/^\s*(?:order\s+by\s+|(?:order|sort)=)/i, '').split(',');
  const rules = parts.map((part): Rule | undefined => {
    const [, sign, field = '', word] =
      /^([+-]?)([^\s:.+-][^:.]*?)(?:[\s:.]+(asc|desc|ascending|descending))?(?:\.nulls\w+)?$/i.exec(
        part.trim(),
      ) ?? [];
    const direction = suggestDirection(word ?? (sign === '-' ? 'desc' : 'asc'));
    return field === '' || DIRECTION.test(field) || direction === undefined ? undefined : [field, direction];
  });
  return rules.every((rule) => rule !== undefined) ? rules : undefined;
}

/** Reads the rules of another system, for error messages only: nothing here is ever sent. */
function suggestRules(value: unknown, depth = 0): Rule[] | undefined {
  if (depth > 4) return undefined;
  if (typeof value === 'string') {
    const parsed = value.length <= 500 ? parseLooseJson(value) : undefined;
    if (isObject(parsed) || Array.isArray(parsed)) return suggestRules(parsed, depth + 1);
    return value.length <= 500 ? suggestFromText(value) : undefined;
  }
  if (Array.isArray(value)) {
    const [field, word, ...others] = value as unknown[];
    const isDirection = word === 1 || word === -1 || (typeof word === 'string' && DIRECTION.test(word));
    const direction = isDirection ? suggestDirection(word) : undefined;
    if (typeof field === 'string' && direction && others.length === 0) return [[field, direction]];
    if (value.length > MAX_RULES) return undefined;
    const rules = value.map((entry) => suggestRules(entry, depth + 1));
    return rules.every((rule) => rule !== undefined) ? rules.flat() : undefined;
  }
  if (!isObject(value)) return undefined;
  const findKey = (names: string[]) => Object.keys(value).find((key) => names.includes(toFieldKey(key)));
  const [fieldKey, directionKey] = [findKey(FIELD_KEYS), findKey(DIRECTION_KEYS)];
  const field = fieldKey === undefined ? undefined : value[fieldKey];
  if (typeof field === 'string' && !DIRECTION.test(field)) {
    const direction = suggestDirection(directionKey === undefined ? 'asc' : value[directionKey]);
    return direction && [[field, direction]];
  }
  const entries = Object.entries(value);
  const [only] = entries;
  if (
    only &&
    entries.length === 1 &&
    ['sort', 'orderby', 'order', 'sortby', 'sorts'].includes(toFieldKey(only[0]))
  ) {
    const inner = suggestRules(only[1], depth + 1);
    if (inner && !DIRECTION.test(String(only[1]))) return inner;
  }
  const rules = entries.map(([name, entry]): Rule | undefined => {
    const inner = isObject(entry) ? (entry.order ?? entry.direction) : entry;
    const direction = suggestDirection(inner);
    return direction && [name, direction];
  });
  return rules.every((rule) => rule !== undefined) ? rules : undefined;
}

/** Reads the short form and that of the service (spec: `sort_by`). Undefined for any other form. */
function readRules(value: unknown): SortRule[] | undefined {
  if (Array.isArray(value)) {
    const rules = value.map(readRules);
    return rules.every((rule) => rule?.length === 1) ? rules.flatMap((rule) => rule ?? []) : undefined;
  }
  if (!isObject(value)) return undefined;
  const { sort, by, ...others } = value;
  if (typeof sort === 'string' && by !== undefined && Object.keys(others).length === 0)
    return DIRECTION.test(String(by)) ? [{ field: sort, direction: by }] : undefined;
  const entries = Object.entries(value);
  const isShort = entries.every(
    ([, direction]) => typeof direction === 'string' && DIRECTION.test(direction),
  );
  return isShort ? entries.map(([field, direction]) => ({ field, direction })) : undefined;
}

/**
 * Parses sort rules: `{"Status": "asc", "Created At": "desc"}`, a list of such objects, or the list of the service. Blank
 * means no rule.
 * @throws InputError for any other form; it shows the short form with the given fields
 */
export function parseSortJson(input: unknown): SortRule[] {
  const text = typeof input === 'string' ? input.trim() : input;
  if (isBlank(text)) return [];
  const value = typeof text === 'string' ? parseLooseJson(text) : text;
  const rules = readRules(value);
  if (rules && rules.length <= MAX_RULES) return rules;
  const suggested = suggestRules(text);
  // The fields of an object keep their order, unless their names are numbers.
  const suggestion = suggested && JSON.stringify(Object.fromEntries(suggested));
  throw new InputError(
    `${LABEL} cannot be ${formatForError(input)}`,
    `Nothing was sent. ${suggestion && suggestion.length <= 400 ? `Write: ${suggestion}. ` : ''}A valid value: ${EXAMPLE}, with asc or desc for each field, the most important first. Leave it empty for any order.`,
  );
}
