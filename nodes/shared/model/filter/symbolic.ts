import { z } from 'zod';
import { partFilterId } from '../fields';
import { InputError } from '../inputError';
import type { Slot, Table } from '../table';
import { dayIn, momentOf } from './day';
import { comparison, type FilterContext } from './expand';
import { dialectError, filledIn, jsonOf, type Dialect } from './jsonText';

/** Conditions of the symbolic form (spec: Filters). The last two take no value. */
const SYMBOLIC_CONDITIONS = [
  '=',
  '!=',
  '>',
  '<',
  '>=',
  '<=',
  'contains',
  'startswith',
  'is_blank',
  'not_blank',
] as const;
export type SymbolicCondition = (typeof SYMBOLIC_CONDITIONS)[number];

const takesNoValue = (condition: string) => condition === 'is_blank' || condition === 'not_blank';

/** As the form or JSON gives it. */
export interface SymbolicInput {
  field: string;
  condition: string;
  value?: unknown;
}

/** As it is sent: the names differ from the primary form's, and must be exactly these. */
export interface SymbolicItem {
  field_id: string;
  condition: SymbolicCondition;
  value?: string | number;
}

const SYMBOLIC: Dialect = {
  label: 'Conditions (JSON)',
  example: '[{"field_id": "status", "condition": "=", "value": "Open"}]',
  misspelt: {
    val: 'value',
    operator: 'condition',
    op: 'condition',
    field: 'field_id',
    fieldId: 'field_id',
    slug: 'field_id',
    conditions: 'items',
  },
};

const items = z.array(
  z
    .object({ field_id: z.string().min(1), condition: z.string().min(1), value: z.unknown().optional() })
    .strict(),
);
const envelope = z.object({ items }).strict();

/** Reads `[item]` or `{items: [item]}`. @throws InputError naming the wrong key and the right one */
export function symbolicFromJson(input: unknown, parameters: unknown[] = []): SymbolicInput[] {
  const value = jsonOf(input, SYMBOLIC);
  const result = envelope.safeParse(Array.isArray(value) ? { items: value } : value);
  if (!result.success) throw dialectError(result.error, SYMBOLIC);
  return result.data.items.map((one) => ({
    field: one.field_id,
    condition: one.condition,
    value: filledIn(one.value, parameters),
  }));
}

function conditionOf(condition: string): SymbolicCondition {
  const known = SYMBOLIC_CONDITIONS.find((one) => one === condition);
  if (known) return known;
  throw new InputError(
    `Filter: there is no condition "${condition}"`,
    `The symbolic form has: ${SYMBOLIC_CONDITIONS.join(', ')}.`,
  );
}

/** A Date-Time is a day when it lies between its ends; that it lies outside cannot be said in this form. */
function ofDay(condition: SymbolicCondition, day: string | undefined, slot: Slot): SymbolicCondition[] {
  if (!day || !['=', '!='].includes(condition)) return [condition];
  if (condition === '=') return ['>=', '<='];
  throw new InputError(
    `Filter: "${slot.field.name}" cannot be compared as != with a day`,
    `It holds a time as well, such as "${momentOf(day, condition)}". Use < or > with the day, or give the time.`,
  );
}

/** Checks conditions against the table and spells them for the service. @throws InputError */
export function buildSymbolic(inputs: SymbolicInput[], table: Table, context: FilterContext): SymbolicItem[] {
  return inputs.flatMap((input) => {
    const slot = table.filterSlot(input.field, 'Filter');
    const field_id = slot.part ? partFilterId(slot.field, slot.part) : slot.field.slug;
    const day = dayIn(slot, input.value, context.timeZone);
    return ofDay(conditionOf(input.condition), day, slot).map((condition) =>
      takesNoValue(condition)
        ? { field_id, condition }
        : { field_id, condition, value: comparison(input.value, condition, slot, context) },
    );
  });
}
