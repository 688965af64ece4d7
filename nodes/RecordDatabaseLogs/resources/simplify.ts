import { groupBy, mapValues } from 'lodash';

type Entry = Record<string, unknown>;

const isObject = (value: unknown): value is Entry =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isPair = (value: unknown): value is { name: unknown; val: unknown } =>
  isObject(value) && 'name' in value && 'val' in value;

/** The HTML of a mail is long and seldom wanted. */
const LONG = new Set(['body']);

/** `[{name, val}]` as one object; the values of a name that comes several times are a list. */
const byName = (pairs: Array<{ name: unknown; val: unknown }>): Entry =>
  mapValues(groupBy(pairs, 'name'), (group) => {
    const values = group.map(({ val }) => val);
    return values.length === 1 ? values[0] : values;
  });

/**
 * One level of plain values: `user {name, email}` becomes `user_name` and `user_email`, `metas [{name, val}]`
 * one object, and what is empty or long is left out (spec: Logs). What is no object stays as it is.
 */
export function simplified(entry: unknown): unknown {
  if (!isObject(entry)) return entry;
  const pairs = Object.entries(entry).flatMap(([key, value]): Array<[string, unknown]> => {
    if (value === '' || value === null || LONG.has(key)) return [];
    if (isObject(value)) {
      return Object.entries(value)
        .filter(([, inner]) => inner !== '' && inner !== null)
        .map(([inner, one]) => [`${key}_${inner}`, one]);
    }
    if (!Array.isArray(value) || !value.every(isPair)) return [[key, value]];
    return value.length === 0 ? [] : [[key, byName(value)]];
  });
  return Object.fromEntries(pairs);
}
