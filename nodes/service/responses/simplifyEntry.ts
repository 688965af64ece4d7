/**
 * Simplifies an entry of a list that is no record: nested objects become flat keys, and empty values go.
 */
import { groupBy, mapValues } from 'lodash';
import { isObject } from '../input/values';

type Entry = Record<string, unknown>;

const isPair = (value: unknown): value is { name: unknown; val: unknown } =>
  isObject(value) && 'name' in value && 'val' in value;

/** Converts `[{name, val}]` to one object. A name that occurs several times gets a list of its values. */
const groupByName = (pairs: Array<{ name: unknown; val: unknown }>): Entry =>
  mapValues(groupBy(pairs, 'name'), (group) => {
    const values = group.map(({ val }) => val);
    return values.length === 1 ? values[0] : values;
  });

/**
 * Flattens an entry of a log or a queue (spec: Logs, Export queue entry): `user {name, email}` becomes
 * `user_name` and `user_email`, and `metas [{name, val}]` becomes one object. Empty values are omitted. Other types are returned unchanged.
 * @param omitted keys that are left out, for example because their values are long
 */
export function simplifyEntry(entry: unknown, omitted: ReadonlySet<string> = new Set()): unknown {
  if (!isObject(entry)) return entry;
  const pairs = Object.entries(entry).flatMap(([key, value]): Array<[string, unknown]> => {
    if (value === '' || value === null || omitted.has(key)) return [];
    if (isObject(value)) {
      return Object.entries(value)
        .filter(([, inner]) => inner !== '' && inner !== null)
        .map(([inner, one]) => [`${key}_${inner}`, one]);
    }
    if (!Array.isArray(value) || !value.every(isPair)) return [[key, value]];
    return value.length === 0 ? [] : [[key, groupByName(value)]];
  });
  return Object.fromEntries(pairs);
}
