import { isObject } from '../../input/isObject';
import { parseLooseJson } from '../../input/parseJson';
import { isComparison } from '../comparison';
import { parseComparisonText } from './comparisonText';
import { readFieldMap, readFieldValue } from './fieldMap';
import { createGroup, findMatch, isLogicWord, type JsonGroup, type Member } from './jsonGroup';
import { findKey, hasKey, type KeyAliases, renameKeys } from './keyAliases';

/** Keys of an item in the filters of other systems, by the key of the service. */
const ITEM_KEYS: KeyAliases = {
  field_id: [
    'field',
    'fieldId',
    'fieldName',
    'slug',
    'column',
    'columnName',
    'property',
    'attribute',
    'key',
    'keyName',
  ],
  operator: ['op', 'condition', 'comparison', 'operation', 'predicate'],
  val: ['value', 'values', 'keyValue'],
};

/** Keys of a group in the filters of other systems. */
const GROUP_KEYS: KeyAliases = {
  condition: ['match', 'logic', 'combinator', 'conjunction', 'operator', 'op', 'logicalOperator', 'mode'],
  items: ['conditions', 'filters', 'rules', 'criteria'],
  child: ['children', 'groups'],
};

/** Keys of an object that only contains the filter. */
const WRAPPERS = ['filter', 'filters', 'where', 'query'];

type JsonObject = Record<string, unknown>;

const isItem = (value: JsonObject): boolean =>
  hasKey(value, ITEM_KEYS, 'field_id') &&
  (hasKey(value, ITEM_KEYS, 'operator') || hasKey(value, ITEM_KEYS, 'val'));

/** Whether an object has a key of the service itself. Its other keys are then mistakes, not fields. */
const hasServiceKey = (value: JsonObject, aliases: KeyAliases): boolean =>
  Object.keys(aliases).some((key) => key in value);

const isGroup = (value: JsonObject): boolean =>
  hasServiceKey(value, GROUP_KEYS) ||
  ['items', 'child'].some((key) => Array.isArray(value[findKey(value, GROUP_KEYS, key) ?? '']));

/** An item without an operator compares by "is", or by "is any of" with a list. */
function readItem(value: JsonObject): JsonObject {
  const item = renameKeys(value, ITEM_KEYS);
  if ('operator' in item || !('val' in item)) return item;
  return { ...item, operator: Array.isArray(item.val) ? 'is any of' : 'is' };
}

/** Reads a group. `items` and `child` stay unchanged if they are not arrays, so that the schema check reports them. */
function readGroup(value: JsonObject): JsonObject {
  const { condition, items = [], child = [], ...rest } = renameKeys(value, GROUP_KEYS);
  const match = condition === undefined ? 'AND' : (findMatch(condition) ?? condition);
  if (!Array.isArray(items) || !Array.isArray(child)) return { ...rest, condition: match, items, child };
  return { ...rest, ...createGroup('AND', [...items, ...child].map(readMember)), condition: match };
}

const isTriple = (value: unknown[]): value is [string, string, unknown?] =>
  (value.length === 2 || value.length === 3) &&
  typeof value[0] === 'string' &&
  !isLogicWord(value[0]) &&
  typeof value[1] === 'string' &&
  isComparison(value[1]);

/** Reads a list of members, which may have `and` or `or` between them. */
function readMemberList(value: unknown[]): JsonGroup {
  const words = value.filter(isLogicWord);
  const match = findMatch(words[0]) ?? 'AND';
  const isMixed = words.some((word) => findMatch(word) !== match);
  // In a list with both AND and OR, the words stay members, so that the schema check refuses the list.
  return createGroup(
    match,
    (isMixed ? value : value.filter((member) => !isLogicWord(member))).map(readMember),
  );
}

/** Reads `{"or": […]}` and `{"status": "open"}`, which may stand side by side. */
function readMap(value: JsonObject): Member {
  const members = Object.entries(value).map(([key, entry]): Member => {
    const match = isLogicWord(key) ? findMatch(key) : undefined;
    if (!match) return readFieldMap(key, entry);
    return Array.isArray(entry)
      ? createGroup(match, entry.map(readMember))
      : (normalizeFilter(entry) as Member);
  });
  const [only] = members;
  return members.length === 1 && only ? only : createGroup('AND', members);
}

function readObject(value: JsonObject): Member {
  const keys = Object.keys(value);
  const [key] = keys;
  if (isItem(value)) return readItem(value);
  if (
    keys.length === 1 &&
    key !== undefined &&
    WRAPPERS.includes(key.toLowerCase()) &&
    !Array.isArray(value[key])
  )
    return normalizeFilter(value[key]) as Member;
  if (isGroup(value)) return readGroup(value);
  if (hasServiceKey(value, ITEM_KEYS)) return readItem(value);
  return readFieldValue(value) ?? readMap(value);
}

function readMember(value: unknown): Member {
  if (Array.isArray(value)) {
    return isTriple(value)
      ? { field_id: value[0], operator: value[1], val: value[2] }
      : readMemberList(value);
  }
  return isObject(value) ? readObject(value) : (value as Member);
}

/**
 * Converts a filter in the form of another system to the primary form (spec: Filters): items with other keys, maps of
 * values (`{"status": "open"}`), maps of operators (`{"price": {"$gt": 5}}`), triples, comparisons as text, and JSON
 * in text. Unrecognized parts stay unchanged, so that the schema check reports them.
 */
export function normalizeFilter(input: unknown): unknown {
  const value =
    typeof input === 'string' ? (parseLooseJson(input) ?? parseComparisonText(input) ?? input) : input;
  if (typeof value !== 'object' || value === null) return value;
  if (isObject(value) && Object.keys(value).length === 0) return value;
  const member = readMember(value);
  return isObject(member) && 'field_id' in member ? createGroup('AND', [member]) : member;
}
