import { z } from 'zod';

/** Keys that each documented form of a page has (spec: Page). */
export const pageOutput = z.object({ id: z.string(), name: z.string(), slug: z.string() });

/** Spec: Component. */
export const componentOutput = z.object({
  id: z.string(),
  name: z.string(),
  type: z.string(),
  table_id: z.string(),
  settings: z.object({}),
});
