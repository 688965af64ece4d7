import { z } from 'zod';

/** Creates the keys of an item whose values are text. `keys` are separated by spaces. */
export const createTextShape = (keys: string): Record<string, z.ZodString> =>
  Object.fromEntries(keys.split(' ').map((key) => [key, z.string()]));

/** Creates the keys of an item whose values are numbers. `keys` are separated by spaces. */
export const createNumberShape = (keys: string): Record<string, z.ZodNumber> =>
  Object.fromEntries(keys.split(' ').map((key) => [key, z.number()]));
