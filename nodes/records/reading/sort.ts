/** Sort rules. `parseSortJson` reads them from JSON. `buildSortBy` checks them against a table. */
import { formatForError, InputError, isBlank, isObject, parseJson } from '../../service';
import type { Table } from '../fields/table';

/** A row of the sort form. Its values are not checked yet. */
interface SortRule {
  field?: unknown;
  direction?: unknown;
}

/**
 * Builds `sort_by`, an array of {sort, by} (spec: Records). @throws InputError for an unknown field or
 * direction
 */
export function buildSortBy(rules: SortRule[], table: Table): Array<{ sort: string; by: 'asc' | 'desc' }> {
  return rules.map(({ field, direction: given }) => {
    const direction = String(given).trim().toLowerCase();
    if (direction !== 'asc' && direction !== 'desc')
      throw new InputError(`Sort: the direction cannot be ${formatForError(given)}`, 'Choose asc or desc.');
    const name = String(field ?? '').trim();
    if (name === '') {
      throw new InputError(
        'Sort: a rule has no field',
        'Choose the field, or remove the rule. An expression may have returned nothing.',
      );
    }
    // The service cannot sort by a part of a composite; only filters have parts (spec: Filters).
    return { sort: table.field(name, 'Sort').slug, by: direction };
  });
}

const EXAMPLE = '{"Status": "asc", "Created At": "desc"}';

/**
 * Parses sort rules: `{"Status": "asc", "Created At": "desc"}`. Blank means no rule. The directions are not checked.
 * @throws InputError for any other form
 */
export function parseSortJson(input: unknown): SortRule[] {
  const text = typeof input === 'string' ? input.trim() : input;
  if (isBlank(text)) return [];
  const value = typeof text === 'string' ? parseJson(text) : text;
  if (isObject(value)) return Object.entries(value).map(([field, direction]) => ({ field, direction }));
  throw new InputError(
    `Sort (JSON) cannot be ${formatForError(input)}`,
    `Nothing was sent. A valid value: ${EXAMPLE}, with asc or desc for each field, the most important first. Leave it empty for any order.`,
  );
}
