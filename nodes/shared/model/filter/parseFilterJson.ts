import { z } from 'zod';
import { ANY_OF } from '../fields';
import { findComparison } from './comparison';
import { createDialectError, fillPlaceholders, type FilterDialect, parseJsonInput } from './dialect';
import { normalizeFilter } from './shapes/normalizeFilter';
import type { FilterTree } from './tree';

const PRIMARY_DIALECT: FilterDialect = {
  label: 'Filter (JSON)',
  example: '{"condition": "AND", "items": [{"field_id": "status", "operator": "is", "val": "Open"}]}',
  corrections: {
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

const itemSchema = z
  .object({ field_id: z.string().min(1), operator: z.string().min(1), val: z.unknown().optional() })
  .strict();

interface JsonGroup {
  condition?: string;
  items?: Array<z.infer<typeof itemSchema>>;
  child?: JsonGroup[];
}

const groupSchema: z.ZodType<JsonGroup> = z.lazy(() =>
  z
    .object({
      condition: z.enum(['AND', 'OR', 'all', 'any']).optional(),
      items: z.array(itemSchema).optional(),
      child: z.array(groupSchema).optional(),
    })
    .strict(),
);

/**
 * Fills in the parameters. For `is any of`, a text that replaces `$1` is one value, even if it contains
 * commas.
 */
function fillValue(val: unknown, operator: string, parameters: unknown[]): unknown {
  const filled = fillPlaceholders(val, parameters);
  const takesList = findComparison(operator)?.operators.includes(ANY_OF);
  return takesList && typeof filled === 'string' && filled !== val ? [filled] : filled;
}

const toFilterTree = (
  { condition = 'AND', items = [], child = [] }: JsonGroup,
  parameters: unknown[],
): FilterTree => ({
  match: condition === 'OR' || condition === 'any' ? 'any' : 'all',
  conditions: items.map(({ field_id, operator, val }) => ({
    field: field_id,
    operator,
    value: fillValue(val, operator, parameters),
  })),
  groups: child.map((group) => toFilterTree(group, parameters)),
});

/**
 * Parses the primary form (spec: Filters): a group, or an array of items that must all match. The forms of other
 * systems are converted to it. Unknown keys are errors, because the service silently ignores a filter with a
 * wrong key.
 * @throws InputError naming the wrong key and the right one
 */
export function parseFilterJson(
  input: unknown,
  parameters: unknown[] = [],
  dialect = PRIMARY_DIALECT,
): FilterTree {
  const group = normalizeFilter(input);
  // Reports text that is neither JSON nor a comparison.
  if (group === input) parseJsonInput(input, dialect);
  const result = groupSchema.safeParse(group);
  if (!result.success) throw createDialectError(result.error, group, dialect);
  return toFilterTree(result.data, parameters);
}
