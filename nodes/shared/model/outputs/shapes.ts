import { z } from 'zod';

/** The keys in a text such as `'id name'`. */
type KeysIn<Text extends string> = Text extends `${infer Key} ${infer Rest}` ? Key | KeysIn<Rest> : Text;

const createShape = <Keys extends string, Value>(keys: Keys, value: Value) =>
  Object.fromEntries(keys.split(' ').map((key) => [key, value])) as Record<KeysIn<Keys>, Value>;

/** Creates the keys of an item whose values are text. `keys` are separated by spaces. */
export const createTextShape = <Keys extends string>(keys: Keys): Record<KeysIn<Keys>, z.ZodString> =>
  createShape(keys, z.string());

/** Creates the keys of an item whose values are numbers. `keys` are separated by spaces. */
export const createNumberShape = <Keys extends string>(keys: Keys): Record<KeysIn<Keys>, z.ZodNumber> =>
  createShape(keys, z.number());
