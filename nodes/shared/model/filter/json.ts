import { z } from 'zod';
import { InputError, shown } from '../inputError';
import type { FilterTree } from './tree';

/** What people write by mistake, often from the service's other dialect, and what it is called here. */
const MISSPELT: Record<string, string> = {
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

const EXAMPLE = '{"condition": "AND", "items": [{"field_id": "status", "operator": "is", "val": "Open"}]}';

function problem(error: z.ZodError): InputError {
  const issue = error.issues[0] as z.ZodIssue & { keys?: string[] };
  const at = issue.path.join('.') || 'the filter';
  const key = issue.keys?.[0];
  const right = key === undefined ? undefined : MISSPELT[key];
  const what =
    key === undefined
      ? `Filter (JSON): ${at}: ${issue.message}`
      : `Filter (JSON): "${key}" is not a key here (in ${at})${right ? `, it is called "${right}"` : ''}`;
  return new InputError(
    what,
    `Nothing was sent: the service drops such a filter without a word. A filter looks like this: ${EXAMPLE}`,
  );
}

/** `$1`, `$2`, … as a whole value stand for the parameters, so that text from outside stays a value. */
function filledIn(value: unknown, parameters: unknown[]): unknown {
  if (Array.isArray(value)) return value.map((one) => filledIn(one, parameters));
  const place = typeof value === 'string' ? /^\$(\d+)$/.exec(value)?.[1] : undefined;
  if (place === undefined) return value;
  if (Number(place) < 1 || Number(place) > parameters.length) {
    throw new InputError(
      `Filter (JSON): there is no parameter $${place}`,
      `Filter Parameters holds ${parameters.length}: add it there, or correct the number.`,
    );
  }
  return parameters[Number(place) - 1];
}

const treeOf = (
  { condition = 'AND', items = [], child = [] }: JsonGroup,
  parameters: unknown[],
): FilterTree => ({
  match: condition === 'OR' || condition === 'any' ? 'any' : 'all',
  conditions: items.map(({ field_id, operator, val }) => ({
    field: field_id,
    operator,
    value: filledIn(val, parameters),
  })),
  groups: child.map((one) => treeOf(one, parameters)),
});

function parsed(input: unknown): unknown {
  if (typeof input !== 'string') return input;
  try {
    return JSON.parse(input);
  } catch (error) {
    throw notJson(input, error);
  }
}

const notJson = (input: string, error: unknown) =>
  new InputError(
    `Filter (JSON): this is no JSON: ${shown(input)}`,
    `${(error as Error).message}. A filter looks like this: ${EXAMPLE}`,
  );

/**
 * Reads the primary form as people write it (spec: Filters): a group, or an array of items for "all of
 * these". Strict: a wrong key would make the filter fail in silence at the service.
 * @throws InputError naming the wrong key and the right one
 */
export function treeFromJson(input: unknown, parameters: unknown[] = []): FilterTree {
  const value = parsed(input);
  const result = group.safeParse(Array.isArray(value) ? { items: value } : value);
  if (!result.success) throw problem(result.error);
  return treeOf(result.data, parameters);
}
