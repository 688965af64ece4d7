/** Whether an object has its own property `key`. A slug may be `constructor`, which every object inherits. */
export const hasOwnValue = (object: object, key: string): boolean => Object.hasOwn(object, key);

/** Returns the value of an own property, or undefined. */
export const getOwnValue = (object: object, key: string): unknown =>
  hasOwnValue(object, key) ? (object as Record<string, unknown>)[key] : undefined;
