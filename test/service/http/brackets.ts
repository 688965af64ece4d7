/**
 * `filters[items][0][val]=x` as nested objects and arrays (spec: Filters, GET form). A run of
 * indexes 0..n becomes an array; a key given twice keeps its last value.
 */
export function parseQuery(text: string): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  for (const [key, value] of new URLSearchParams(text)) assignPath(result, splitKey(key), value);
  return toArrays(result) as Record<string, unknown>;
}

function splitKey(key: string): string[] {
  const head = key.indexOf('[');
  if (head <= 0 || !key.endsWith(']')) return [key];
  return [key.slice(0, head), ...key.slice(head + 1, -1).split('][')];
}

function assignPath(target: Record<string, unknown>, path: string[], value: string): void {
  const [head, ...rest] = path as [string, ...string[]];
  if (head === '__proto__') return;
  const key = head === '' ? String(Object.keys(target).length) : head;
  if (rest.length === 0) {
    target[key] = value;
    return;
  }
  const next = target[key];
  const child = next !== null && typeof next === 'object' ? (next as Record<string, unknown>) : {};
  target[key] = child;
  assignPath(child, rest, value);
}

function toArrays(value: unknown, depth = 0): unknown {
  if (value === null || typeof value !== 'object') return value;
  const entries = Object.entries(value).map(([key, item]) => [key, toArrays(item, depth + 1)] as const);
  const isList = depth > 0 && entries.length > 0 && entries.every(([key], i) => key === String(i));
  return isList ? entries.map(([, item]) => item) : Object.fromEntries(entries);
}

/** Keys of an item of a filter in a query. */
const ITEM_KEYS = ['field_id', 'operator', 'val'];

const isItem = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).every((key) => ITEM_KEYS.includes(key));

/**
 * Keeps the keys of a query for which the spec defines a notation. With brackets, that is
 * `filters[items][n][field_id|operator|val]` alone (Filters, GET form): groups and `sort_by` have one in a body only. All
 * others are noted and ignored.
 */
export function keepDefinedBrackets(
  query: Record<string, unknown>,
  report: (message: string) => void,
): Record<string, unknown> {
  const entries = Object.entries(query).flatMap(([key, value]): [string, unknown][] => {
    if (typeof value !== 'object' || value === null) return [[key, value]];
    if (key !== 'filters') {
      report(`query key "${key}" with brackets, for which the spec has no notation`);
      return [];
    }
    const { items, ...others } = value as Record<string, unknown>;
    for (const other of Object.keys(others))
      report(`query key "filters[${other}]", for which the spec has no notation`);
    if (!Array.isArray(items) || !items.every(isItem)) {
      report('filters in a query that are not filters[items][n][field_id|operator|val]');
      return [];
    }
    return [[key, { items }]];
  });
  return Object.fromEntries(entries);
}
