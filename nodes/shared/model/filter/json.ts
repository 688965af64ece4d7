import { z } from 'zod';
import { dialectError, filledIn, jsonOf, type Dialect } from './jsonText';
import { ANY_OF } from './operators';
import type { FilterTree } from './tree';

const PRIMARY: Dialect = {
  label: 'Filter (JSON)',
  example: '{"condition": "AND", "items": [{"field_id": "status", "operator": "is", "val": "Open"}]}',
  misspelt: {
    value: 'val',
    field: 'field_id',
    fieldId: 'field_id',
    slug: 'field_id',
    condition: 'operator',
    op: 'operator',
    match: 'condition',
    children: 'child',
    groups: 'child',
    conditions: 'items',
  },
};

const item = z
  .object({ field_id: z.string().min(1), operator: z.string().min(1), val: z.unknown().optional() })
  .strict();

interface JsonGroup {
  condition?: string;
  items?: Array<z.infer<typeof item>>;
  child?: JsonGroup[];
}

const group: z.ZodType<JsonGroup> = z.lazy(() =>
  z
    .object({
      condition: z.enum(['AND', 'OR', 'all', 'any']).optional(),
      items: z.array(item).optional(),
      child: z.array(group).optional(),
    })
    .strict(),
);

/** A text that stands for `$1` is one value, also where a list is asked for: its commas are part of it. */
function valueOf(val: unknown, operator: string, parameters: unknown[]): unknown {
  const filled = filledIn(val, parameters);
  return operator === ANY_OF && typeof filled === 'string' && filled !== val ? [filled] : filled;
}

const treeOf = (
  { condition = 'AND', items = [], child = [] }: JsonGroup,
  parameters: unknown[],
): FilterTree => ({
  match: condition === 'OR' || condition === 'any' ? 'any' : 'all',
  conditions: items.map(({ field_id, operator, val }) => ({
    field: field_id,
    operator,
    value: valueOf(val, operator, parameters),
  })),
  groups: child.map((one) => treeOf(one, parameters)),
});

/**
 * Reads the primary form as people write it (spec: Filters): a group, or an array of items for "all of
 * these". Strict: a wrong key would make the filter fail in silence at the service.
 * @throws InputError naming the wrong key and the right one
 */
export function treeFromJson(input: unknown, parameters: unknown[] = []): FilterTree {
  const value = jsonOf(input, PRIMARY);
  const result = group.safeParse(Array.isArray(value) ? { items: value } : value);
  if (!result.success) throw dialectError(result.error, PRIMARY);
  return treeOf(result.data, parameters);
}
