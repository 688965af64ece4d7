import { z } from 'zod';
import { createEntryListSchema, idSchema, textSchema } from './schemas';

/** Spec: Tables. */
export const tableListSchema = createEntryListSchema(
  'data_tables',
  z.object({ id: idSchema, name: textSchema }).passthrough(),
);

/** Spec: Field (full). Only the slug is checked here; `fullFieldSchema` parses the entries. */
export const fullFieldListSchema = createEntryListSchema(
  'fields',
  z.object({ slug: z.string() }).passthrough(),
);

/** Spec: Field (full, from `/full-fields-info`). Everything but the slug may be missing. */
export const fullFieldSchema = z
  .object({
    slug: z.string(),
    fieldId: textSchema,
    name: textSchema,
    type: textSchema,
    description: textSchema,
    default_value: z.unknown().optional(),
    is_unique: textSchema,
    options: z
      .array(z.object({ label: z.coerce.string(), value: z.coerce.string() }).passthrough())
      .catch([]),
    join: z.unknown().optional(),
  })
  .passthrough();
export type FullField = z.infer<typeof fullFieldSchema>;
