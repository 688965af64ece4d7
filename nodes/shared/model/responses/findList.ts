const isNotFilled = (value: unknown) => value === undefined || value === null || value === '';

/** Parses a count. Returns undefined, not 0, for a missing or invalid count. */
export const parseCount = (value: unknown): number | undefined => {
  const count = isNotFilled(value) ? NaN : Number(value);
  return Number.isInteger(count) ? count : undefined;
};

/**
 * Finds the list in a response: the array under `key`, or the response itself if it is an array, or its only
 * array (the spec does not define every envelope). If there is no array and `key` is null, the list is empty.
 */
export function findList(body: unknown, key?: string): unknown[] | undefined {
  if (Array.isArray(body)) return body;
  if (typeof body !== 'object' || body === null) return undefined;
  const value = key === undefined ? undefined : (body as Record<string, unknown>)[key];
  if (Array.isArray(value)) return value;
  if (value !== undefined && value !== null) return undefined;
  const arrays = Object.values(body).filter(Array.isArray);
  if (arrays.length === 1) return arrays[0] as unknown[];
  return value === null ? [] : undefined;
}
