import { partFilterId, type Entries, type Field, type WireValue } from '../../../shared/model/fields';
import type { FilterGroup, FilterItem } from '../../../shared/model/filter';
import { InputError } from '../../../shared/model/inputError';
import type { ServiceRecord } from '../../../shared/model/responses';
import type { Slot, Table } from '../../../shared/model/table';

/** One match field with the value to find. */
interface Match {
  slot: Slot;
  value: string | number;
}

/** The values that make an item the same record as one that exists. */
export interface MatchKey {
  matches: Match[];
  /** Equal for items that mean the same record. */
  text: string;
}

const scalarOf = (value: WireValue | undefined): string | number | undefined =>
  typeof value === 'number' || (typeof value === 'string' && value !== '')
    ? value
    : Array.isArray(value) && value.length === 1 && typeof value[0] === 'string'
      ? value[0]
      : undefined;

/** @throws InputError when a match column is unknown or the item gives it no single value */
export function matchKey(columns: string[], entries: Entries, table: Table): MatchKey {
  if (columns.length === 0) {
    throw new InputError(
      'There is no column to match on',
      'Choose at least one under "Columns to Match On".',
    );
  }
  const matches = columns.map((column): Match => {
    const slot = table.payloadSlot(column, 'Columns to Match On');
    const value = scalarOf(entries.find(([key]) => key === column)?.[1]);
    if (value === undefined) {
      throw new InputError(
        `The match column "${slot.field.name}" has no value`,
        'Give it a single value in every item. An expression here may have found nothing.',
      );
    }
    return { slot, value };
  });
  return { matches, text: JSON.stringify(matches.map(({ value }) => value)) };
}

/** Exact where the service ignores case otherwise: two names that differ in case are two records. */
export const operatorFor = ({ kind }: Field) =>
  ['number', 'checkbox', 'date', 'time', 'dateTime', 'connection', 'user'].includes(kind) ? 'is' : 'is exact';

function itemFor({ slot: { field, part }, value }: Match): FilterItem {
  const field_id = part ? partFilterId(field, part) : field.slug;
  if (field.kind === 'checkbox') return { field_id, operator: value === 1 ? 'is checked' : 'is unchecked' };
  return { field_id, operator: operatorFor(field), val: value };
}

/** One filter that finds the records of many keys (spec: Filters, nested groups). */
export function filterFor(keys: MatchKey[]): FilterGroup {
  const groups = keys.map(({ matches }): FilterGroup => ({
    condition: 'AND',
    items: matches.map(itemFor),
    child: [],
  }));
  const singles = groups.flatMap(({ items }) => (items.length === 1 ? items : []));
  return { condition: 'OR', items: singles, child: groups.filter(({ items }) => items.length > 1) };
}

/** What a record that was read holds under a slot: connections as ids, composites as an object or flat. */
function held(record: ServiceRecord, { field, part }: Slot): unknown {
  if (!part) return record[field.slug];
  const whole = record[field.slug] as Record<string, unknown> | undefined;
  return (
    whole?.[part.payload] ??
    record[`${field.slug}[${part.payload}]`] ??
    record[`${field.slug}__${part.payload}`]
  );
}

export function sameValue(found: unknown, wanted: string | number): boolean {
  if (Array.isArray(found)) return found.some((one) => sameValue(one, wanted));
  if (typeof wanted === 'number') return Number(found) === wanted;
  return String(found ?? '') === wanted;
}

/** Whether a record that was found belongs to this key. */
export const meets = (record: ServiceRecord, { matches }: MatchKey): boolean =>
  matches.every(({ slot, value }) => sameValue(held(record, slot), value));
