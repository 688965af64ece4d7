import {
  asWritten,
  encodeValue,
  isBlank,
  isChecked,
  partFilterId,
  type Entries,
  type Field,
  type WireValue,
} from '../../../shared/model/fields';
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

/** What a value that was read is in a payload; nothing where it fits none. */
function encoded(found: unknown, field: Field): unknown[] {
  try {
    return encodeValue(asWritten(found, field), field, { timeZone: 'utc' }).flatMap(([, value]): unknown[] =>
      [value].flat(),
    );
  } catch {
    return [];
  }
}

/** Whether a value that was read is the one that was asked for, also where it is read in another form. */
export function isSame(found: unknown, wanted: string | number, field: Field): boolean {
  if (Array.isArray(found)) return found.some((one) => isSame(one, wanted, field));
  if (field.kind === 'checkbox') return isChecked(found) === (wanted === 1);
  if (isBlank(found)) return false;
  const isPlain = typeof wanted === 'number' ? Number(found) === wanted : String(found) === wanted;
  return isPlain || encoded(found, field).includes(wanted);
}

const folded = (value: unknown) => String(value).trim();
const { compare } = new Intl.Collator('en', { sensitivity: 'base' });

/** The same to a service that compares more loosely than it was asked to: without case, accents, outer spaces. */
const isAlike: typeof isSame = (found, wanted, field) =>
  isSame(found, wanted, field) || [found].flat().some((one) => compare(folded(one), folded(wanted)) === 0);

const holds = (record: ServiceRecord, { matches }: MatchKey, same: typeof isSame): boolean =>
  matches.every(({ slot, value }) => same(held(record, slot), value, slot.field));

/** Whether a record that was found belongs to this key. */
export const meets = (record: ServiceRecord, key: MatchKey): boolean => holds(record, key, isSame);

/** Whether a record was found for another reason than this key: a condition was dropped, or it reads otherwise. */
export const isStray = (record: ServiceRecord, keys: MatchKey[]): boolean =>
  !keys.some((key) => holds(record, key, isAlike));
