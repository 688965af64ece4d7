import { z } from 'zod';
import { createTextShape } from './shapes';

/** Keys that each documented form of a page has (spec: Page). */
export const pageOutput = z.object(createTextShape('id name slug'));

/** Spec: Component. */
export const componentOutput = z.object({
  ...createTextShape('id name type table_id'),
  settings: z.object({}),
});
