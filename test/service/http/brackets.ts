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
