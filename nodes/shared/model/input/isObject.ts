/** Whether a value is an object, but not null or an array. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns the value if it is an object, or else an empty object. */
export const asObject = (value: unknown): Record<string, unknown> => (isObject(value) ? value : {});
