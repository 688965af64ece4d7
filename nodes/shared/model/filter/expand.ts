import { DATE_TIME, encodeValue, isBlank, type Field, type FieldKind } from '../fields';
import { InputError, shown } from '../inputError';
import { listOf } from '../list';
import type { Slot } from '../table';
import { dayIn, momentOf } from './day';
import { ANY_OF, BETWEEN, RELATIVE, type Operator } from './operators';
import { relativeSpan, type Relative } from './relative';
import type { Condition, FilterGroup, FilterItem } from './tree';

export interface FilterContext {
  /** IANA name of the workflow's zone; dates without an offset are local to it. */
  timeZone: string;
  now: Date;
}

/** Texts are compared by part of them: what was typed is sent, and need not be a choice. */
const PARTIAL = new Set(['contains', 'does not contain', 'starts with', 'ends with', 'startswith']);

/** The field that a value of this slot is encoded as; a part of a composite has no codec of its own. */
function comparedAs({ field, part }: Slot): Field {
  if (part) return { ...field, name: `${field.name}: ${part.label}`, kind: 'text' };
  const kinds: Partial<Record<FieldKind, FieldKind>> = {
    calendar: 'date',
    name: 'text',
    address: 'text',
    email: 'text',
    choices: 'choice',
    file: 'text',
  };
  const connection = field.connection && { ...field.connection, many: false };
  return { ...field, kind: kinds[field.kind] ?? field.kind, ...(connection && { connection }) };
}

const noValue = (field: Field, operator: string) =>
  new InputError(
    `Filter: "${field.name}" ${operator} has no value`,
    'Give a value, or ask for what is blank. An expression here may have found nothing.',
  );

/** As it was typed; a choice by its label, too. @throws InputError for a list or an object, which holds no text */
function partOfText(value: unknown, field: Field): string {
  const option = field.options.find(({ label }) => label === value);
  if (typeof value !== 'object') return option?.value ?? String(value);
  throw new InputError(
    `Filter: "${field.name}" cannot be compared with ${shown(value)}`,
    'Give text to look for.',
  );
}

/** One comparison value in the service's format. A blank one would widen the filter: refused. */
export function comparison(
  value: unknown,
  operator: string,
  slot: Slot,
  context: FilterContext,
): string | number {
  const field = comparedAs(slot);
  // An empty list is how the service itself writes a connection without records.
  if (isBlank(value) || (Array.isArray(value) && value.length === 0)) throw noValue(field, operator);
  if (PARTIAL.has(operator) && field.kind !== 'connection') return partOfText(value, field);
  const day = dayIn(slot, value, context.timeZone);
  const encoded = encodeValue(day ? momentOf(day, operator) : value, field, context)[0]?.[1];
  if (isBlank(encoded)) throw noValue(field, operator);
  return encoded as string | number;
}

const group = (condition: FilterGroup['condition'], items: FilterItem[]): FilterGroup => ({
  condition,
  items,
  child: [],
});

/** Makes an item of an operator of the service and a value as the user gave it. */
type ItemOf = (operator: string, value: unknown) => FilterItem;

/** What one condition becomes: one item, or a group of items for an operator that the service lacks. */
export function expand(
  condition: Condition,
  operator: Operator,
  slot: Slot,
  fieldId: string,
  context: FilterContext,
): FilterItem | FilterGroup {
  const item: ItemOf = (name, value) => ({
    field_id: fieldId,
    operator: name,
    val: comparison(value, name, slot, context),
  });
  const range = (from: unknown, to: unknown) =>
    slot.field.kind === 'number'
      ? group('AND', [item('higher than or equal to', from), item('lower than or equal to', to)])
      : group('AND', [item('is on or after', from), item('is on or before', to)]);

  if (operator.operand === 'none') return { field_id: fieldId, operator: operator.name };
  if (operator.name === BETWEEN) {
    const { from, to } = (condition.value ?? {}) as { from?: unknown; to?: unknown };
    return range(from, to);
  }
  if (operator.name === RELATIVE) {
    const [from, to] = relativeSpan((condition.value ?? {}) as Relative, context.timeZone, context.now);
    return range(from.toFormat(DATE_TIME), to.toFormat(DATE_TIME));
  }
  if (operator.name === ANY_OF) {
    const wanted = listOf(condition.value)
      .map((one) => (typeof one === 'string' ? one.trim() : one))
      .filter((one) => !isBlank(one));
    if (wanted.length === 0) {
      throw new InputError(
        `Filter: "${slot.field.name}" ${ANY_OF} has no values, but ${shown(condition.value)}`,
        'Give at least one value, or several with commas between them.',
      );
    }
    return group(
      'OR',
      wanted.map((one) => item('is', one)),
    );
  }
  const day = dayIn(slot, condition.value, context.timeZone);
  if (day) return ofDay(operator.name, day, item);
  return item(operator.name, condition.value);
}

/** "Is" and "is not" a day, of a Date-Time: within it, or anywhere else. */
function ofDay(operator: string, day: string, item: ItemOf): FilterItem | FilterGroup {
  if (operator === 'is') return group('AND', [item('is on or after', day), item('is on or before', day)]);
  if (operator !== 'is not') return item(operator, day);
  const before = item('is before', day);
  const blank = { field_id: before.field_id, operator: 'is blank' };
  return group('OR', [before, item('is after', day), blank]);
}
