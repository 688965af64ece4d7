import type { Field } from '../fields/field';
import { getKind } from '../fields/kinds';
import { InputError, formatForError } from '../input/inputError';
import { isBlank } from '../input/values';

export interface FilterContext {
  /** IANA name of the workflow's time zone. Writes use it too, so a Date-Time is found by what was written. */
  timeZone: string;
  /** IANA name of the service's time zone, in which `created_at` is; UTC by default. */
  serviceTimeZone?: string;
  now: Date;
}

/**
 * Operators that search for text, in the primary and the symbolic form. The text need not be a valid value of
 * the field.
 */
const SEARCH_OPERATORS = new Set(['contains', 'does not contain', 'starts with', 'ends with', 'startswith']);

/** Operators that compare with the last second of a day. All others compare with its first second. */
const END_OF_DAY_OPERATORS = new Set(['is on or before', 'is after', '<=', '>']);

/** Converts a day to its first or last second, depending on the operator. */
const toDayBoundary = (day: string, operator: string): string =>
  `${day} ${END_OF_DAY_OPERATORS.has(operator) ? '23:59:59' : '00:00:00'}`;

/**
 * Returns the context for the values of one field. The service writes `created_at` itself, in its own zone. Other dates
 * are in the zone of the workflow that wrote them.
 */
export const createFieldContext = <C extends FilterContext>(field: Field, context: C): C =>
  field.slug === 'created_at' ? { ...context, timeZone: context.serviceTimeZone ?? 'UTC' } : context;

/** Returns the day that a value means for a field with a time. Undefined for any other value or field. */
export const findDay = (field: Field, value: unknown, { timeZone }: FilterContext): string | undefined =>
  getKind(field).findDay?.(value, timeZone);

const createMissingValueError = (field: Field, operator: string): InputError =>
  new InputError(
    `Filter: "${field.name}" needs a value for the operator "${operator}"`,
    'Give a value, or use an operator for blank fields. An expression may have returned nothing.',
  );

function encode(value: unknown, operator: string, field: Field, context: FilterContext): string | number {
  const kind = getKind(field);
  if (SEARCH_OPERATORS.has(operator)) return kind.encodeSearchText(value, field, context);
  const day = findDay(field, value, context);
  return kind.encodeOperand(day ? toDayBoundary(day, operator) : value, field, context);
}

/** Replaces the message for a write with one for a filter. */
const toFilterError = (error: unknown, field: Field, value: unknown) =>
  new InputError(
    `Filter: "${field.name}" cannot be compared with ${formatForError(value)}`,
    error instanceof InputError ? error.remedy : '',
  );

/**
 * Encodes a comparison value in the service's format. @throws InputError for an invalid value, and for a
 * blank one, which would match more records
 */
export function encodeComparisonValue(
  value: unknown,
  operator: string,
  field: Field,
  context: FilterContext,
): string | number {
  // An empty list is blank too: the service returns it for a connection without records.
  if (isBlank(value) || (Array.isArray(value) && value.length === 0))
    throw createMissingValueError(field, operator);
  try {
    const encoded = encode(value, operator, field, context);
    if (!isBlank(encoded)) return encoded;
  } catch (error) {
    throw toFilterError(error, field, value);
  }
  throw createMissingValueError(field, operator);
}
