import {
  encodeValue,
  partFilterId,
  type EncodeContext,
  type Entries,
  type FilePart,
  type WireValue,
} from './fields';
import { InputError } from './inputError';
import type { Table } from './table';

/** A payload ready to be sent: JSON unless a file is in it (spec: General rules, 2). */
export type Payload =
  { kind: 'json'; values: Record<string, WireValue> } | { kind: 'multipart'; entries: Entries };

/** Keys that turn a POST to `/records` into a list request (spec: Records). */
const LIST_KEYS = new Set(['filters', 'page', 'limit', 'order', 'order_by', 'sort_by', 'columns', 'fields']);

const hasFiles = (entries: Entries) =>
  entries.some(([, value]) => Array.isArray(value) && typeof value[0] === 'object');

/**
 * Encodes values keyed by slug or by part (`name[first_name]`) for a create or update.
 * `undefined` means "not given" and is left out; null and '' clear the cell.
 * @throws InputError for a key that the table does not have, or a value that does not fit
 */
export function encodeValues(values: Record<string, unknown>, table: Table, context: EncodeContext): Entries {
  return Object.entries(values).flatMap(([key, value]): Entries => {
    if (value === undefined) return [];
    const { field, part } = table.payloadSlot(key, 'Columns');
    return encodeValue(part ? { [part.payload]: value } : value, field, context);
  });
}

/**
 * Chooses the body's form. An empty JSON object is never sent by n8n, and one with a list key would be
 * read as a list request: both go out as multipart, which the service only reads as a record.
 */
export function payloadOf(entries: Entries): Payload {
  const ambiguous = entries.length === 0 || entries.some(([key]) => LIST_KEYS.has(key));
  if (ambiguous || hasFiles(entries)) return { kind: 'multipart', entries };
  return { kind: 'json', values: Object.fromEntries(entries) };
}

/** A list as repeated `slug[]` parts; null and the empty list as an empty part (spec: form-data forms of the value table). */
export function multipartFields(entries: Entries): Array<[name: string, value: string | FilePart]> {
  return entries.flatMap(([key, value]): Array<[string, string | FilePart]> => {
    if (!Array.isArray(value)) return [[key, value === null ? '' : String(value)]];
    if (value.length === 0) return [[key, '']];
    return value.map((one) => (typeof one === 'object' ? [key, one] : [`${key}[]`, one]));
  });
}

/** A row of the sort form. */
export interface SortRule {
  field: string;
  direction: 'asc' | 'desc';
}

/** Spec: `sort_by`, array of {sort, by}. @throws InputError for a field that the table does not have */
export function sortBy(rules: SortRule[], table: Table): Array<{ sort: string; by: 'asc' | 'desc' }> {
  return rules.map(({ field, direction }) => {
    if (direction !== 'asc' && direction !== 'desc') {
      throw new InputError(`Sort: the direction cannot be "${String(direction)}"`, 'Choose asc or desc.');
    }
    const name = String(field ?? '').trim();
    if (name === '') {
      throw new InputError(
        'Sort: a rule has no field',
        'Choose the field, or remove the rule. An expression here may have found nothing.',
      );
    }
    const slot = table.filterSlot(name, 'Sort');
    return { sort: slot.part ? partFilterId(slot.field, slot.part) : slot.field.slug, by: direction };
  });
}

/** Spec: `columns`, comma list of slugs. @throws InputError for a field that the table does not have */
export const columnList = (names: string[], table: Table): string =>
  names.map((name) => table.field(name, 'Columns').slug).join(',');
