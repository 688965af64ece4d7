import type { LogEntry } from './readLog';

const isObject = (value: unknown): value is LogEntry =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isPair = (value: unknown): value is { name: unknown; val: unknown } =>
  isObject(value) && 'name' in value && 'val' in value;

/** The HTML of a mail is long and seldom wanted. */
const LONG = new Set(['body']);

/**
 * One level of plain values: `user {name, email}` becomes `user_name` and `user_email`, `metas [{name, val}]`
 * one object, and what is empty or long is left out (spec: Logs).
 */
export function simplified(entry: LogEntry): LogEntry {
  const pairs = Object.entries(entry).flatMap(([key, value]): Array<[string, unknown]> => {
    if (value === '' || value === null || LONG.has(key)) return [];
    if (isObject(value)) {
      return Object.entries(value)
        .filter(([, inner]) => inner !== '' && inner !== null)
        .map(([inner, one]) => [`${key}_${inner}`, one]);
    }
    if (!Array.isArray(value) || !value.every(isPair)) return [[key, value]];
    return value.length === 0
      ? []
      : [[key, Object.fromEntries(value.map(({ name, val }) => [String(name), val]))]];
  });
  return Object.fromEntries(pairs);
}
